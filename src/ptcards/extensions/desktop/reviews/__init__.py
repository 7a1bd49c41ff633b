"""Reports what the reviews in learners' packages show about the notes of a collection."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby, islice
from math import log
from operator import itemgetter
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, counted, errors_in
from ptcards.extensions.importing.package import Package, as_damaged, open_package
from ptcards.extensions.importing.problems import damaged, remark, unsafe
from ptcards.identity.items import live_numbers
from ptcards.lint.note import Reading, read
from ptcards.notes import Choice, Kind, Note
from ptcards.workspace import Workspace
from ptcards.workspace.entries import Progress

_LEECH = re.compile(r"(?<!\S)leech(?!\S)", re.IGNORECASE)
_NEW, _SUSPENDED, _BURIED = 0, -1, (-2, -3)
_FIRST_TIME = 1_000_000_000
"""The smallest due number that is a time in Unix seconds, as in learning cards; others count days."""
_DAY = 86_400
_REVIEW, _FILTERED = 1, 3
"""Kinds of answers in Anki's review log."""
_EASIEST, _HARDEST = 1, 10
"""The bounds of FSRS's difficulty."""


_DATA_LENGTHS = range(1, 10_000)
"""The lengths of JSON that Anki itself may have stored with a card."""
_MOST_ANSWERS = 10_000
"""More than anybody gives to one card in a lifetime."""
_NO_ANSWERS = (None, ())


class Answer(NamedTuple):
    """An entry of the review log. A positive `last_interval` counts days, a negative one seconds."""

    id: int
    button: int
    last_interval: int
    ease: int
    milliseconds: int
    kind: int

    @property
    def is_review(self) -> bool:
        """Whether the answer counts for Anki's true retention.

        Anki's statistics count an answer if it was given with a button, and if the card was up for review or
        had an interval of at least a day. They ignore answers in a filtered deck that does not reschedule
        (https://github.com/ankitects/anki/blob/main/rslib/src/stats/graphs/retention.rs and `revlog/mod.rs`).
        """
        is_known = self.kind == _REVIEW or self.last_interval >= 1 or self.last_interval <= -_DAY
        return self.button > 0 and is_known and not (self.kind == _FILTERED and self.ease == 0)


class CardHistory(NamedTuple):
    """A card that a learner has answered, or that is scheduled.

    `due` is the number of days from the export of the package until the card is due, and never negative. It
    is `None` if the card is not due at all. `fsrs_difficulty` is between 0 and 1, as Anki shows it.
    `ordinal` counts the cards of a note from 0: the reversed card is 1, and so is deletion c2 of a cloze.
    """

    guid: str
    card: int
    lapses: int
    due: int | None
    fsrs_difficulty: float | None
    is_leech: bool
    answers: tuple[Answer, ...]
    ordinal: int = 0


def card_histories(package: Package) -> Iterator[CardHistory]:
    """Yield the cards of a package that are no longer new; raises NotImportableError if it is damaged."""
    with as_damaged(package.archive):
        connection = package.database.connection
        created, changed = connection.execute("SELECT crt, mod FROM col").fetchone()
        exported = int(changed) // 1000
        rows = connection.execute("SELECT id, guid, tags FROM notes")
        notes = {nid: (str(guid), _LEECH.search(tags) is not None) for nid, guid, tags in rows}
        answered = _answered(package)
        number, answers = next(answered, _NO_ANSWERS)
        rows = connection.execute(
            "SELECT id, nid, ord, lapses, type, queue, CASE WHEN odid THEN odue ELSE due END, data "
            "FROM cards ORDER BY id"
        )
        for card, nid, ordinal, lapses, kind, queue, due, data in rows:
            is_right = all(isinstance(each, int) for each in (card, ordinal, lapses, kind, queue, due))
            if not is_right or nid not in notes:
                raise damaged(package.path, f"card {card} has values of the wrong type, or no note")
            # Answers are joined here because a package may lack an index. Those of deleted cards are skipped.
            while number is not None and number < card:
                number, answers = next(answered, _NO_ANSWERS)
            given = answers if number == card else ()
            if kind != _NEW or given:
                guid, is_leech = notes[nid]
                when = None if kind == _NEW else _days_to(due, queue, int(created), exported)
                difficulty = _difficulty(data)
                yield CardHistory(guid, card, max(0, lapses), when, difficulty, is_leech, given, ordinal)


