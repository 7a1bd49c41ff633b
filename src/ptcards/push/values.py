"""The values that a push compares: our notes, those in Anki, and what was last written there."""

import hashlib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ptcards.identity.lock import Record
from ptcards.notes import FIELD_END, Row


def digest(text: str) -> str:
    """Return 12 hex digits for a text, or nothing for an empty one, as most fields are."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""


@lru_cache(4096)
def tags_of(text: str) -> frozenset[str]:
    """Return tags that are separated by spaces; many notes have the same."""
    return frozenset(text.split())


class Ours(NamedTuple):
    """A note in the sources.

    `text` are its fields as in Anki's database, and `names` their names.
    """

    guid: str
    key: str
    mod: int
    names: tuple[str, ...]
    text: str
    row: Row

    @property
    def fields(self) -> tuple[str, ...]:
        """Its fields, HTML in the order of its note type."""
        return tuple(self.text.split(FIELD_END))

    @property
    def tags(self) -> frozenset[str]:
        """Its tags."""
        return tags_of(self.row.tags)

    @property
    def deck(self) -> str:
        """The full name of its deck."""
        return self.row.deck


class Theirs(NamedTuple):
    """A note in Anki, with the fields of our note type in its order."""

    nid: int
    guid: str
    mod: int
    fields: tuple[str, ...]
    tags: frozenset[str]
    cards: tuple[int, ...]


class Base(NamedTuple):
    """A note as it was last written: hashes of its fields, or `None` where unknown.

    If Anki has the same content written differently, the hash of its version follows after a `/`. `mod` is
    the time that Anki gave the note if it was as we wrote it, or minus that time if it contains edits by its
    owner. `past` are such times from earlier pushes, because a backup of Anki may bring them back. `whole` is
    a hash of all fields together, empty if some are unknown.
    """

    nid: int
    mod: int
    fields: tuple[str | None, ...]
    tags: frozenset[str]
    deck: str
    past: tuple[int, ...] = ()
    whole: str = ""

    def digests(self, place: int) -> tuple[str | None, str | None]:
        """Return the hashes of a field as we wrote it, and as Anki had it then."""
        ours, mark, theirs = (self.fields[place] or "").partition("/")
        return (None, None) if self.fields[place] is None else (ours, theirs if mark else ours)


class Look(NamedTuple):
    """The appearance of a note type: a digest of our templates and CSS, and one of Anki's version of them."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a push remembers of an Anki collection.

    This is `looks` by note type, hashes of deck descriptions, and notes by GUID. `lock` is a digest of the
    `deck.lock` that was pushed. `others` are the GUIDs, by note id, of foreign notes without a field for it.
    `files` are digests of the files whose names in Anki do not depend on their content.
    """

    notes: Mapping[str, Base] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    lock: str = ""
    others: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TheirType:
    """One of our note types in Anki; `extended` if somebody added fields or templates to it."""

    id: int
    name: str
    look: str
    extended: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The notes of a collection in Anki.

    `mods` contains all notes of our note types, `notes` by GUID those that were read because they, or ours,
    have changed. `away` are the cards, by note, that are not in the deck of the sources, with their deck;
    `filtered` are notes with cards in filtered decks, and `twice` GUIDs that several notes share. `guids` are
    those of all notes without a field for it, by their ids. `files` are digests of the files that may differ
    in Anki, empty for those it lacks. `selected` are the notes that are open in its browser.
    """

    types: Mapping[str, TheirType]
    mods: Mapping[int, int]
    notes: Mapping[str, Theirs]
    away: Mapping[int, Mapping[str, tuple[int, ...]]]
    filtered: AbstractSet[int]
    twice: tuple[str, ...]
    guids: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    selected: AbstractSet[int] = frozenset()


class Wishes(NamedTuple):
    """The unsafe changes that the author asked for."""

    overwrite: bool = False
    restore: bool = False
    move: bool = False


class Known(NamedTuple):
    """When a note was published, and in which decks."""

    mods: AbstractSet[int]
    decks: AbstractSet[str]


class Retired(NamedTuple):
    """A note that is no longer in the sources but still in Anki; `is_clean` if nobody edited it there."""

    record: Record
    theirs: Theirs
    is_clean: bool
    reviews: int
