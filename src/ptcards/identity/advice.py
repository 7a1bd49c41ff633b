"""Advice about how notes were matched, so that learners never lose reviews silently.

Each piece of advice appears once, in the build whose result the lock will record.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from operator import itemgetter
from pathlib import PurePath
from typing import NamedTuple, TypeVar

from ptcards.diagnostics import Diagnostic, Location, Trait, counted, error, hint, warning
from ptcards.diagnostics.layout import limited
from ptcards.identity.hashes import SHORTEST, NoteSummary, likeness
from ptcards.identity.heading_likeness import Headings
from ptcards.identity.lock import (
    Fingerprint,
    Lock,
    Record,
    as_id,
    deck_key,
    guid_as_id,
    id_of,
    place,
    place_and_answer,
    place_and_question,
    text,
)
from ptcards.identity.match import REWORDED, Matching, match

Earlier = Callable[[str], Sequence[NoteSummary]]
"""Returns what a source, by its path, contained in the last commit or release; nothing if that is unknown."""


def unknown(_path: str) -> Sequence[NoteSummary]:
    """Return nothing: what a source contained before is not known."""
    return ()


@dataclass(frozen=True)
class Outcome:
    """The result of matching.

    `prints` are the fingerprints of `notes`, `matching` uses the positions in `notes`, and `chosen` are the
    positions to build. `earlier` returns the notes of a source as they were before, in order; `foreign` are
    the sources written for other programs.
    """

    lock: Lock
    notes: Sequence[NoteSummary]
    prints: Sequence[Fingerprint]
    matching: Matching
    chosen: Sequence[int]
    earlier: Earlier
    foreign: Container[str]

    @property
    def found(self) -> Mapping[int, Record]:
        """The matched records by the positions of their notes."""
        return self.matching.found

    @property
    def headings(self) -> Headings:
        """The headings of both releases."""
        return self.matching.headings

    @property
    def fresh(self) -> list[int]:
        """The positions to build that have no record."""
        return [position for position in self.chosen if position not in self.found]

    @cached_property
    def gone(self) -> list[Record]:
        """The live records whose notes were not found in the sources.

        A record whose id two notes have was not found either, but one of them is its note.
        """
        taken = {record.guid for record in self.found.values()}
        ids = {(note.note_type, note.id.casefold()) for note in self.prints if note.id}
        left = (record for record in self.lock.records if record.live and record.guid not in taken)
        return [record for record in left if id_of(record) not in ids]

    @property
    def retired(self) -> list[Record]:
        """The retired records whose notes have not returned."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if not record.live and record.guid not in taken]

    def is_named(self, position: int) -> bool:
        """Whether a note has an id that the lock knows, so that its author has decided which note it is."""
        return self.prints[position].id.casefold() in self._known_ids

    @cached_property
    def _known_ids(self) -> frozenset[str]:
        ids = {record.fingerprint.id.casefold() for record in self.lock.records} - {""}
        return frozenset(ids | {guid_as_id(record.guid).casefold() for record in self.lock.records})

    @cached_property
    def common_answers(self) -> frozenset[Hashable]:
        """Keys of answers that several notes of a deck share, such as `True`: they identify no note."""
        before = Counter(place_and_answer(record.fingerprint) for record in self.lock.records if record.live)
        now = Counter(map(place_and_answer, self.prints))
        return frozenset(answer for count in (before, now) for answer, times in count.items() if times > 1)


def quoted(heading: str) -> str:
    """Return a heading for use in a message."""
    plain = heading.replace("`", "")
    return f"`{plain if len(plain) <= 80 else plain[:79] + '…'}`"


ANOTHER_CARD = "a different card? restore `deck.lock`, give the card its own id and build again"
MOST_LISTED = 20


class Recognised(NamedTuple):
    """A note's question before and after the change, and `how` the note was recognised.

    `length` is the length of its heading line.
    """

    location: Location
    before: str
    after: str
    how: str
    length: int


def how_recognised(before: Fingerprint, after: Fingerprint) -> str:
    """Return how a note was recognised: by the same answer, or by a similar one."""
    return "same answer" if before.answer == after.answer else "answer edited"


