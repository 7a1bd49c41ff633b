"""Published notes that a build would retire although nobody deleted them.

Only where other programs' notes are read. There a note can be left out, and a setting that changed can make
hundreds of notes vanish.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.identity.hashes import LONGEST_HEADING, one_line
from ptcards.identity.lock import Record

_FEWEST = 10
"""Notes; fewer may well be deleted together."""
_PERCENT = 20


class Absent(NamedTuple):
    """A card that was found and is not a note: its heading, and why."""

    place: Location
    heading: str
    cause: str


def lost_notes(retired: Sequence[Record], absent: Iterable[Absent]) -> Iterator[Diagnostic]:
    """Yield an error for each card that is left out and would be retired for it."""
    published = {record.fingerprint.heading for record in retired if record.fingerprint.heading}
    for each in absent:
        heading = one_line(each.heading)[:LONGEST_HEADING].rstrip()
        if heading in published:
            fix = "write what is missing, or delete the card to retire it"
            cause = each.cause if " " in each.cause else f"`{each.cause}`"
            yield error(each.place, "left-out", f"a published card is left out: {cause}", fix)


def many_gone(retired: Sequence[Record], live: int, place: Location) -> Iterator[Diagnostic]:
    """Yield an error if a large part of the `live` notes is retired together."""
    count = len(retired)
    if count >= _FEWEST and count * 100 > live * _PERCENT:
        message = f"{count:,} of {live:,} published notes are gone at once"
        fix = "check how the files are read; run `ptcards build --accept` if it is meant"
        yield error(place, "many-gone", message, fix)
