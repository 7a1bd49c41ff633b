"""How the matching of a run went, as the advice on it needs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ptcards.identity.hashes import Gist
from ptcards.identity.lock import Imprint, Lock, Record


@dataclass(frozen=True)
class Outcome:
    """How the matching went.

    `found` holds records by the positions of `notes`, `doubtful` those that several notes could be, `chosen` the positions
    being built.
    """

    lock: Lock
    notes: Sequence[Gist]
    prints: Sequence[Imprint]
    found: Mapping[int, Record]
    doubtful: Sequence[Record]
    chosen: Sequence[int]

    @property
    def fresh(self) -> list[int]:
        """Positions being built that no record was found for."""
        return [position for position in self.chosen if position not in self.found]

    @cached_property
    def gone(self) -> list[Record]:
        """Live records whose note was not found in the sources."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if record.live and record.guid not in taken]


def quoted(heading: str) -> str:
    """Put a heading into a message."""
    plain = heading.replace("`", "")
    return f"`{plain if len(plain) <= 80 else plain[:79] + '…'}`"


def count_notes(count: int) -> str:
    """Say how many notes."""
    return "1 note" if count == 1 else f"{count} notes"
