"""The result of matching in a run, prepared for advice."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ptcards.identity.hashes import Summary
from ptcards.identity.headings import Headings
from ptcards.identity.keys import place_and_answer
from ptcards.identity.lock import Fingerprint, Lock, Record
from ptcards.identity.matching import Matching


@dataclass(frozen=True)
class Outcome:
    """The result of matching.

    `matching` uses the positions of `notes`; `chosen` are the positions being built.
    """

    lock: Lock
    notes: Sequence[Summary]
    prints: Sequence[Fingerprint]
    matching: Matching
    chosen: Sequence[int]

    @property
    def found(self) -> Mapping[int, Record]:
        """The records by the positions of notes."""
        return self.matching.found

    @property
    def headings(self) -> Headings:
        """The headings of both releases."""
        return self.matching.headings

    @property
    def fresh(self) -> list[int]:
        """The positions being built that have no record."""
        return [position for position in self.chosen if position not in self.found]

    @cached_property
    def gone(self) -> list[Record]:
        """The live records whose note was not found in the sources."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if record.live and record.guid not in taken]

    @property
    def retired(self) -> list[Record]:
        """The retired records whose note has not returned."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if not record.live and record.guid not in taken]

    @cached_property
    def common_answers(self) -> frozenset[Hashable]:
        """Answers, with their place, shared by several notes, such as `True`, so they identify none."""
        before = Counter(place_and_answer(record.fingerprint) for record in self.lock.records if record.live)
        now = Counter(map(place_and_answer, self.prints))
        return frozenset(answer for count in (before, now) for answer, times in count.items() if times > 1)


def quoted(heading: str) -> str:
    """Return a heading for use in a message."""
    plain = heading.replace("`", "")
    return f"`{plain if len(plain) <= 80 else plain[:79] + '…'}`"
