"""Decides what an update does, as a pure function of the feed, its package, the collection and the subscription."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ptcards.merge.plan import PushPlan
from ptcards.subscription.feed import Feed
from ptcards.subscription.package import ReleasedPackage
from ptcards.subscription.safety import Danger
from ptcards.subscription.state import Held, HeldNote, Subscription


class Refusal(StrEnum):
    """Why a feed cannot be applied, although it and its package are right."""

    WENT_BACK = "went-back"
    """Its newest release is older than the one that the learner has; the detail is its version."""
    OTHER_ADDRESS = "other-address"
    """The learner follows this deck at another address, which is the detail."""
    DANGER = "danger"
    """It brings something dangerous that the learner has not allowed."""


class RefusedUpdateError(Exception):
    """An update is not possible; nothing was changed."""

    def __init__(self, reason: Refusal, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


class FeedSource(NamedTuple):
    """A feed, the address of its `deck.json`, and its package."""

    address: str
    feed: Feed
    package: ReleasedPackage


class RetiredNote(NamedTuple):
    """A note in the collection that the author removed; `is_clean` is true if the learner did not edit it."""

    note: HeldNote
    is_clean: bool


class LeftAlone(NamedTuple):
    """A note in the collection that has a GUID of the feed's but belongs to another deck."""

    guid: str
    title: str


class MarkedWords(NamedTuple):
    """A piece of plain text: `mark` is `+` if it is new, `-` if it goes, otherwise empty."""

    mark: str
    text: str


class ListedField(NamedTuple):
    """A field to show in the list: `waits` is true if the learner's text stays and the author's waits."""

    title: str
    field: str
    waits: bool
    words: tuple[MarkedWords, ...]


class Counts(NamedTuple):
    """How many notes an update concerns; `looks` are note types, and `files_kept` files.

    `changed` includes `merged`, in which the learner's edits stay and the rest comes in. `retired` are offered
    to be suspended or deleted; `retired_kept` were edited and stay. In `conflicts`, the author's text waits.
    """

    new: int = 0
    changed: int = 0
    merged: int = 0
    moved: int = 0
    retired: int = 0
    retired_kept: int = 0
    conflicts: int = 0
    gone: int = 0
    stays: int = 0
    looks: int = 0
    looks_kept: int = 0
    files_kept: int = 0


@dataclass(frozen=True, slots=True)
class DeckUpdate:
    """What the newest release of a feed changes in a collection. Nothing of it is applied yet.

    `subscription` is the one before; `is_first` if the learner does not follow the deck yet. `plan` is the
    plan of a push. `renamed` are the author's new names of decks by the old ones. `fields` contains, by the
    author's note type, the place in the author's note for each field of the learner's note type, `None` for
    the learner's own fields. `left_out` are fields that the learner's note type lacks, as `(type, field)`.
    """

    source: FeedSource
    subscription: Subscription
    is_first: bool
    plan: PushPlan
    retired: tuple[RetiredNote, ...]
    renamed: Mapping[str, str]
    types: Mapping[int, int]
    fields: Mapping[int, tuple[int | None, ...]]
    left_alone: tuple[LeftAlone, ...]
    left_out: tuple[tuple[str, str], ...]
    dangers: tuple[Danger, ...]
    here: int

    @property
    def counts(self) -> Counts:
        """How many notes the update concerns."""
        raise NotImplementedError

    @property
    def kept_looks(self) -> tuple[str, ...]:
        """The names of the note types that keep the learner's look."""
        raise NotImplementedError

    @property
    def kept_files(self) -> tuple[str, ...]:
        """The names of the files of which the learner's version stays."""
        raise NotImplementedError

    @property
    def is_whole_deck_deleted(self) -> bool:
        """Whether the learner deleted all notes of the deck."""
        raise NotImplementedError

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply except the number of the release."""
        raise NotImplementedError

    def listed(self) -> Iterator[ListedField]:
        """Yield what happens to each field, in the order of the deck."""
        raise NotImplementedError


def adopt(source: FeedSource, held: Held) -> Subscription:
    """Return a new subscription: which decks and note types of the collection are already the feed's."""
    raise NotImplementedError


def decide(
    source: FeedSource, held: Held, subscription: Subscription, *, restore: bool = False
) -> DeckUpdate:
    """Return what the newest release changes; with `restore`, deleted notes come back.

    Raises:
        RefusedUpdateError: the feed went back, or is followed at another address.

    """
    raise NotImplementedError
