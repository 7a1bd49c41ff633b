"""Turns a page into the parts of its notes with the reader of its dialect."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ptcards.source.definitions import Definitions
from ptcards.source.parts import Evidence, Found, Page
from ptcards.source.readers import details, headings, obsidian, qa
from ptcards.source.readers.evidence import look
from ptcards.source.readers.registry import NOTHING, OWN

_READERS: Mapping[str, Callable[[Page, Definitions], Found]] = MappingProxyType(
    {OWN: headings.read, "obsidian": obsidian.read, "details": details.read, "qa": qa.read}
)


def read_page(page: Page, definitions: Definitions) -> Found:
    """Return the parts of a source's notes according to its dialect."""
    read = _READERS.get(page.reading.dialect)
    return read(page, definitions) if read else Found()  # no notes, or an unknown dialect


def found_elsewhere(page: Page, found: Found) -> tuple[Evidence, ...]:
    """Return the other dialects that the source looks like.

    Empty if it has notes in its dialect, or is not read at all.
    """
    dialect = page.reading.dialect
    if dialect == NOTHING or found.is_skipped or (dialect != OWN and found.notes):
        return ()
    return tuple(each for each in look(page) if each.dialect != page.reading.dialect)
