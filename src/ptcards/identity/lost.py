"""Reports published notes that a build would retire although nobody deleted them.

This only concerns notes of other programs, which may be left out, and of which a changed setting can make
hundreds disappear.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.identity.hashes import LONGEST_HEADING, one_line
from ptcards.identity.lock import Record

_FEWEST = 10
"""The number of notes; fewer are often deleted together on purpose."""
_PERCENT = 20


class Absent(NamedTuple):
    """A card that is not a note: its heading, and the reason."""

    place: Location
    heading: str
    cause: str


def lost_notes(retired: Sequence[Record], absent: Iterable[Absent]) -> Iterator[Diagnostic]:
    """Yield an error for each published card that is left out and would be retired."""
    published = {record.fingerprint.heading for record in retired if record.fingerprint.heading}
    for each in absent:
        heading = one_line(each.heading)[:LONGEST_HEADING].rstrip()
        if heading in published:
            fix = "write what is missing, or remove the card to retire it"
            cause = each.cause if " " in each.cause else f"`{each.cause}`"
            yield error(each.place, "left-out", f"a published card is left out: {cause}", fix)


def many_gone(retired: Sequence[Record], live: int, place: Location) -> Iterator[Diagnostic]:
    """Yield an error if a large part of the `live` notes would be retired together."""
    count = len(retired)
    if count >= _FEWEST and count * 100 > live * _PERCENT:
        message = f"{count:,} of {live:,} published notes are missing"
        fix = "check how the files are read; run `ptcards build --accept` if this is intended"
        yield error(place, "many-gone", message, fix)
