"""What a push compares: our notes, those that Anki has, and what was written there last."""

import hashlib
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from ptcards.identity.lock import Record
from ptcards.notes import Row


def digest(text: str) -> str:
    """Return 12 hex digits for a text, nothing for an empty one: most fields are."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""


def whole_digest(fields: Iterable[str]) -> str:
    """Return a digest of all fields of a note."""
    return digest("\x1f".join(fields))


class Ours(NamedTuple):
    """A note as the sources have it.

    `fields` are HTML in the order of its note type, which calls them `names`.
    """

    guid: str
    key: str
    mod: int
    names: tuple[str, ...]
    fields: tuple[str, ...]
    row: Row

    @property
    def tags(self) -> frozenset[str]:
        """Its tags."""
        return frozenset(self.row.tags.split())

    @property
    def deck(self) -> str:
        """The full name of its deck."""
        return self.row.deck


class Theirs(NamedTuple):
    """A note as Anki has it: the fields that our note type has, in its order."""

    nid: int
    guid: str
    mod: int
    fields: tuple[str, ...]
    tags: frozenset[str]
    cards: tuple[int, ...]


class Base(NamedTuple):
    """A note as we last wrote it: hashes of its fields, `None` where that is not known.

    `mod` is the time that Anki gave it if the note was then as we wrote it; if an edit of its owner is in it,
    minus that time. `past` are such times of earlier pushes: a backup of Anki may bring them back. `whole` is
    a hash of all fields together, empty if not all of them are known.
    """

    nid: int
    mod: int
    fields: tuple[str | None, ...]
    tags: frozenset[str]
    deck: str
    past: tuple[int, ...] = ()
    whole: str = ""


class Look(NamedTuple):
    """What a note type looks like: a digest of our templates and CSS, and one of what Anki made of them."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a push remembers of an Anki collection.

    `looks` by note type, hashes of deck descriptions, notes by GUID. `lock` is a digest of the `deck.lock`
    that was pushed.
    """

    notes: Mapping[str, Base] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    lock: str = ""


@dataclass(frozen=True, slots=True)
class TheirType:
    """One of our note types as Anki has it; `extended`: somebody added fields or templates to it."""

    id: int
    name: str
    look: str
    extended: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What Anki has of a collection.

    `mods` holds all notes of our note types, `notes` by GUID those that were read since they, or ours, are
    not as they were. `away` are cards by note that are not in the deck of the sources, by the deck they are
    in; `filtered` are the notes with cards in filtered decks, `twice` GUIDs that several notes have.
    """

    types: Mapping[str, TheirType]
    mods: Mapping[int, int]
    notes: Mapping[str, Theirs]
    away: Mapping[int, Mapping[str, tuple[int, ...]]]
    filtered: AbstractSet[int]
    twice: tuple[str, ...]


class Wishes(NamedTuple):
    """What the author asked for, beyond what is safe."""

    overwrite: bool = False
    restore: bool = False
    move: bool = False


class Known(NamedTuple):
    """When a note was published, and in which decks."""

    mods: AbstractSet[int]
    decks: AbstractSet[str]


class Retired(NamedTuple):
    """A note that is gone from the sources but still in Anki; `is_clean`: nobody edited it there."""

    record: Record
    theirs: Theirs
    is_clean: bool
    reviews: int
