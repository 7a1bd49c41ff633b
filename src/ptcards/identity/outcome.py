"""The result of matching, prepared for advice."""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, hint
from ptcards.identity.hashes import Summary
from ptcards.identity.headings import Headings
from ptcards.identity.lock import Fingerprint, Lock, Record, guid_as_id, place_and_answer
from ptcards.identity.matching import Matching

Earlier = Callable[[str], Sequence[Summary]]
"""Returns what a source, by its path, contained in the last commit or release; nothing if that is unknown."""


def unknown(_path: str) -> Sequence[Summary]:
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
    notes: Sequence[Summary]
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
        """The live records whose notes were not found in the sources."""
        taken = {record.guid for record in self.found.values()}
        return [record for record in self.lock.records if record.live and record.guid not in taken]

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


ANOTHER_CARD = "a different card? restore `deck.lock`, give the card its own id and build again"
MOST_LISTED = 20


class Recognised(NamedTuple):
    """A note's question before and after the change, and `how` the note was recognised.

    `length` is the length of its heading line.
    """

    location: Location
    before: str
    after: str
    how: str
    length: int


def how_recognised(before: Fingerprint, after: Fingerprint) -> str:
    """Return how a note was recognised: by the same answer, or by a similar one."""
    return "same answer" if before.answer == after.answer else "answer edited"


def find_recognised(
    matching: Matching, notes: Sequence[Summary], chosen: Sequence[int]
) -> tuple[tuple[Recognised, ...], int]:
    """Return the notes matched by similarity, and the number of others that differ only in typography."""
    taken = [position for position in chosen if position in matching.recognised]
    found = []
    for position in taken:
        note, old = notes[position], matching.found[position].fingerprint
        new = note.fingerprint
        if not matching.headings.differ_in_typography_only(old.heading, new.heading):
            how = how_recognised(old, new)
            found.append(Recognised(note.location, old.heading, new.heading, how, note.heading_length))
    return tuple(sorted(found)), len(taken) - len(found)


def list_recognised(recognised: Sequence[Recognised], respelt: int) -> Iterator[str]:
    """Yield the lines that a build prints about recognised notes.

    `respelt` is the number of notes that differ only in typography.
    """
    if recognised:
        yield f"recognised {counted(len(recognised), 'note')} after rewording:"
    for each in recognised[:MOST_LISTED]:
        yield f'  {each.location}  "{each.before}" -> "{each.after}"  ({each.how})'
    if len(recognised) > MOST_LISTED:
        yield f"  and {len(recognised) - MOST_LISTED} more; `ptcards diff` lists them all"
    if respelt:
        yield f"recognised {counted(respelt, 'note')} with changed typography"
    if recognised:
        yield ANOTHER_CARD


def warn_of_recognised(recognised: Sequence[Recognised]) -> Iterator[Diagnostic]:
    """Yield a hint for each recognised note, before a build treats it as the published one."""
    for each in recognised:
        yield hint(
            each.location,
            "recognised-note",
            f"recognised as {quoted(each.before)} ({each.how})",
            "if this is a different card, give it its own `id` before you build",
            length=each.length,
        )