def _answered(package: Package) -> Iterator[tuple[int | None, tuple[Answer, ...]]]:
    """Yield the ids of the cards in the review log, each with its answers in order."""
    if not package.database.has_log:
        return
    rows = package.database.connection.execute(
        "SELECT cid, id, ease, lastIvl, factor, time, type FROM revlog ORDER BY cid, id"
    )
    for card, some in groupby(rows, key=itemgetter(0)):
        answers = tuple(Answer(*row[1:]) for row in islice(some, _MOST_ANSWERS + 1))
        if len(answers) > _MOST_ANSWERS:
            raise unsafe(package.path, f"card {card} has over {_MOST_ANSWERS:,} answers")
        if not all(isinstance(each, int) for each in (card, *(value for row in answers for value in row))):
            raise damaged(package.path, f"the review log of card {card} has values of the wrong type")
        yield card, answers


def _days_to(due: int, queue: int, created: int, exported: int) -> int | None:
    """Return the days until a card is due, as in Anki's forecast; `None` if it is suspended or buried.

    The last two are when its collection was created and when it was exported, in Unix seconds.
    """
    days = (due - exported) // _DAY if due >= _FIRST_TIME else due - (exported - created) // _DAY
    if queue == _SUSPENDED or (queue in _BURIED and days <= 0):
        return None
    return max(0, days)


def _difficulty(data: object) -> float | None:
    """Return the difficulty that FSRS gave a card, from the JSON that Anki stores with it.

    Returns `None` if there is no difficulty.
    """
    try:
        found = json.loads(data) if isinstance(data, str) and len(data) in _DATA_LENGTHS else None
    except ValueError:  # an old add-on may have stored anything here
        return None
    value = found.get("d") if isinstance(found, Mapping) else None
    if not isinstance(value, int | float) or not _EASIEST <= value <= _HARDEST:
        return None
    return (value - _EASIEST) / (_HARDEST - _EASIEST)


_FAILED = 1
"""The number of Anki's button *Again*."""
# Before its first review, a note is expected to fail one time in ten, as with Anki's default retention.
_EXPECTED_FAILED = 1
_EXPECTED = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """The reviews of a note, summed up.

    `reviews` is the number of reviews that count for true retention, and `failed` the number of those that
    were answered *Again*. `lapses` is Anki's count for the note's cards. `dues` are the days until they are
    due. `by_card` contains the reviews and the failed ones of each card, by its ordinal.
    """

    reviews: int = 0
    failed: int = 0
    lapses: int = 0
    seconds: float | None = None
    fsrs_difficulty: float | None = None
    is_leech: bool = False
    dues: tuple[int, ...] = ()
    by_card: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    @property
    def retention(self) -> float | None:
        """The share of reviews that did not fail, which Anki calls true retention; `None` without reviews."""
        return 1 - self.failed / self.reviews if self.reviews else None

    @property
    def likely_failures(self) -> float:
        """The estimated share of failing reviews; 1 failure in 1 review counts less than 9 in 10."""
        return (self.failed + _EXPECTED_FAILED) / (self.reviews + _EXPECTED)


def by_note(cards: Iterable[CardHistory]) -> dict[str, list[CardHistory]]:
    """Return the cards of all learners by the GUIDs of their notes.

    Of a card that is in several packages of the same learner, the longest history counts.
    """
    longest: dict[tuple[int, int], CardHistory] = {}
    for card in cards:
        # Learners who imported the same package share card ids, but not the millisecond of the first answer.
        key = (card.card, card.answers[0].id if card.answers else 0)
        if key not in longest or len(card.answers) > len(longest[key].answers):
            longest[key] = card
    found = defaultdict(list)
    for card in longest.values():
        found[card.guid].append(card)
    return found


def figures_of(cards: Iterable[CardHistory]) -> Figures:
    """Return the review statistics for a note's cards."""
    some = list(cards)
    reviews = [answer for card in some for answer in card.answers if answer.is_review]
    failed: dict[int, list[bool]] = defaultdict(list)
    for card in sorted(some, key=lambda card: card.ordinal):
        failed[card.ordinal] += [each.button == _FAILED for each in card.answers if each.is_review]
    difficulties = [card.fsrs_difficulty for card in some if card.fsrs_difficulty is not None]
    return Figures(
        len(reviews),
        sum(map(sum, failed.values())),
        sum(card.lapses for card in some),
        median(answer.milliseconds for answer in reviews) / 1000 if reviews else None,
        fmean(difficulties) if difficulties else None,
        any(card.is_leech for card in some),
        tuple(sorted(card.due for card in some if card.due is not None)),
        {ordinal: (len(each), sum(each)) for ordinal, each in failed.items() if each},
    )