def find_recognised(
    matching: Matching, notes: Sequence[NoteSummary], chosen: Sequence[int]
) -> tuple[tuple[Recognised, ...], int]:
    """Return the notes matched by similarity, and the number of others that differ only in typography."""
    taken = [position for position in chosen if position in matching.recognised]
    found = []
    for position in taken:
        note, old = notes[position], matching.found[position].fingerprint
        new = note.fingerprint
        if not matching.headings.differ_in_typography_only(old.heading, new.heading):
            how = how_recognised(old, new)
            found.append(Recognised(note.heading_place, old.heading, new.heading, how, note.heading_length))
    return tuple(sorted(found)), len(taken) - len(found)


def list_recognised(recognised: Sequence[Recognised], respelt: int) -> Iterator[str]:
    """Yield the lines that a build prints about recognised notes.

    `respelt` is the number of notes that differ only in typography.
    """
    if recognised:
        yield f"recognised {counted(len(recognised), 'note')} after rewording:"
    lines = [f'  {each.location}  "{each.before}" -> "{each.after}"  ({each.how})' for each in recognised]
    yield from limited(lines, MOST_LISTED, "  and {} more; `ptcards diff` lists them all".format)
    if respelt:
        yield f"recognised {counted(respelt, 'note')} with changed typography"
    if recognised:
        yield ANOTHER_CARD


def warn_of_recognised(recognised: Sequence[Recognised]) -> Iterator[Diagnostic]:
    """Yield a hint for each recognised note, before a build treats it as the published one."""
    for each in recognised:
        yield hint(
            each.location,
            "recognised-note",
            f"recognised as {quoted(each.before)} ({each.how})",
            "if this is a different card, give it its own `id` before you build",
            length=each.length,
        )


MOST_TOGETHER = 3
"""The maximum number of notes between two neighbours that are paired with others."""

T = TypeVar("T")


def find_replaced(outcome: Outcome) -> Mapping[int, Sequence[Record]]:
    """Return the gone records that were where each new note is now, the most likely one first.

    The sources as they were before tell where a gone note was. Of one that they lack, only the deck is known:
    it is paired with a new note if each is the only one in that deck.
    """
    gone = {record.guid: record for record in outcome.gone}
    fresh = [position for position in outcome.fresh if not outcome.is_named(position)]
    if not gone or not fresh:
        return {}
    paths = dict.fromkeys(outcome.notes[position].location.path for position in fresh)
    before = [(path, note) for path in paths for note in outcome.earlier(path)]
    known = match([note for _, note in before], outcome.lock.records).found if before else {}
    orders: dict[str, list[str]] = defaultdict(list)
    for number, (path, _) in enumerate(before):
        if number in known:
            orders[path].append(known[number].guid)
    positions: dict[str, list[int]] = defaultdict(list)
    for position, note in enumerate(outcome.notes):
        positions[note.location.path].append(position)
    replaced: dict[int, Sequence[Record]] = {}
    for path, order in orders.items():
        replaced |= _between_neighbours(outcome, positions[path], order, gone, frozenset(fresh))
    placed = {record.guid for record in known.values()}
    unplaced = [record for guid, record in gone.items() if guid not in placed]
    alone = [position for position in fresh if position not in replaced]
    return replaced | dict(_only_ones(outcome, alone, unplaced))


def _between_neighbours(
    outcome: Outcome,
    here: Sequence[int],
    order: Sequence[str],
    gone: Mapping[str, Record],
    fresh: Container[int],
) -> Mapping[int, Sequence[Record]]:
    """Return the pairs in a source.

    `here` are the positions of its notes, and `order` the GUIDs of those that it had before.
    """
    guids = {position: outcome.found[position].guid for position in here if position in outcome.found}
    stayed = _in_order(order, [guids[position] for position in here if position in guids])
    then = _between([(guid, guid if guid in stayed else "") for guid in order])
    now = _between([(each, guid if (guid := guids.get(each, "")) in stayed else "") for each in here])
    found: dict[int, Sequence[Record]] = {}
    for neighbours, positions in now.items():
        new = [position for position in positions if position in fresh]
        old = [gone[guid] for guid in then.get(neighbours, ()) if guid in gone]
        for index, position in enumerate(new):
            kind = outcome.prints[position].note_type
            near = [record for record in old if record.fingerprint.note_type == kind]
            near.sort(key=lambda record: abs(old.index(record) - index))
            if near and max(len(new), len(old)) <= MOST_TOGETHER:
                found[position] = near
    return found


