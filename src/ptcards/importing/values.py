"""The content of packages of any format: note types, decks and notes, and what they become."""

from dataclasses import dataclass
from typing import Protocol

from ptcards.importing.drafts import Draft
from ptcards.notes.notetypes import Field, Template


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type of a package; `mod` is when it last changed (Unix seconds)."""

    id: int
    name: str
    mod: int
    is_cloze: bool
    is_occlusion: bool
    fields: tuple[Field, ...]
    templates: tuple[Template, ...]
    css: str


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck with its full name; `description` is Markdown or HTML, as its author set it."""

    name: str
    description: str = ""
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a package, in the deck of its first card; `mod` in Unix seconds."""

    id: int
    guid: str
    note_type: int
    mod: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    deck: str
    ordinals: tuple[int, ...]
    is_apart: bool
    """its cards are in several decks"""


class Maker(Protocol):
    """Converts the notes of a package."""

    def draft(self, note: Note, note_type: NoteType, plainness: int) -> Draft | str:
        """Return a note to write, the plainer the higher `plainness` is, or why it is left out."""
