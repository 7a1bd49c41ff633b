"""What identifying the notes of a collection has found so far."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ptcards.identity.hashes import NoteSummary
from ptcards.identity.heading_likeness import Headings
from ptcards.identity.lock import Fingerprint, Lock, Record, guid_as_id, id_of, place_and_answer
from ptcards.identity.match import Matching

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


class Resemblance(NamedTuple):
    """A new note, by its position, and the gone records that it may be, the most likely one first.

    `is_back` means that the note returned after being retired. If it is not `is_alike`, only its place speaks
    for the records.
    """

    position: int
    records: Sequence[Record]
    is_back: bool
    is_alike: bool
