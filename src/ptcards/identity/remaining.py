"""The notes and records that are not matched yet.

Nearly all notes in a build are unchanged. They are matched first, so the later passes only look at the rest.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from ptcards.identity.lock import Fingerprint, Key, Record

T = TypeVar("T")
Pair = tuple[int, Record]
"""A note's position and its record."""


class Remaining:
    """The unmatched notes and records of a release, and the pairs that were `found`.

    `live` and `retired` are the records in each state. A record whose id is still in the sources matches only
    the note with that id.
    """

    def __init__(self, notes: Sequence[Fingerprint], records: Iterable[Record]) -> None:
        self.notes = notes
        self.live: list[Record] = []
        self.retired: list[Record] = []
        for record in records:
            (self.live if record.live else self.retired).append(record)
        self.ids = {note.id.casefold() for note in notes if note.id}
        self._found: dict[int, Record] = {}
        self._taken: set[str] = set()
        self._undecided: set[int] = set()
        self._positions: Sequence[int] = range(len(notes))

    @property
    def found(self) -> Mapping[int, Record]:
        """The matched records by the positions of their notes."""
        return self._found

    @property
    def has_notes(self) -> bool:
        """Whether any note has no record yet."""
        return len(self._found) < len(self.notes)

    def take(self, pairs: Iterable[Pair]) -> None:
        """Assign records to notes."""
        for position, record in pairs:
            self._found[position] = record
            self._taken.add(record.guid)

    def set_aside(self, positions: Iterable[int], guids: Iterable[str]) -> None:
        """Set notes and records aside for the author, so that no later pass pairs them."""
        self._undecided.update(positions)
        self._taken.update(guids)

    def settle_unchanged(self) -> None:
        """Assign live records to unchanged notes without an id, and drop everything that is matched.

        Only a question that is unique among the records and among the notes counts, so any later pass would
        find the same pair.
        """
        if not self.has_notes:
            return
        known = unique((record.fingerprint.question, record) for record in self.live)
        asked = unique((note.question, position) for position, note in enumerate(self.notes))
        self.take(
            (position, record)
            for question, position in asked.items()
            if (record := known.get(question)) is not None
            and record.fingerprint == (note := self.notes[position])
            and not note.id
            and position not in self._found
            and record.guid not in self._taken
        )
        self._positions = [position for position in self._positions if position not in self._found]
        self.live = [record for record in self.live if record.guid not in self._taken]
        self.retired = [record for record in self.retired if record.guid not in self._taken]

    def equal(self, records: Iterable[Record], key: Key, *, with_id: bool = True) -> list[Pair]:
        """Return the pairs with a common key that is unique on both sides."""
        return equal(*self.left(records, key, with_id=with_id))

    def left(
        self, records: Iterable[Record], key: Key, *, with_id: bool = True
    ) -> tuple[list[tuple[Hashable, int]], list[tuple[Hashable, Record]]]:
        """Return the remaining notes and records with their keys; both are empty if no record is left."""
        left = [
            (key(record.fingerprint), record)
            for record in records
            if record.guid not in self._taken
            and (with_id or not record.fingerprint.id)
            and record.fingerprint.id.casefold() not in self.ids
        ]
        if not left:  # as in every first build
            return [], []
        notes = [
            (key(self.notes[position]), position)
            for position in self._positions
            if position not in self._found and position not in self._undecided
        ]
        return notes, left

    def without_id(self, notes: Iterable[tuple[Hashable, int]]) -> list[tuple[Hashable, int]]:
        """Return the notes without an id: an id that no record has means that the note is a different one."""
        return [(key, position) for key, position in notes if not self.notes[position].id]


def equal(notes: Iterable[tuple[Hashable, int]], records: Iterable[tuple[Hashable, Record]]) -> list[Pair]:
    """Return the pairs of notes and records with a common key that is unique on both sides."""
    by_key = unique(records)
    return [(position, by_key[key]) for key, position in unique(notes).items() if key in by_key]


def unique(keyed: Iterable[tuple[Hashable, T]]) -> dict[Hashable, T]:
    """Return the items with a unique key, by key."""
    values: dict[Hashable, T] = {}
    shared: set[Hashable] = set()
    for key, value in keyed:
        if key in values:
            shared.add(key)
        values[key] = value
    return {key: value for key, value in values.items() if key not in shared} if shared else values
