"""Summarises a deck: all its notes with their reviews, most urgent first, and the deck as a whole."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ptcards.notes import Note
from ptcards.reviews.figures import Figures, Histories, figures_of, reason_for

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
class Kept:
    """The number of reviews, and of those that failed, for a topic or for all notes."""

    name: str
    reviews: int
    failed: int

    @property
    def retention(self) -> float | None:
        """The true retention, or `None` without reviews."""
        return 1 - self.failed / self.reviews if self.reviews else None


@dataclass(frozen=True, slots=True)
class Summary:
    """The reviews of a collection's notes; `packages` is the number of packages that were read."""

    name: str
    packages: int
    notes: tuple[Reviewed, ...]

    @property
    def reviewed(self) -> int:
        """The number of notes with reviews."""
        return sum(bool(each.figures.reviews) for each in self.notes)

    @property
    def kept(self) -> Kept:
        """The reviews of all notes together."""
        return _kept(self.name, self.notes)

    @property
    def topics(self) -> tuple[Kept, ...]:
        """The reviews of each deck, sorted by deck name."""
        decks: dict[str, list[Reviewed]] = {}
        for each in self.notes:
            decks.setdefault(each.note.deck, []).append(each)
        return tuple(_kept(deck, some) for deck, some in sorted(decks.items()))

    @property
    def forecast(self) -> tuple[int, ...]:
        """The number of cards due on each day from today; today includes all overdue cards."""
        dues = Counter(due for each in self.notes for due in each.figures.dues)
        return tuple(dues[day] for day in range(AHEAD))


def _kept(name: str, notes: Iterable[Reviewed]) -> Kept:
    figures = [each.figures for each in notes]
    return Kept(name, sum(each.reviews for each in figures), sum(each.failed for each in figures))


def summarise(name: str, notes: Mapping[str, Note], histories: Histories, packages: int) -> Summary:
    """Return the summary of all notes with the reviews of their cards; `notes` are keyed by GUID."""
    cards = histories.by_note()
    found = []
    for guid, note in notes.items():
        figures = figures_of(cards.get(guid, ()))
        found.append(Reviewed(guid, note, figures, reason_for(note, figures)))
    return Summary(name, packages, tuple(sorted(found, key=_urgency)))


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