def _in_order(before: Sequence[str], now: Sequence[str]) -> frozenset[str]:
    """Return the GUIDs in both lists that follow each other in the same order, without those that moved."""
    both = {*before} & {*now}
    then = [guid for guid in before if guid in both]
    blocks = SequenceMatcher(None, then, [g for g in now if g in both], autojunk=False).get_matching_blocks()
    return frozenset(guid for block in blocks for guid in then[block.a : block.a + block.size])


def _between(notes: Iterable[tuple[T, str]]) -> Mapping[tuple[str, str], Sequence[T]]:
    """Return what is between neighbours; `notes` come with their GUID if they are neighbours, else empty."""
    found: dict[tuple[str, str], Sequence[T]] = {}
    before = ""
    between: list[T] = []
    for each, neighbour in notes:
        if neighbour:
            found[before, neighbour] = between
            before, between = neighbour, []
        else:
            between.append(each)
    found[before, ""] = between
    return found


def _only_ones(
    outcome: Outcome, fresh: Iterable[int], gone: Iterable[Record]
) -> Iterator[tuple[int, Sequence[Record]]]:
    """Yield the only new note of each deck with the deck's only gone record."""
    new: dict[tuple[str, str], list[int]] = defaultdict(list)
    old: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for position in fresh:
        new[place(outcome.prints[position])].append(position)
    for record in gone:
        old[place(record.fingerprint)].append(record)
    for where, positions in new.items():
        if len(positions) == len(old.get(where, ())) == 1:
            yield positions[0], old[where]


SAME_HEADING = 0.8
"""The minimum similarity of headings if the answers are too different to count."""
PART_OF_ANSWER = 0.25
"""The minimum similarity for answers to count."""
MOST_OF_ANSWER = 0.6
"""The minimum similarity for answers to count even if the headings differ."""
MOST_PAIRS = 40_000
"""The maximum number of pairs of new and gone notes to compare in one deck."""
MOST_PAIRS_IN_ALL = 1_000_000
"""The same limit for a collection."""
MOST_SAME = 50
"""The maximum number of gone notes with the same answer whose headings are compared with a new note's."""
CANDIDATES = 3

_Place = tuple[str, str]


class Resemblance(NamedTuple):
    """A new note, by its position, and the gone records that it may be, the most likely one first.

    `is_back` means that the note returned after being retired. If it is not `is_alike`, only its place speaks
    for the records.
    """

    position: int
    records: Sequence[Record]
    is_back: bool
    is_alike: bool


def find_resemblances(outcome: Outcome) -> tuple[list[Resemblance], list[Diagnostic]]:
    """Return the new and returning notes that may be gone ones, and warnings about too many notes to compare.

    Only the author knows whether it is the same note. With an id that the lock knows, the author has said so.
    """
    gone = [*outcome.gone, *(record for record in outcome.matching.doubtful if not record.live)]
    back = {position for position, record in outcome.found.items() if not record.live}
    fresh: dict[_Place, list[int]] = defaultdict(list)
    for position in outcome.chosen:
        is_new = position in back or position not in outcome.found
        if is_new and not outcome.is_named(position):
            fresh[place(outcome.prints[position])].append(position)
    retired = outcome.retired if fresh else []
    resemblances: list[Resemblance] = []
    if not gone and not retired:
        return resemblances, []
    replaced = find_replaced(outcome)
    counts = {where: len(positions) for where, positions in fresh.items()}
    candidates = _Candidates(gone, counts, outcome.headings)
    earlier = _Candidates(retired, counts, outcome.headings)
    untold: dict[_Place, list[int]] = defaultdict(list)
    for where, positions in fresh.items():
        for position in positions:
            note = outcome.notes[position]
            records = candidates.of(note, common=outcome.common_answers)
            if not records and position not in back:
                records = earlier.of(note)
            in_place = [each for each in replaced.get(position, ()) if each not in records]
            if records or in_place:
                both = (*records, *in_place)
                resemblances.append(Resemblance(position, both, position in back, is_alike=bool(records)))
            else:
                untold[where].append(position)
    return resemblances, list(_too_many(outcome, untold, candidates.too_many))


