"""The stages in order: load, resolve, render, write."""

from collections.abc import Callable, Collection as Container, Sequence
from dataclasses import dataclass
from pathlib import Path

from ptcards.collection import Collection, find_collections, shown, slug
from ptcards.diagnostics import Diagnostic, Severity
from ptcards.files import locked as lock_folders, replacing
from ptcards.identity.lock import Lock, format_lock, read_lock
from ptcards.identity.resolve import Changes, Resolution, locked_differences, read_clock, resolve
from ptcards.notes import Deck, Identified, Note, RenderedNote
from ptcards.notetypes import NoteType, note_types
from ptcards.parsing.parser import parse

FORMATS = ("apkg", "csv")

Progress = Callable[[int, int], None]


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


@dataclass(frozen=True, slots=True)
class Built:
    """What a build of one collection did."""

    name: str
    outputs: tuple[Path, ...]
    notes: int
    cards: int
    changes: Changes


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build: where to, in which formats, and what may change."""

    output: Path
    formats: Container[str] = FORMATS
    locked: bool = False
    refresh: bool = False


def load(paths: Sequence[Path]) -> tuple[tuple[Parsed, ...], list[Diagnostic]]:
    """Read the collections that these SOURCEs belong to, whole, with what is wrong in the selected sources.

    Raises NoSuchSourceError for a path that is not there or holds no sources.
    """
    collections, diagnostics = find_collections(paths)
    loaded = []
    for collection in collections:
        notes, decks, found = parse(collection)
        loaded.append(Parsed(collection, notes, decks))
        others = {source.path for source in collection.sources if not collection.is_selected(source.path)}
        diagnostics = [each for each in (*diagnostics, *found) if each.location.path not in others]
    return tuple(loaded), diagnostics


def has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    """Say whether any of these stops a build."""
    return any(each.severity is Severity.ERROR for each in diagnostics)
