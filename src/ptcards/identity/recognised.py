"""Notes that were taken for published ones by likeness, for the author to read over: any of them could be another card."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, hint
from ptcards.identity.hashes import Gist
from ptcards.identity.lock import Imprint
from ptcards.identity.matching import Matching
from ptcards.identity.outcome import count_notes, quoted

ANOTHER_CARD = "a different card? restore deck.lock, give it its own id, build again"
MOST_LISTED = 20


class Recognised(NamedTuple):
    """A note as it was asked before and is asked now, and `how` it was recognised; `length` is that of its heading's line."""

    location: Location
    before: str
    after: str
    how: str
    length: int


def how_recognised(before: Imprint, after: Imprint) -> str:
    """Return by what a note was recognised besides its heading."""
    return "same answer" if before.answer == after.answer else "answer edited"


def find_recognised(
    matching: Matching, notes: Sequence[Gist], chosen: Sequence[int]
) -> tuple[tuple[Recognised, ...], int]:
    """Return what was taken by likeness, and how many notes more differ in typography only."""
    taken = [position for position in chosen if position in matching.recognised]
    found = []
    for position in taken:
        note, old = notes[position], matching.found[position].imprint
        new = note.imprint
        if not matching.headings.differ_in_typography_only(old.heading, new.heading):
            how = how_recognised(old, new)
            found.append(Recognised(note.location, old.heading, new.heading, how, note.heading_length))
    return tuple(sorted(found)), len(taken) - len(found)


def list_recognised(recognised: Sequence[Recognised], respelt: int) -> Iterator[str]:
    """Yield the lines that a build prints about them; `respelt` differ in typography only."""
    if recognised:
        yield f"recognised {count_notes(len(recognised))} in other words:"
    for each in recognised[:MOST_LISTED]:
        yield f'  {each.location}  "{each.before}" -> "{each.after}"  ({each.how})'
    if len(recognised) > MOST_LISTED:
        yield f"  and {len(recognised) - MOST_LISTED} more; `ptcards diff` lists them all"
    if respelt:
        yield f"recognised {count_notes(respelt)} in other typography"
    if recognised:
        yield ANOTHER_CARD


def warn_of_recognised(recognised: Sequence[Recognised]) -> Iterator[Diagnostic]:
    """Yield what there is to know before a build takes each of them for the published note."""
    for each in recognised:
        yield hint(
            each.location,
            "recognised-note",
            f"recognised as {quoted(each.before)} ({each.how})",
            "if it is a different card, give it its own `id` before you build",
            length=each.length,
        )