def _too_many(
    outcome: Outcome, untold: Mapping[_Place, Sequence[int]], gone: Mapping[_Place, int]
) -> Iterator[Diagnostic]:
    """Yield a warning for each deck with too many new and `gone` notes to compare."""
    for where, positions in untold.items():
        if where in gone:
            note, deck = outcome.notes[positions[0]], outcome.prints[positions[0]].deck
            yield warning(
                note.heading_place,
                "maybe-reworded",
                f"too many notes in `{deck}` to match: {len(positions)} new, {gone[where]} gone",
                "to keep reviews, restore the old text, give each note an `id` and build; then reword",
                length=note.heading_length,
                traits=Trait.QUESTION,
            )


def _ask_all(outcome: Outcome, resemblances: Sequence[Resemblance]) -> Iterator[Diagnostic]:
    """Yield a question for each resemblance; notes that resemble the same one name each other."""
    resembling: dict[str, list[int]] = defaultdict(list)
    for each in resemblances:
        for record in each.records:
            resembling[record.guid].append(each.position)
    for each in resemblances:
        rivals = {position for record in each.records for position in resembling[record.guid]}
        yield _ask(outcome, each, sorted(rivals - {each.position}))


def _ask(outcome: Outcome, resemblance: Resemblance, rivals: Sequence[int]) -> Diagnostic:
    """Return the question whether a note is one of those that it resembles, as its `rivals` do."""
    note, records = outcome.notes[resemblance.position], resemblance.records
    headings = " or ".join(quoted(record.fingerprint.heading) for record in records)
    what = "back after being retired" if resemblance.is_back else "new to learners"
    old_id = records[0].fingerprint.id
    cure = _cure(records, is_foreign=note.location.path in outcome.foreign)
    only = "this is the same note"
    if rivals:
        place = outcome.notes[rivals[0]].location
        others = f"{place.path}:{place.line}" if len(rivals) == 1 else f"one of {len(rivals)} others"
        only = f"this and not {others} is the same note"
    fix = f"if {only}, {cure} to keep the reviews; if not, do nothing"
    say, rule, message = warning, "maybe-reworded", f"this note is {what}, but resembles one that is gone"
    if not resemblance.is_alike:
        say, rule, message = hint, "possible-pair", f"this note is {what}, and may replace one that is gone"
    elif old_id:
        rule, message = "changed-id", f"this note is {what}, but resembles `id={old_id}`, which is gone"
    said = f"{message}: {headings}"
    return say(note.heading_place, rule, said, fix, note.heading_length, traits=Trait.QUESTION)


def _cure(records: Sequence[Record], *, is_foreign: bool) -> str:
    """Return what an author does to keep the reviews; notes for other programs have no card comment."""
    if is_foreign:
        return "run `ptcards keep`, which prints a line for `deck.lock`,"
    ids = " or ".join(f"`id={as_id(record)}`" for record in records)
    order = " (in the same order, most likely first)" if len(records) > 1 else ""
    return f"run `ptcards keep` or add {ids}{order} to its card comment"


