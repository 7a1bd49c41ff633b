"""All notes of a collection, read without a cache."""

from ptcards.diagnostics import Diagnostic
from ptcards.notes import Note
from ptcards.notes.rendered import Deck
from ptcards.readers.parser import parse_source
from ptcards.source.assembly import assemble, describe
from ptcards.source.collection import Collection, CollectionFacts
from ptcards.source.media import MediaFolder


def parse(collection: Collection) -> tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]:
    """Return all notes and decks of a collection, with notes in the order of the sources."""
    facts, media = CollectionFacts.of(collection), MediaFolder(collection.root)
    parsed = [parse_source(facts, source, media) for source in collection.sources]
    notes, diagnostics = assemble(parsed)
    decks = [deck for source in parsed for deck in source.decks]
    return notes, describe(collection.config if collection.configured else None, decks), diagnostics
