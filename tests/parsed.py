"""All notes of a collection, read without a cache."""

from ptcards.diagnostics import Diagnostic
from ptcards.notes import Deck, Note
from ptcards.source.assembly import assemble
from ptcards.source.collection import Collection
from ptcards.source.media import MediaFolder
from ptcards.source.parser import parse_source


def parse(collection: Collection) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
    """Return all notes and decks of a collection, with notes in the order of the sources."""
    media = MediaFolder(collection.root)
    return assemble(collection, [parse_source(collection, source, media) for source in collection.sources])