class _Candidates:
    """Finds gone notes that may be the same as a new one, by an equal part or a similar heading and answer.

    In decks that have `too_many` gone notes to compare with the new ones, only equal parts count.
    """

    def __init__(self, gone: Iterable[Record], fresh: Mapping[_Place, int], headings: Headings) -> None:
        self._headings = headings
        self._by_part: dict[Hashable, list[Record]] = defaultdict(list)
        self._by_place: dict[_Place, list[Record]] = defaultdict(list)
        for record in gone:
            self._by_place[place(record.fingerprint)].append(record)
            for part in _parts(record.fingerprint):
                self._by_part[part].append(record)
        self.too_many: dict[_Place, int] = {}
        compared = 0
        for where, count in fresh.items():
            pairs = count * len(self._by_place[where])
            if pairs > MOST_PAIRS or compared + pairs > MOST_PAIRS_IN_ALL:
                self.too_many[where] = len(self._by_place[where])
            else:
                compared += pairs

    def of(self, note: NoteSummary, common: Container[Hashable] | None = None) -> list[Record]:
        """Return a few candidates, most likely first.

        A short answer only counts if the heading is similar, or if no other note of the deck has it: if it is
        not one of the `common` ones. Without those, every short answer counts as common.
        """
        fingerprint, is_long = note.fingerprint, note.answer_words >= SHORTEST
        question_here, answer_here, question, answer = _parts(fingerprint)
        is_rare = common is not None and place_and_answer(fingerprint) not in common
        records = [
            *self._equal(question_here, fingerprint, is_telling=True),
            *self._equal(answer_here, fingerprint, is_telling=is_long or is_rare),
            *self._equal(question, fingerprint, is_telling=True),
            *self._equal(answer, fingerprint, is_telling=is_long),
            *self._shorter(note, common),
            *self._alike(fingerprint),
        ]
        return list(dict.fromkeys(records))[:CANDIDATES]

    def _shorter(self, note: NoteSummary, common: Container[Hashable] | None) -> Iterator[Record]:
        """Yield records of the deck whose short answer grew to that of a note."""
        fingerprint = note.fingerprint
        for shorter in note.shorter_answers():
            key = place_and_answer(fingerprint._replace(answer=shorter))
            is_rare = common is not None and key not in common
            yield from self._equal(("answer", key), fingerprint, is_telling=is_rare)

    def _equal(self, part: Hashable, said: Fingerprint, *, is_telling: bool) -> list[Record]:
        """Return a few records that share a part, with the most similar heading first.

        Unless the part is distinctive, headings must be similar.
        """
        found = [
            (-self._headings.likeness(record.fingerprint.heading, said.heading), record)
            for record in self._by_part.get(part, ())[:MOST_SAME]
            if is_telling or self._headings.shared(record.fingerprint.heading, said.heading) >= REWORDED
        ]
        return [record for _, record in sorted(found, key=itemgetter(0))][:CANDIDATES]

    def _alike(self, said: Fingerprint) -> list[Record]:
        """Return the records of the deck that are worth asking about, most similar first."""
        where = place(said)
        gone = () if where in self.too_many else self._by_place.get(where, ())
        scored = [(score, record) for record in gone if (score := self._likeness(said, record.fingerprint))]
        return [record for _, record in sorted(scored, key=lambda pair: -pair[0])]

    def _likeness(self, new: Fingerprint, old: Fingerprint) -> float:
        """Return how similar two notes are in heading and answer; 0 if they are not worth asking about."""
        answers = likeness(old.sketch, new.sketch)
        headings = self._headings.likeness(old.heading, new.heading)
        if answers < PART_OF_ANSWER:
            is_asked = headings >= SAME_HEADING and not self._headings.names_another(old.heading, new.heading)
        else:
            is_asked = headings >= REWORDED or answers >= MOST_OF_ANSWER
        return headings + answers if is_asked else 0.0


def _parts(said: Fingerprint) -> tuple[Hashable, Hashable, Hashable, Hashable]:
    """Return the parts to compare: question and answer in their deck, then both in any deck."""
    return (
        ("question", place_and_question(said)),
        ("answer", place_and_answer(said)),
        ("question", said.note_type, said.question),
        ("answer", said.note_type, said.answer),
    )


DAY = 86_400
_YEAR_2100 = 4_102_444_800
"""Its beginning, in Unix seconds."""


