"""A subscription, and what a learner's collection holds of its feed, as values."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from types import NoneType
from typing import Any, NamedTuple

from ptcards.extensions.publish.subscription.feed import FieldKey
from ptcards.extensions.publish.subscription.package import AnkiNoteType
from ptcards.files.foreign_json import fits


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a collection remembers about a deck that it follows; synced, and undone together with an update.

    `address` is that of `deck.json`. `release` is the time of the release that was last applied, 0 before the
    first, and `version` its version. `notes` are the ids of the notes that are the feed's, as `remember`
    writes them. `decks` are the ids of decks
    with its cards by the author's names, and `former` those by names that the author replaced; `guests` are
    decks that have been somebody else's, and
    `above` decks that are somebody else's, with decks of the feed's below them. `types` are the ids of
    note types in the collection by the author's ids, and `looks` the looks there that the author gave them.
    `left_out` are what was named because a note type there lacks it. `files` are the files with names of
    their own that the feed brought. `suspended` are the cards that an update suspended, because the author
    removed their notes. `waiting` are the keys of fields with a text of the author's to look at, by GUID.
    `behind` is the time of the release that the learner had of notes that their edition lacks, or that the
    author changed and retired before the learner's next update, by GUID.
    `edition` is the edition that was last applied, empty for the complete deck.
    `since` is only set while an update is written: the time of the release that the texts come from, or -1.
    """

    address: str
    name: str = ""
    release: int = 0
    version: str = ""
    notes: str = ""
    decks: Mapping[str, int] = field(default_factory=dict)
    former: Mapping[str, int] = field(default_factory=dict)
    guests: Sequence[int] = ()
    above: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)
    looks: Mapping[str, str] = field(default_factory=dict)
    left_out: Sequence[str] = ()
    files: Sequence[str] = ()
    suspended: Sequence[int] = ()
    waiting: Mapping[str, Sequence[FieldKey]] = field(default_factory=dict)
    behind: Mapping[str, int] = field(default_factory=dict)
    edition: str = ""
    since: int | None = None


def as_json(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as a value for Anki's configuration."""
    return asdict(subscription)


def from_json(value: Any) -> Subscription | None:
    """Return the subscription in Anki's configuration, or `None` if the value is not one."""
    if not fits(value, _SHAPE):
        return None
    parts: dict[str, Any] = {
        name: tuple(value[name]) if kind is list else value[name] for name, kind in _SHAPE.items()
    }
    parts["waiting"] = {guid: tuple(each) for guid, each in parts["waiting"].items()}
    return Subscription(**parts)


_SHAPE: Mapping[str, Any] = {
    name: list if each == () else type(each) for name, each in asdict(Subscription("")).items()
} | {"waiting": {str: list}, "since": (int, NoneType)}


class HeldCard(NamedTuple):
    """A card in the collection: its id, number, home deck, and whether it is in a filtered deck now.

    `flag` is 0 for none.
    """

    cid: int
    ordinal: int
    deck: int
    is_filtered: bool
    is_suspended: bool
    flag: int


class HeldNote(NamedTuple):
    """A note in the collection with a GUID of the feed; its fields are as its note type orders them."""

    nid: int
    guid: str
    note_type: int
    mod: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    cards: tuple[HeldCard, ...]


class FileUsers(NamedTuple):
    """The notes and note types that name a file, and whether it is a file of another subscription."""

    notes: AbstractSet[int]
    types: AbstractSet[int]
    is_taken: bool


@dataclass(frozen=True, slots=True)
class Held:
    """What a collection holds. The feed only says which notes are read: nothing of this is the feed's yet.

    `decks` are the names of all decks by id, except for filtered ones, which are in `filtered`. `cards` is
    the number of cards whose home each deck is, and `descriptions` those of the decks that have one. `uses`
    is the number of notes of each note type, and `copies` the note types that Anki copied for an import, with
    the original ones. `taken` and `taken_decks` are the note types and decks of other
    subscriptions. `files` are digests of the files with names of their own, empty for missing ones, and
    `users` what names them.
    """

    notes: Mapping[str, HeldNote]
    types: Mapping[int, AnkiNoteType]
    decks: Mapping[int, str]
    cards: Mapping[int, int]
    descriptions: Mapping[int, str]
    uses: Mapping[int, int]
    filtered: Mapping[int, str] = field(default_factory=dict)
    copies: Mapping[int, int] = field(default_factory=dict)
    taken: AbstractSet[int] = frozenset()
    taken_decks: AbstractSet[int] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    users: Mapping[str, FileUsers] = field(default_factory=dict)
