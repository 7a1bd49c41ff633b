"""The content of a package of any version: note types, decks and notes."""

from dataclasses import dataclass
from typing import Protocol

from ptcards.importing.drafts import Draft
from ptcards.notes.notetypes import Field, Template


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type of a package; `mod` is the time of its last change in Unix seconds."""

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
    """A deck with its full name; its author chose whether `description` is Markdown or HTML."""

    name: str
    description: str = ""
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A note of a package, in the deck of its first card; `mod` is in Unix seconds."""

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
        """Return a note to write, or the reason why it is left out.

        A higher `plainness` makes the note plainer.
        """