def advise(outcome: Outcome, now: int | None) -> tuple[list[Diagnostic], list[Resemblance]]:
    """Return all advice, and the notes that it asks about.

    `now` is the time (Unix seconds), or None if the clock was not read.
    """
    resemblances, too_many = find_resemblances(outcome)
    advice = [
        *_about_the_clock(outcome, now),
        *_about_the_lock(outcome, now),
        *_renamed_collection(outcome),
        *_moved_notes(outcome),
        *_changed_types(outcome),
        *_revived(outcome),
        *_stolen_ids(outcome),
        *_ask_all(outcome, resemblances),
        *too_many,
        *_copies(outcome),
    ]
    return advice, resemblances


def _about_the_clock(outcome: Outcome, now: int | None) -> Iterator[Diagnostic]:
    if now is None or now < _YEAR_2100 or not outcome.chosen:
        return
    lock = outcome.lock.shown
    restored = ", restore `deck.lock`" if lock else ""
    yield warning(
        Location(lock or outcome.notes[outcome.chosen[0]].location.path, 1),
        "far-future-clock",
        "the clock is past the year 2100",
        f"correct this machine's clock or `SOURCE_DATE_EPOCH`{restored} and build again",
        traits=Trait.FLEETING,
    )


def _about_the_lock(outcome: Outcome, now: int | None) -> Iterator[Diagnostic]:
    lock = outcome.lock
    if not lock.shown:
        return
    newest = max((record.mod for record in lock.records), default=0)
    if now is not None and newest - now > DAY:
        yield warning(
            Location(lock.shown, 1),
            "lock-ahead-of-clock",
            f"the newest note is dated {counted((newest - now) // DAY, 'day')} in the future",
            (
                "correct this machine's clock or `SOURCE_DATE_EPOCH`; until then, each build dates its "
                "changes one second after the newest note"
            ),
            traits=Trait.FLEETING,
        )


def _renamed_collection(outcome: Outcome) -> Iterator[Diagnostic]:
    before, after = _roots(outcome)
    if not outcome.lock.shown or not _is_renamed(before, after):
        return
    old, new = before.pop(), after.pop()
    yield warning(
        Location(PurePath(outcome.lock.shown).with_name("deck.toml").as_posix(), 1),
        "renamed-collection",
        f"the collection is now called `{new}`; learners know it as `{old}`",
        f"keep the name, or ask learners to rename the deck to `{new}` in Anki before they import",
    )


def _roots(outcome: Outcome) -> tuple[set[str], set[str]]:
    before = {record.fingerprint.deck for record in outcome.lock.records if record.live}
    after = {fingerprint.deck for fingerprint in outcome.prints}
    return {_levels(deck)[0] for deck in before}, {_levels(deck)[0] for deck in after}


def _is_renamed(before: set[str], after: set[str]) -> bool:
    return len(before) == len(after) == 1 and not set(map(deck_key, before)) & set(map(deck_key, after))


def _levels(deck: str) -> list[str]:
    return deck.split("::")


def _moved_notes(outcome: Outcome) -> Iterator[Diagnostic]:
    moves: dict[tuple[str, str], list[NoteSummary]] = defaultdict(list)
    is_renamed = _is_renamed(*_roots(outcome))
    for position in outcome.chosen:
        record = outcome.found.get(position)
        if record is None or record.fingerprint.deck == outcome.prints[position].deck:
            continue
        old, new = record.fingerprint.deck, outcome.prints[position].deck
        if is_renamed and _levels(old)[1:] == _levels(new)[1:]:
            continue
        if deck_key(old) != deck_key(new):
            moves[old, new].append(outcome.notes[position])
    for (old, new), notes in moves.items():
        yield hint(
            notes[0].heading_place,
            "moved-notes",
            f"{counted(len(notes), 'note')} moved from `{old}` to `{new}`; learners' cards stay in `{old}`",
            "tell learners how to move them: `ptcards diff` prints the search",
            length=notes[0].heading_length,
        )


