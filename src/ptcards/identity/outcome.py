"""How the matching of a run went, as the advice on it needs it."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ptcards.identity.hashes import Gist
from ptcards.identity.headings import Headings
from ptcards.identity.keys import place_and_answer
from ptcards.identity.lock import Imprint, Lock, Record
from ptcards.identity.matching import Matching


@dataclass(frozen=True)
class Outcome:
    """How the matching went.

    `matching` is by the positions of `notes`, `chosen` holds the positions being built.
    """

    lock: Lock
    notes: Sequence[Gist]
    prints: Sequence[Imprint]
    matching: Matching
    chosen: Sequence[int]

    @property
    def found(self) -> Mapping[int, Record]:
        """Records by the positions of notes."""
        return self.matching.found

    @property
    def headings(self) -> Headings:
        """The headings of both releases."""
        return self.matching.headings

    @property
    def fresh(self) -> list[int]:
        """Positions being built that no record was found for."""
        return [position for position in self.chosen if position not in self.found]

    @cached_property
    def gone(self) -> list[Record]:
        """Live records whose note was not found in the sources."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if record.live and record.guid not in taken]

    @property
    def retired(self) -> list[Record]:
        """Retired records whose note is not back."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if not record.live and record.guid not in taken]

    @cached_property
    def common_answers(self) -> frozenset[Hashable]:
        """Answers, with their place, that several notes have or had, such as `True`: they tell no note from another."""
        before = Counter(place_and_answer(record.imprint) for record in self.lock.records if record.live)
        now = Counter(map(place_and_answer, self.prints))
        return frozenset(answer for count in (before, now) for answer, times in count.items() if times > 1)


def quoted(heading: str) -> str:
    """Put a heading into a message."""
    plain = heading.replace("`", "")
    return f"`{plain if len(plain) <= 80 else plain[:79] + '…'}`"


def count_notes(count: int) -> str:
    """Return how many notes."""
    return "1 note" if count == 1 else f"{count} notes"
