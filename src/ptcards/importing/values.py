"""What a package holds: note types, decks and notes, whatever the format."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a note type; no builder but Anki gives it an id."""

    name: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A template of a note type, with the HTML of both sides."""

    name: str
    front: str
    back: str
    id: int | None = None
    browser_front: str = ""
    browser_back: str = ""


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type as the package has it; `mod` is when it last changed (Unix seconds)."""

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
    """A deck by its full name; `description` is Markdown or HTML, as its author set it."""

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A note as the package has it, in the deck of its first card; `mod` in Unix seconds."""

    id: int
    guid: str
    note_type: int
    mod: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    deck: str
    ordinals: tuple[int, ...]
    is_apart: bool
    """its cards lie in several decks"""
