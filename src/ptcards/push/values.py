"""The values that a push compares: our notes, the notes in Anki, and what was last written there."""

import hashlib
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ptcards.identity.lock import Record
from ptcards.notes import FIELD_END, Row


def digest(text: str) -> str:
    """Return 12 hexadecimal digits for a text, or an empty string if it is empty, as most fields are."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""


@lru_cache(4096)
def tags_of(text: str) -> frozenset[str]:
    """Return the set of tags in a space-separated text; cached, because many notes share their tags."""
    return frozenset(text.split())


class Ours(NamedTuple):
    """A note in the sources.

    `text` contains its fields as in Anki's database, and `names` their names.
    """

    guid: str
    key: str
    mod: int
    names: tuple[str, ...]
    text: str
    row: Row

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields as HTML, in the order of the note type."""
        return tuple(self.text.split(FIELD_END))

    @property
    def tags(self) -> frozenset[str]:
        """The tags of the note."""
        return tags_of(self.row.tags)

    @property
    def deck(self) -> str:
        """The full name of the note's deck."""
        return self.row.deck


class Theirs(NamedTuple):
    """A note in Anki, with the fields of our note type in our order.

    `read` is the second in which it was read. If `mod` is not earlier, a later edit may have the same `mod`.
    """

    nid: int
    guid: str
    mod: int
    fields: tuple[str, ...]
    tags: frozenset[str]
    cards: tuple[int, ...]
    read: int = sys.maxsize


class Base(NamedTuple):
    """A note as it was last written, with hashes of its fields; `None` where a hash is unknown.

    If Anki has the same content but writes it differently, the hash of Anki's version follows after a `/`.
    `mod` is the time that Anki gave the note. It is negative if the note contained edits made in Anki, or if
    a later edit may have got the same time. `past`
    are the times from earlier pushes, which may reappear when a backup of Anki is restored. `whole` is a hash
    of all fields together, or empty if some are unknown. `earlier` contains the hashes of the texts that we
    wrote before, by the position of their field.
    """

    nid: int
    mod: int
    fields: tuple[str | None, ...]
    tags: frozenset[str]
    deck: str
    past: tuple[int, ...] = ()
    whole: str = ""
    earlier: Mapping[int, tuple[str, ...]] = {}

    def has_written(self, place: int, text: str) -> bool:
        """Whether we wrote this text to a field before the current one; empty texts do not count."""
        known = {each for pair in self.earlier.get(place, ()) for each in pair.split("/")}
        return bool(text) and digest(text) in known

    def digests(self, place: int) -> tuple[str | None, str | None]:
        """Return the hashes of a field, first as we wrote it, then as Anki had it."""
        ours, mark, theirs = (self.fields[place] or "").partition("/")
        return (None, None) if self.fields[place] is None else (ours, theirs if mark else ours)


class Look(NamedTuple):
    """The appearance of a note type: a digest of our templates and CSS, and one of Anki's version."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What a push remembers about an Anki collection.

    `notes` are keyed by GUID, and `looks` by note type. `descriptions` and `files` are hashes of deck
    descriptions, and of the files whose names in Anki do not depend on their content. `lock` is a digest of
    the `deck.lock` that was pushed. `others` maps ids of notes from other programs, which have no GUID field,
    to their GUIDs.
    """

    notes: Mapping[str, Base] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    lock: str = ""
    others: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TheirType:
    """One of our note types in Anki; `extended` is true if somebody added fields or templates to it."""

    id: int
    name: str
    look: str
    extended: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The notes of a collection in Anki.

    `mods` contains the times of all notes of our note types. `notes` contains, by GUID, the notes that were
    read because they may have changed on either side. `away` contains, by note, the cards that are not in the
    sources' deck, grouped by their actual deck. `filtered` are notes with cards in filtered decks, and
    `twice` GUIDs that several notes share. `guids` maps ids of notes that have no GUID field to their GUIDs.
    `files` are digests of the files that may differ in Anki, empty for those that Anki lacks.
    """

    types: Mapping[str, TheirType]
    mods: Mapping[int, int]
    notes: Mapping[str, Theirs]
    away: Mapping[int, Mapping[str, tuple[int, ...]]]
    filtered: AbstractSet[int]
    twice: tuple[str, ...]
    guids: Mapping[int, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


class Wishes(NamedTuple):
    """The unsafe changes that the author has asked for."""

    overwrite: bool = False
    restore: bool = False
    move: bool = False


class Known(NamedTuple):
    """When and in which decks a note was published."""

    mods: AbstractSet[int]
    decks: AbstractSet[str]


class Retired(NamedTuple):
    """A note that is in Anki but no longer in the sources; `is_clean` is true if nobody edited it in Anki."""

    record: Record
    theirs: Theirs
    is_clean: bool
    reviews: int
