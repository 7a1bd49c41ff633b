"""Packages of releases: reads those of strangers within limits, and writes new ones from checked values only."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.notes.rendered import FIELD_END

MAX_PACKAGE_BYTES = 1 << 30
"""The size of the largest package that is loaded."""


class RefusedPackageError(ValueError):
    """A package is not one that ptcards writes; the message says why, after `it`."""


class ReleasedCard(NamedTuple):
    """A card in a package: its id, the number of its template or deletion, its deck and its place among new cards."""

    id: int
    ordinal: int
    deck: str
    place: int


class ReleasedNote(NamedTuple):
    """A note in a package; `text` contains its fields as in Anki's database."""

    nid: int
    guid: str
    note_type: int
    mod: int
    tags: str
    text: str
    cards: tuple[ReleasedCard, ...]

    @property
    def deck(self) -> str:
        """The full name of the note's deck, which is the one of its first card."""
        return self.cards[0].deck

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields as HTML, in stored order."""
        return tuple(self.text.split(FIELD_END))


class ReleasedTemplate(NamedTuple):
    """A card template; `id` is 0 if it has none."""

    id: int
    name: str
    front: str
    back: str
    browser_front: str
    browser_back: str


class ReleasedType(NamedTuple):
    """A note type; `fields` are the ids (0 if it has none) and names of its fields."""

    id: int
    name: str
    css: str
    is_cloze: bool
    fields: tuple[tuple[int, str], ...]
    templates: tuple[ReleasedTemplate, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(name for _, name in self.fields)


class Description(NamedTuple):
    """The description of a deck."""

    text: str
    is_markdown: bool


class ReleasedPackage(NamedTuple):
    """A package that was read: notes by GUID, note types by id, descriptions by deck, zip members by media name."""

    notes: Mapping[str, ReleasedNote]
    types: Mapping[int, ReleasedType]
    descriptions: Mapping[str, Description]
    media: Mapping[str, str]


def read_package(file: Path) -> ReleasedPackage:
    """Return what a package holds, without its media.

    Raises:
        RefusedPackageError: it is damaged, too large, or not one that ptcards writes.
        OSError: the file cannot be read.

    """
    raise NotImplementedError


def write_package(
    file: Path, source: Path, notes: Iterable[ReleasedNote], types: Mapping[int, Mapping[str, Any]]
) -> None:
    """Write notes as a package for Anki; `types` are complete note types in Anki's form, by id.

    The media that the notes and note types use come from the package `source`.
    """
    raise NotImplementedError