def _changed_types(outcome: Outcome) -> Iterator[Diagnostic]:
    by_id: dict[str, Record] = {}
    by_question: dict[tuple[str, str], Record] = {}
    for record in outcome.gone:
        fingerprint = record.fingerprint
        by_question[deck_key(fingerprint.deck), fingerprint.question] = record
        if fingerprint.id:
            by_id[fingerprint.id.casefold()] = record
    if not by_question:
        return
    for position in outcome.chosen:
        found = outcome.found.get(position)
        fingerprint = outcome.prints[position]
        before = by_id.get(fingerprint.id.casefold()) or by_question.get(
            (deck_key(fingerprint.deck), fingerprint.question)
        )
        if (found and found.live) or before is None or before.fingerprint.note_type == fingerprint.note_type:
            continue
        way = f"from {_named(before.fingerprint.note_type)} to {_named(fingerprint.note_type)}"
        yield warning(
            outcome.notes[position].heading_place,
            "note-type-changed",
            f"{quoted(before.fingerprint.heading)} changed {way}: Anki cannot update it",
            "keep the kind to keep the reviews; otherwise learners start again with a new note",
            length=outcome.notes[position].heading_length,
        )


def _named(note_type: str) -> str:
    own = note_type.removeprefix("x-")
    if own != note_type:
        return f"the note type `{own}`"
    return "a cloze" if note_type == "cloze" else "a question"


def _revived(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield what an id of a retired note brings back, and which note it retires or may be wrong for."""
    stand_ins = {key: record for record in outcome.gone for key in _traits(record.fingerprint)}
    for position in outcome.chosen:
        record = outcome.found.get(position)
        fingerprint, note = outcome.prints[position], outcome.notes[position]
        if record is None or record.live or not fingerprint.id:
            continue
        old = record.fingerprint
        stand_in = next((stand_ins[key] for key in _traits(fingerprint) if key in stand_ins), None)
        if stand_in:
            yield hint(
                note.heading_place,
                "revived-note",
                f"`id={fingerprint.id}` brings back {quoted(old.heading)}, "
                f"and retires its stand-in {quoted(stand_in.fingerprint.heading)}",
                "no action needed: learners get this text with the reviews of the old note",
                length=note.heading_length,
            )
        elif (
            old.question != fingerprint.question
            and old.answer != fingerprint.answer
            and outcome.headings.likeness(old.heading, fingerprint.heading) < REWORDED
        ):
            yield warning(
                note.heading_place,
                "revived-id",
                f"`id={fingerprint.id}` revives the retired note {quoted(old.heading)} and its reviews",
                "if this is a different note, use an id that was never used",
                length=note.heading_length,
            )


def _traits(said: Fingerprint) -> Iterator[Hashable]:
    """Yield what a note has in common with its stand-in, which was built before it got its id."""
    yield "question", place_and_question(said)
    if said.sketch:  # many notes share a short answer
        yield "answer", place_and_answer(said)


def _stolen_ids(outcome: Outcome) -> Iterator[Diagnostic]:
    for position in outcome.chosen:
        if position not in outcome.matching.stolen:
            continue
        note, owner = outcome.notes[position], outcome.notes[outcome.matching.stolen[position]]
        yield error(
            note.id_place or note.location,
            "id-of-another",
            f"`id={note.fingerprint.id}` belongs to the note at {owner.location}, which still exists",
            "use another id; to move the reviews here, first give that note its own id",
            length=len(f"id={note.fingerprint.id}"),
        )


def _copies(outcome: Outcome) -> Iterator[Diagnostic]:
    fresh = outcome.fresh
    if not fresh or not outcome.found:
        return
    known = {text(outcome.prints[position]): position for position in outcome.found}
    for position in fresh:
        fingerprint = outcome.prints[position]
        original = known.get(text(fingerprint))
        if original is None or deck_key(outcome.prints[original].deck) == deck_key(fingerprint.deck):
            continue
        yield hint(
            outcome.notes[position].heading_place,
            "copied-note",
            f"this note is a copy of the one at {outcome.notes[original].location}, in another deck",
            "delete the copy if one note is enough: learners get it as a separate note without reviews",
            length=outcome.notes[position].heading_length,
        )
