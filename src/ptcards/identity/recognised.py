"""Notes recognised as published ones by likeness, for the author to review."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, counted, hint
from ptcards.identity.hashes import Summary
from ptcards.identity.lock import Fingerprint
from ptcards.identity.matching import Matching
from ptcards.identity.outcome import quoted

ANOTHER_CARD = "a different card? restore deck.lock, give it its own id, build again"
MOST_LISTED = 20


class Recognised(NamedTuple):
    """A note's question before and now, and `how` it was recognised.

    `length` is that of its heading's line.
    """

    location: Location
    before: str
    after: str
    how: str
    length: int


def how_recognised(before: Fingerprint, after: Fingerprint) -> str:
    """Return how a note was recognised, apart from its heading."""
    return "same answer" if before.answer == after.answer else "answer edited"


def find_recognised(
    matching: Matching, notes: Sequence[Summary], chosen: Sequence[int]
) -> tuple[tuple[Recognised, ...], int]:
    """Return what was matched by likeness, and how many more notes differ only in typography."""
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
    """Yield the lines that a build prints about them.

    `respelt` counts those that differ only in typography.
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
    """Yield advice before a build treats each of them as the published note."""
    for each in recognised:
        yield hint(
            each.location,
            "recognised-note",
            f"recognised as {quoted(each.before)} ({each.how})",
            "if it is a different card, give it its own `id` before you build",
            length=each.length,
        )
