"""All notes with what reviews say of them, what to fix first on top; and the whole in figures."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ptcards.notes import Note
from ptcards.reviews.advice import reason_for
from ptcards.reviews.figures import Figures, Histories, figures_of

AHEAD = 30
"""Days of the forecast."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A note with what reviews say of it; `reason` is why to fix it, empty if there is none."""

    guid: str
    note: Note
    figures: Figures
    reason: str


@dataclass(frozen=True, slots=True)
class Kept:
    """Of how many reviews how many failed: of a topic, or of everything."""

    name: str
    reviews: int
    failed: int

    @property
    def retention(self) -> float | None:
        """The true retention, `None` without reviews."""
        return 1 - self.failed / self.reviews if self.reviews else None


@dataclass(frozen=True, slots=True)
class Summary:
    """What reviews say of the notes of a collection; `packages` is how many were read."""

    name: str
    packages: int
    notes: tuple[Reviewed, ...]

    @property
    def reviewed(self) -> int:
        """How many notes have reviews."""
        return sum(bool(each.figures.reviews) for each in self.notes)

    @property
    def kept(self) -> Kept:
        """All reviews."""
        return _kept(self.name, self.notes)

    @property
    def topics(self) -> tuple[Kept, ...]:
        """The reviews of each deck, in the order of the decks' names."""
        decks: dict[str, list[Reviewed]] = {}
        for each in self.notes:
            decks.setdefault(each.note.deck, []).append(each)
        return tuple(_kept(deck, some) for deck, some in sorted(decks.items()))

    @property
    def forecast(self) -> tuple[int, ...]:
        """How many cards come on each of the next days; the first is today, with all that wait already."""
        dues = Counter(due for each in self.notes for due in each.figures.dues)
        return tuple(dues[day] for day in range(AHEAD))


def _kept(name: str, notes: Iterable[Reviewed]) -> Kept:
    figures = [each.figures for each in notes]
    return Kept(name, sum(each.reviews for each in figures), sum(each.failed for each in figures))


def summarise(name: str, notes: Mapping[str, Note], histories: Histories, packages: int) -> Summary:
    """Return all notes, by GUID, with the reviews of their cards."""
    cards = histories.by_note()
    found = []
    for guid, note in notes.items():
        figures = figures_of(cards.get(guid, ()))
        found.append(Reviewed(guid, note, figures, reason_for(note, figures)))
    return Summary(name, packages, tuple(sorted(found, key=_urgency)))


def _urgency(each: Reviewed) -> tuple[object, ...]:
    """Return what sorts notes by what to fix first: with a reason, reviewed, failing most, slowest."""
    figures = each.figures
    return (
        not each.reason,
        not figures.reviews,
        -figures.likely_failures,
        -figures.lapses,
        -(figures.seconds or 0),
        each.note.location,
    )
