"""Sources to notes, whole collections at a time: what every command begins with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ptcards.collection import Collection, find_collections
from ptcards.diagnostics import Diagnostic
from ptcards.notes import Deck, Note
from ptcards.parsing.parser import parse


@dataclass(frozen=True, slots=True)
class Parsed:
    """A collection with all its notes, and its decks; `collection.is_selected` says which were asked for."""

    collection: Collection
    notes: tuple[Note, ...]
    decks: tuple[Deck, ...]

    @property
    def selected_notes(self) -> tuple[Note, ...]:
        """The notes that were asked for."""
        return tuple(note for note in self.notes if self.collection.is_selected(note.location.path))


Parse = Callable[[Collection], tuple[tuple[Note, ...], tuple[Deck, ...], list[Diagnostic]]]


def load(
    paths: Sequence[Path], parse_collection: Parse = parse
) -> tuple[tuple[Parsed, ...], list[Diagnostic]]:
    """Read the collections that these SOURCEs belong to, whole, with what is wrong in the selected sources.

    Raises NoSuchSourceError for a path that is not there or holds no sources.
    """
    collections, diagnostics = find_collections(paths)
    loaded = []
    for collection in collections:
        notes, decks, found = parse_collection(collection)
        loaded.append(Parsed(collection, notes, decks))
        others = {source.path for source in collection.sources if not collection.is_selected(source.path)}
        diagnostics = [each for each in (*diagnostics, *found) if each.location.path not in others]
    return tuple(loaded), diagnostics
