"""Sums up the reviews of a note over all its cards and learners, and finds reasons to fix it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from ptcards.diagnostics import counted
from ptcards.lint.note import Reading, read
from ptcards.notes import Kind, Note
from ptcards.reviews.histories import CardHistory

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
    due.
    """

    reviews: int = 0
    failed: int = 0
    lapses: int = 0
    seconds: float | None = None
    fsrs_difficulty: float | None = None
    is_leech: bool = False
    dues: tuple[int, ...] = ()

    @property
    def retention(self) -> float | None:
        """The share of reviews that did not fail, which Anki calls true retention; `None` without reviews."""
        return 1 - self.failed / self.reviews if self.reviews else None

    @property
    def likely_failures(self) -> float:
        """The estimated share of failing reviews; 1 failure in 1 review counts less than 9 in 10."""
        return (self.failed + _EXPECTED_FAILED) / (self.reviews + _EXPECTED)


class Histories:
    """The cards of all learners; cards that are in several packages are counted once."""

    def __init__(self) -> None:
        self._cards: dict[tuple[int, int], CardHistory] = {}

    def add(self, card: CardHistory) -> None:
        """Add a card; if it is already there from the same learner, keep the longer history."""
        # Learners who imported the same package share card ids, but not the millisecond of the first answer.
        key = (card.card, card.answers[0].id if card.answers else 0)
        known = self._cards.get(key)
        if known is None or len(card.answers) > len(known.answers):
            self._cards[key] = card

    def by_note(self) -> dict[str, list[CardHistory]]:
        """Return the cards by the GUIDs of their notes."""
        found = defaultdict(list)
        for card in self._cards.values():
            found[card.guid].append(card)
        return found


def figures_of(cards: Iterable[CardHistory]) -> Figures:
    """Return the review statistics for a note's cards."""
    some = list(cards)
    reviews = [answer for card in some for answer in card.answers if answer.is_review]
    return Figures(
        len(reviews),
        sum(answer.button == _FAILED for answer in reviews),
        sum(card.lapses for card in some),
        median(answer.milliseconds for answer in reviews) / 1000 if reviews else None,
        _mean([card.fsrs_difficulty for card in some if card.fsrs_difficulty is not None]),
        any(card.is_leech for card in some),
        tuple(sorted(card.due for card in some if card.due is not None)),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


FEWEST = 5
"""The minimum number of reviews that counts as evidence."""
_OFTEN = 0.2
"""The share of failed reviews at which a note counts as failing often: twice what Anki expects."""
_SLOW = 30
"""The median number of seconds at which answers count as slow."""
_MUCH = 25
"""The number of words to recall above which a note should be split."""
_MUCH_CODE = 8
"""The number of code lines to recall above which the question should ask for only one of them."""
_LONG = 40
"""The number of words above which a question counts as long."""
_MOST_OPTIONS = 5


def reason_for(note: Note, figures: Figures) -> str:
    """Return why and how to fix a note; empty if there is no reason or too little evidence."""
    if figures.reviews < FEWEST:
        return ""
    if figures.likely_failures >= _OFTEN:
        why = f"fails {figures.failed} of {figures.reviews} times"
    elif figures.is_leech:
        why = f"a leech with {counted(figures.lapses, 'lapse')}"
    elif figures.seconds is not None and figures.seconds >= _SLOW:
        why = f"takes {figures.seconds:.0f} s"
    else:
        return ""
    return f"{why}; {_advice(note)}"


def _advice(note: Note) -> str:
    """Return advice on making a note easier, based on what makes its text hard."""
    text, _ = read(note)
    if (words := _words_to_recall(text)) >= _MUCH:
        return f"{words} words to recall: split it"
    if (lines := _code_to_recall(text)) >= _MUCH_CODE:
        return f"{lines} lines of code to recall: ask for one of them"
    if (right := sum(choice.correct for choice in note.choices)) > 1:
        return f"{right} right options: ask for one"
    if len(note.choices) > _MOST_OPTIONS:
        return f"{len(note.choices)} options: leave out the weakest"
    if (words := text.heading.words + text.part("question").words) >= _LONG:
        return f"{words} words to read: shorten the question"
    return "ask more precisely" if note.hint else "add a hint, or ask more precisely"


def _words_to_recall(text: Reading) -> int:
    """Return the number of words to recall in the answer, or in the longest deletion of a cloze."""
    match text.note.kind:
        case Kind.CHOICE:
            return 0
        case Kind.CLOZE:
            return max(_deleted(text), default=0)
        case _:
            return text.part("answer").words


def _code_to_recall(text: Reading) -> int:
    """Return the number of code lines in an answer that must be recalled."""
    if text.note.kind in (Kind.CHOICE, Kind.CLOZE):
        return 0
    return sum(len(code.rows) for code in text.part("answer").codes if code.language != "output")


def _deleted(text: Reading) -> Iterator[int]:
    for passage in (text.heading, *text.part("answer").passages):
        for span in passage.hidden:
            yield len(passage.plain[span.inner : span.inner_end].split())
