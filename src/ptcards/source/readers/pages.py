"""Turns a page into the parts of its notes with the reader of its dialect."""

from importlib import import_module

from ptcards.source.definitions import Definitions
from ptcards.source.parts import Evidence, Found, Page
from ptcards.source.readers.evidence import look
from ptcards.source.readers.registry import DIALECTS, NOTHING, OWN


def read_page(page: Page, definitions: Definitions) -> Found:
    """Return the parts of a source's notes according to its dialect."""
    name = page.reading.dialect
    if name != OWN and name not in DIALECTS:
        return Found()  # no notes, or an unknown dialect
    # Each reader has the name of its dialect, and is imported when the first source needs it.
    found: Found = import_module(f"ptcards.source.readers.{name}").read(page, definitions)
    return found


def found_elsewhere(page: Page, found: Found) -> tuple[Evidence, ...]:
    """Return the other dialects that the source looks like.

    Empty if it has notes in its dialect, or is not read at all.
    """
    dialect = page.reading.dialect
    if dialect == NOTHING or found.is_skipped or (dialect != OWN and found.notes):
        return ()
    return tuple(each for each in look(page) if each.dialect != page.reading.dialect)