FEWEST = 5
"""The minimum number of reviews that counts as evidence."""
OFTEN = 0.2
"""The share of failed reviews at which a note counts as failing often: twice what Anki expects."""
SLOW = 30
"""The median number of seconds at which answers count as slow."""
_MUCH = 25
"""The number of words to recall above which a note should be split."""
_MUCH_CODE = 8
"""The number of code lines to recall above which the question should ask for only one of them."""
_LONG = 40
"""The number of words above which a question counts as long."""
_MOST_OPTIONS = 5
_MANY = 3
"""The number of list items to recall from which the question should ask for one of them."""
_SEVERAL = 2
"""The number of sentences to recall from which some belong in the details."""
_SIMILAR = 0.5
"""The share of common words at which two questions are easily confused, weighted by how rare they are."""
_SIMILAR_TYPED = 0.75
"""The share of common letters at which two texts to type are easily confused."""
_MOST_TYPED, _LONGEST_TYPED = 200, 60
"""How many texts to type are compared, and their longest length: time grows with the square."""
_ITEM = re.compile(r"^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)
# Not in `e.g. this`, `z. B. das`, `Art. 20` and `§§ 145 ff. BGB`.
_SENTENCE_END = re.compile(r"(?<!\b\w)(?<!\bff)[.!?](?=\s+[^\s\da-zß-ÿ]|\s*$)")
_HINTED = re.compile(r"\{\{c(\d{1,3})::(?:(?!::|\}\}).){0,1000}::")
_WORD = re.compile(r"\w+")


def reason_for(note: Note, figures: Figures, similar: Note | None = None, numbers: Sequence[int] = ()) -> str:
    """Return why and how to fix a note; empty if there is no reason or too little evidence.

    `similar` is a note that is easily confused with it and often fails too. `numbers` are those of its items.
    """
    if figures.reviews < FEWEST:
        return ""
    if figures.likely_failures >= OFTEN:
        why = f"fails {figures.failed} of {figures.reviews} times"
    elif figures.is_leech:
        why = f"a leech with {counted(figures.lapses, 'lapse')}"
    elif figures.seconds is not None and figures.seconds >= SLOW:
        why = f"takes {figures.seconds:.0f} s"
    else:
        return ""
    if similar:
        place = similar.location
        return f"{why}; easily confused with {place.path}:{place.line}: ask both so that they differ"
    return f"{why}; {_advice(note, figures, numbers)}"


def _advice(note: Note, figures: Figures, numbers: Sequence[int]) -> str:
    """Return advice on the card that fails most, or on what makes the text of all cards hard."""
    worst = max(figures.by_card, key=lambda each: Figures(*figures.by_card[each]).likely_failures, default=0)
    reviews, failed = figures.by_card.get(worst, (0, 0))
    others, failed_others = figures.reviews - reviews, figures.failed - failed
    name, fix = _card_advice(note, worst, numbers)
    is_one = len(figures.by_card) < 2 or not failed
    # The others fail at most half as often.
    if not is_one and reviews >= FEWEST and 2 * failed_others * reviews <= failed * others:
        return f"{name} fails {failed} of {reviews} times, the rest {failed_others} of {others}: {fix}"
    if hard := _hard_text(note):
        return hard
    if note.kind.is_cloze and not is_one:
        return f"{name} fails most, {failed} of {reviews} times: {fix}"
    if note.kind is Kind.CLOZE:
        return "ask more precisely" if _hinted(note) else "give the deletion a hint: `{{c1::text::hint}}`"
    return "ask more precisely" if note.hint else "add a hint, or ask more precisely"


def _card_advice(note: Note, ordinal: int, numbers: Sequence[int]) -> tuple[str, str]:
    """Return what to call a card of a note, and how to fix it."""
    number = ordinal + 1
    if note.kind.asks_items:
        name = f"item {numbers.index(number) + 1}" if number in numbers else f"c{number}"
        return name, "divide it" if note.hint else "add a hint, or divide it"
    if note.kind is Kind.CLOZE:
        hint = "" if number in _hinted(note) else "a hint, or "
        return f"c{number}", f"give it {hint}a note of its own"
    if note.kind is Kind.REVERSED:
        return (
            ("the reversed card", "use `kind=basic`") if ordinal else ("the first card", "ask more precisely")
        )
    return f"card {number}", "look at its template"


def _hinted(note: Note) -> set[int]:
    """Return the numbers of the deletions of a cloze that have a hint."""
    return {*map(int, _HINTED.findall(note.answer.markdown + note.heading.markdown))}


def _hard_text(note: Note) -> str:
    """Return advice on making a note easier, based on what makes its text hard; empty if nothing does."""
    text, _ = read(note)
    answer = text.part("answer")
    is_recalled = note.kind is not Kind.CHOICE and not note.kind.is_cloze
    if is_recalled and (items := len(_ITEM.findall(note.answer.markdown))) >= _MANY:
        return f"{items} items to recall: ask for one of them"
    if (words := _words_to_recall(text)) >= _MUCH:
        return f"{words} words to recall: split it"
    lines = sum(len(code.rows) for code in answer.codes if code.language != "output")
    if is_recalled and lines >= _MUCH_CODE:
        return f"{lines} lines of code to recall: ask for one of them"
    if (words := text.heading.words + text.part("question").words) >= _LONG:
        return f"{words} words to read: shorten the question"
    if note.choices:
        return _choice_advice(note.choices)
    sentences = sum(len(_SENTENCE_END.findall(passage.plain)) for passage in answer.passages)
    if is_recalled and sentences >= _SEVERAL:
        return f"{sentences} sentences to recall: move what is not asked to `### Details`"
    return ""


def _choice_advice(choices: Sequence[Choice]) -> str:
    """Return advice on making the options of a choice easier."""
    if (right := sum(choice.correct for choice in choices)) > 1:
        return f"{right} right options: ask for one"
    if len(choices) > _MOST_OPTIONS:
        return f"{len(choices)} options: leave out the weakest"
    if bare := sum(not (choice.correct or choice.comment) for choice in choices):
        return f"{counted(bare, 'wrong option')} without a comment: say why"
    return "make the wrong options easier to tell from the right one"


def similar_failures(notes: Mapping[str, Note], figures: Mapping[str, Figures]) -> dict[str, Note]:
    """Return, by GUID, the note that is easily confused with each note, if both often fail.

    Its question shares most of the words that matter, or its text to type is nearly the same.
    """
    words = {guid: frozenset(_WORD.findall(note.title.casefold())) for guid, note in notes.items()}
    counts = Counter(word for some in words.values() for word in some)
    weights = {word: log(1 + len(notes) / count) for word, count in counts.items()}
    known = [guid for guid in notes if figures[guid].reviews >= FEWEST]
    failing = [guid for guid in known if figures[guid].likely_failures >= OFTEN]
    typed = {guid: notes[guid].typed.casefold() for guid in failing[:_MOST_TYPED]}
    found = {}
    for guid in failing:
        shares = {
            other: max(
                _share(words[guid], words[other], weights),
                _likeness(typed.get(guid, ""), typed.get(other, "")),
            )
            for other in failing
            if other != guid
        }
        nearest = max(shares, key=shares.__getitem__, default="")
        if nearest and shares[nearest] >= _SIMILAR:
            found[guid] = notes[nearest]
    return found


def _share(words: AbstractSet[str], others: AbstractSet[str], weights: Mapping[str, float]) -> float:
    """Return the share of common words in all words of two questions."""
    common = words & others
    if 3 * len(common) < len(words):  # one rare word in common is not enough
        return 0
    both = sum(map(weights.__getitem__, common))
    return both / (both + sum(map(weights.__getitem__, words ^ others)) or 1)


def _likeness(one: str, other: str) -> float:
    """Return at least `_SIMILAR` if two texts to type are easily confused, and more the more they are."""
    if not (one and other) or max(len(one), len(other)) > _LONGEST_TYPED:
        return 0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < _SIMILAR_TYPED or matcher.quick_ratio() < _SIMILAR_TYPED:
        return 0
    return matcher.ratio() - _SIMILAR_TYPED + _SIMILAR


def _words_to_recall(text: Reading) -> int:
    """Return the number of words to recall in the answer, or in the longest deletion of a cloze."""
    match text.note.kind:
        case Kind.CHOICE:
            return 0
        case Kind.CLOZE:
            return max(_deleted(text), default=0)
        case Kind.SEQUENCE | Kind.SET:
            return max(len(item.markdown.split()) for item in text.note.items)
        case _:
            return text.part("answer").words


def _deleted(text: Reading) -> Iterator[int]:
    for passage in (text.heading, *text.part("answer").passages):
        for span in passage.hidden:
            yield len(passage.plain[span.inner : span.inner_end].split())


AHEAD = 30
"""The number of days in the forecast."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A note with its reviews; `reason` says why to fix it, or is empty."""

    guid: str
    note: Note
    figures: Figures
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """The reviews of a collection's notes, in a `language`; `packages` were read."""

    name: str
    packages: int
    notes: tuple[Reviewed, ...]
    language: str = ""

    @property
    def reviewed(self) -> int:
        """The number of notes with reviews."""
        return sum(bool(note.figures.reviews) for note in self.notes)

    @property
    def kept(self) -> Figures:
        """The number of reviews of all notes together, and of those that failed."""
        return _kept(self.notes)

    @property
    def topics(self) -> dict[str, Figures]:
        """The same for each deck, sorted by deck name."""
        decks: dict[str, list[Reviewed]] = defaultdict(list)
        for note in self.notes:
            decks[note.note.deck].append(note)
        return {deck: _kept(some) for deck, some in sorted(decks.items())}

    @property
    def forecast(self) -> tuple[int, ...]:
        """The number of cards due on each day from today; today includes all overdue cards."""
        dues = Counter(due for note in self.notes for due in note.figures.dues)
        return tuple(dues[day] for day in range(AHEAD))


def _kept(notes: Iterable[Reviewed]) -> Figures:
    figures = [note.figures for note in notes]
    return Figures(sum(figure.reviews for figure in figures), sum(figure.failed for figure in figures))


@dataclass(frozen=True, slots=True)
class Studied:
    """The notes to report on, and the numbers of their items, by GUID.

    `note_types` are the ids of their note types in Anki. `language` is that of their collections; empty if
    it is unknown or they have several.
    """

    name: str
    notes: dict[str, Note]
    note_types: tuple[int, ...] = ()
    language: str = ""
    numbers: dict[str, Sequence[int]] = field(default_factory=dict)


def summarise(ours: Studied, histories: Iterable[CardHistory], packages: int) -> ReviewSummary:
    """Return the summary of all notes with the reviews of their cards."""
    cards = by_note(histories)
    figures = {guid: figures_of(cards.get(guid, ())) for guid in ours.notes}
    similar = similar_failures(ours.notes, figures)
    revieweds = []
    for guid, note in ours.notes.items():
        reason = reason_for(note, figures[guid], similar.get(guid), ours.numbers.get(guid, ()))
        revieweds.append(Reviewed(guid, note, figures[guid], reason))
    return ReviewSummary(ours.name, packages, tuple(sorted(revieweds, key=_urgency)), ours.language)


def _urgency(each: Reviewed) -> tuple[object, ...]:
    """Return the sort key: a reason comes first, then reviews, likely failures, lapses and slow answers."""
    figures = each.figures
    return (
        not each.reason,
        not figures.reviews,
        -figures.likely_failures,
        -figures.lapses,
        -(figures.seconds or 0),
        each.note.location,
    )


def studied(workspace: Workspace) -> tuple[Studied | None, list[Diagnostic]]:
    """Return the notes to report on, or `None` and the errors if the sources have any.

    Raises SourceChangedError if a source was saved meanwhile.
    """
    wrong = errors_in(workspace.diagnostics)
    name = ", ".join(each.collection.config.name for each in workspace.contents)
    types = (kind.id for each in workspace.contents for kind in each.note_types if kind.id)
    languages = {each.collection.config.language for each in workspace.contents}
    found = Studied(name, {}, tuple(types), languages.pop() if len(languages) == 1 else "")
    for contents in workspace.contents if not wrong else ():
        lock, diagnostics = contents.published.lock()
        if lock is None:
            wrong += errors_in(diagnostics)
            continue
        found.numbers.update((record.guid, live_numbers(record.items)) for record in lock.records)
        guids = contents.published.guids(lock)  # as a build uses them
        for source in contents.selected:
            found.notes.update(zip(guids[source.span], contents.notes_of(source), strict=True))
    return None if wrong else found, wrong


def review(
    ours: Studied, packages: Iterable[Path], progress: Progress
) -> tuple[ReviewSummary, list[Diagnostic]]:
    """Return a summary of all reviews in packages, and warnings about packages without any.

    Raises:
        NotImportableError: a package cannot be read.

    """
    histories: list[CardHistory] = []
    diagnostics = []
    files = list(packages)
    for number, file in enumerate(files):
        progress("Reading", number, len(files))
        diagnostics += _read(file, ours, histories)
    return summarise(ours, histories, len(files)), diagnostics


def _read(file: Path, ours: Studied, histories: list[CardHistory]) -> list[Diagnostic]:
    """Add a package's cards to `histories` if their notes are in the sources."""
    has_any = has_ours = False
    with open_package(file) as package:
        for card_history in card_histories(package):
            has_any |= bool(card_history.answers)
            if card_history.guid in ours.notes:
                has_ours |= bool(card_history.answers)
                histories.append(card_history)
    if has_ours:
        return []
    message, fix = "no reviews in the package", "export the deck again with scheduling information"
    if has_any:
        message = "no reviews of notes in these sources"
        fix = "run the command in the folder of the deck that was studied"
    return [remark(package.path, "no-reviews", message, fix)]
