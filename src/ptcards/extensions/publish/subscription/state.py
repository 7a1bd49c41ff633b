"""A subscription, and what a learner's collection holds of its feed, as values."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from ptcards.extensions.publish.subscription.package import AnkiNoteType


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a collection remembers about a deck that it follows; synced, and undone together with an update.

    `address` is that of `deck.json`. `release` is the time of the release that was last applied, 0 before the
    first, and `version` its version. `decks` are the ids of decks in the collection by the author's names,
    and `types` the ids of note types there by the author's ids; `shared` are those of them that other decks
    used before. `files` are the files with names of their own that it brought. `waiting` are the places of
    fields with a text of the author's to look at, by GUID. `behind` is the time of the release that the
    learner had of notes that the author changed and retired before the learner's next update, by GUID.
    `since` is only set while an update is written: the time of the release that the texts come from, or -1.
    """

    address: str
    name: str = ""
    release: int = 0
    version: str = ""
    decks: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, int] = field(default_factory=dict)
    shared: Sequence[int] = ()
    files: Sequence[str] = ()
    waiting: Mapping[str, Sequence[int]] = field(default_factory=dict)
    behind: Mapping[str, int] = field(default_factory=dict)
    since: int | None = None


def as_json(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription as a value for Anki's configuration."""
    return asdict(subscription)


def from_json(value: object) -> Subscription | None:
    """Return the subscription in Anki's configuration, or `None` if the value is not one."""
    match value:
        case {
            "address": str(address),
            "name": str(name),
            "release": int(release),
            "version": str(version),
            "decks": dict(decks),
            "types": dict(types),
            "shared": list(shared),
            "files": list(files),
            "waiting": dict(waiting),
            "behind": dict(behind),
            "since": int() | None as since,
        }:
            places = {guid: tuple(each) for guid, each in waiting.items()}
            return Subscription(
                address,
                name,
                release,
                version,
                decks,
                types,
                tuple(shared),
                tuple(files),
                places,
                behind,
                since,
            )
        case _:
            return None


class HeldCard(NamedTuple):
    """A card in the collection: its id, number, home deck, and whether it is in a filtered deck now."""

    cid: int
    ordinal: int
    deck: int
    is_filtered: bool


class HeldNote(NamedTuple):
    """A note in the collection with a GUID of the feed; its fields are as its note type orders them."""

    nid: int
    guid: str
    note_type: int
    mod: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    cards: tuple[HeldCard, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """What a collection holds of a feed.

    `decks` are the names of all decks by id, `cards` the number of cards whose home each of them is, and
    `descriptions` those of the decks that have one. `others` is the number of notes of a note type that do
    not have a GUID of the feed. `taken` and `taken_decks` are the note types and decks of other
    subscriptions. `files` are digests of the files with names of their own, empty for missing ones, and
    `foreign_files` those that other decks use.
    """

    notes: Mapping[str, HeldNote]
    types: Mapping[int, AnkiNoteType]
    decks: Mapping[int, str]
    cards: Mapping[int, int]
    descriptions: Mapping[int, str]
    others: Mapping[int, int]
    taken: AbstractSet[int] = frozenset()
    taken_decks: AbstractSet[int] = frozenset()
    files: Mapping[str, str] = field(default_factory=dict)
    foreign_files: AbstractSet[str] = frozenset()
