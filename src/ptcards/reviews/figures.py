"""The reviews of a note as numbers, added up over its cards and learners."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from ptcards.importing.history import CardHistory

_FAILED = 1
"""The button *Again*."""
# The expectation before a note's first review: one in ten fails, as with Anki's default retention.
_EXPECTED_FAILED = 1
_EXPECTED = 10


@dataclass(frozen=True, slots=True)
class Figures:
    """The reviews of a note, added up.

    `reviews` is the number of reviews that count for true retention, `failed` that of those answered *Again*,
    and `lapses` Anki's count for its cards. `dues` are the days until its cards are due.
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
        """The likely share of failing reviews, given their number: 1 of 1 counts less than 9 of 10."""
        return (self.failed + _EXPECTED_FAILED) / (self.reviews + _EXPECTED)


class Histories:
    """The cards of all learners, without duplicates from several packages."""

    def __init__(self) -> None:
        self._cards: dict[tuple[int, int], CardHistory] = {}

    def add(self, card: CardHistory) -> None:
        """Add a card; of two exports by the same learner, the longer history is kept."""
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
