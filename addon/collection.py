"""Reads what a collection holds of a feed, and applies an update as one operation with one undo step."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from anki.collection import Collection, Note, OpChanges

from ptcards.subscription.decide import DeckUpdate, FeedSource
from ptcards.subscription.state import Subscription


class Choices(NamedTuple):
    """What the learner chose in the list; `retired` is `suspend`, `keep` or `delete`."""

    move: bool = True
    retired: str = "suspend"
    restore: bool = False
    trusts: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """An update that was applied: what Anki must draw again, the update, and the subscription after it."""

    changes: OpChanges
    update: DeckUpdate
    subscription: Subscription


class Difference(NamedTuple):
    """A field in which learner and author differ; `waits` is true if the learner has not decided yet.

    `place` is the field's place in the author's note type.
    """

    guid: str
    nid: int
    title: str
    field: str
    place: int
    mine: str
    authors: str
    waits: bool


def subscriptions(col: Collection) -> dict[str, Subscription]:
    """Return the subscriptions of a collection by the ids of their feeds."""
    raise NotImplementedError


def look(col: Collection, source: FeedSource, *, restore: bool = False) -> DeckUpdate:
    """Return what the newest release changes in the collection as it is now.

    Raises:
        RefusedUpdateError: the feed went back, or is followed at another address.

    """
    raise NotImplementedError


def apply_update(col: Collection, source: FeedSource, file: Path, choices: Choices, work: Path) -> Applied:
    """Decide again, and apply the decision as one undo step.

    `file` is the package of the source, and `work` a file to overwrite, which the caller deletes afterwards.

    Raises:
        RefusedUpdateError: as `look`, and if it brings dangers that the choices do not allow.

    """
    raise NotImplementedError


def differences(col: Collection, source: FeedSource) -> Sequence[Difference]:
    """Return the fields in which learner and author differ, those that wait first."""
    raise NotImplementedError


def keep_mine(col: Collection, feed_id: str, difference: Difference) -> OpChanges:
    """Keep the learner's text: the field waits no longer. One undo step."""
    raise NotImplementedError


def take_authors(col: Collection, source: FeedSource, file: Path, difference: Difference) -> OpChanges:
    """Replace the learner's text of a field by the author's. One undo step."""
    raise NotImplementedError


def change_address(col: Collection, feed_id: str, address: str) -> OpChanges:
    """Follow a deck at another address from now on."""
    raise NotImplementedError


def feed_of(col: Collection, note: Note) -> str | None:
    """Return the id of the feed whose note this may be, by its note type."""
    raise NotImplementedError


def unfollow(col: Collection, feed_id: str) -> OpChanges:
    """Forget a subscription; its notes stay."""
    raise NotImplementedError
