"""The reviews of a note in figures, added up over its cards and learners."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from ptcards.importing.history import CardHistory

_FAILED = 1
"""The button *Again*."""
# What is expected of a note before its first review: one in ten fails, as with Anki's default retention.
_EXPECTED_FAILED = 1
_EXPECTED = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """What reviews say of a note.

    `reviews` are those that count for true retention, `failed` those of them that were answered *Again*,
    `lapses` what Anki counts for its cards. `dues` are the days until its cards come again.
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
        """The share of reviews that were not failed, which Anki calls true retention; `None` without any."""
        return 1 - self.failed / self.reviews if self.reviews else None

    @property
    def likely_failures(self) -> float:
        """The share of reviews that fail, as far as so few say: one of one counts less than nine of ten."""
        return (self.failed + _EXPECTED_FAILED) / (self.reviews + _EXPECTED)


class Histories:
    """The cards of all learners, each once, however many packages hold it."""

    def __init__(self) -> None:
        self._cards: dict[tuple[int, int], CardHistory] = {}

    def add(self, card: CardHistory) -> None:
        """Take a card; of two exports of the same learner the longer history stays."""
        # All who imported a package share card ids; the millisecond of the first answer is a learner's own.
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
    """Return the figures of the cards of a note."""
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
