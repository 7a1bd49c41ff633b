"""An update as a value: what a release changes in a collection, and the list of it that a learner sees."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from ptcards.extensions.desktop.merge.compare import TOPIC, Change
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.publish.subscription.dangers import Danger
from ptcards.extensions.publish.subscription.feed import Feed, FieldKey
from ptcards.extensions.publish.subscription.package import Description, ReleasedPackage
from ptcards.extensions.publish.subscription.plain_text import as_lines
from ptcards.extensions.publish.subscription.state import HeldNote, Subscription


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
    """A note in the collection that the author removed; `is_clean` if the learner did not edit it."""

    note: HeldNote
    is_clean: bool

    @property
    def title(self) -> str:
        """The first line of the note as plain text."""
        return title_of(self.note.fields)


class WhyAlone(StrEnum):
    """Why a note with a GUID of the feed's is left alone."""

    OTHER_DECK = "other-deck"
    """It belongs to another deck."""
    BY_HAND = "by-hand"
    """It has the note type of the feed, but the feed did not bring it: it follows if the learner agrees."""
    OTHER_TYPE = "other-type"
    """It has Anki's copy of the note type, or the learner gave it another one: only they can change that."""


class LeftAlone(NamedTuple):
    """A note in the collection that has a GUID of the feed's but is not the feed's, and why."""

    guid: str
    title: str
    why: WhyAlone


class Back(NamedTuple):
    """A note that the author brought back, with the cards that an update suspended when it was removed."""

    guid: str
    title: str
    cards: tuple[int, ...]


class Counts(NamedTuple):
    """How many notes an update concerns; `looks` are note types.

    Each note that the author changed counts once: in `conflicts` if some text of the author's waits, in
    `merged` if the learner's edits stay beside the author's, otherwise in `changed`. `retired` are offered to
    be suspended or deleted; `retired_kept` were edited and stay.
    """

    conflicts: int = 0
    merged: int = 0
    changed: int = 0
    new: int = 0
    moved: int = 0
    retired: int = 0
    retired_kept: int = 0
    gone: int = 0
    stays: int = 0
    looks: int = 0


@dataclass(frozen=True, slots=True)
class DeckUpdate:
    """What the newest release of a feed changes in a collection. Nothing of it is applied yet.

    `subscription` is the one before, and `after` that afterwards, as far as it is known before the update is
    written; `is_first` if the learner does not follow the deck yet. `plan` is the
    plan of a push. `back` are notes whose cards an update suspended, which the author brought back. `renamed`
    are the author's new names of decks by the old ones, and `in_place` those of the old ones of which the
    deck here gets a new name, too; decks in `blocked` keep theirs, because they hold what is not the feed's.
    `types` are the ids of
    note types in the collection by the author's, and `fields` contains, by the author's id, the place in the
    author's note for each field of the learner's note type, `None` for the learner's own. `left_out` are
    fields and templates that the learner's note type lacks, with the note type, and that were not named
    before. `here` is the number of the feed's notes in the collection, `own` the GUIDs of all notes there
    that are the feed's, and `since` the time of the release that their texts come from, or -1. `adopted` is
    the number of notes that an import by hand brought and that follow from now on: the learner agreed.
    """

    source: FeedSource
    subscription: Subscription
    after: Subscription
    is_first: bool
    plan: PushPlan
    retired: tuple[RetiredNote, ...]
    back: tuple[Back, ...]
    renamed: Mapping[str, str]
    in_place: AbstractSet[str]
    blocked: Mapping[str, str]
    descriptions: Mapping[str, Description]
    types: Mapping[int, int]
    fields: Mapping[int, tuple[int | None, ...]]
    left_alone: tuple[LeftAlone, ...]
    left_out: tuple[tuple[str, str], ...]
    dangers: tuple[Danger, ...]
    here: int
    own: AbstractSet[str]
    since: int
    adopted: int

    @property
    def to_look_at(self) -> int:
        """The number of notes with a field that waits for the learner after the update."""
        return sum(guid in self.source.package.notes for guid in self.after.waiting)

    @property
    def counts(self) -> Counts:
        """How many notes the update concerns."""
        plan = self.plan
        clean = sum(each.is_clean for each in self.retired)
        ways = Counter(how_changed(each) for each in plan.changes if each.is_update or each.conflicts)
        return Counts(
            ways["conflicts"],
            ways["merged"],
            ways["changes"],
            len(plan.new),
            len({move.ours.guid for move in plan.moves}),
            clean,
            len(self.retired) - clean,
            sum(self.is_touched(note.guid) for note in plan.gone),
            sum(map(self.is_touched, {move.ours.guid for move in plan.stays})),
            len(plan.looks),
        )

    @property
    def kept_looks(self) -> tuple[str, ...]:
        """The names of the note types that keep the learner's look."""
        types = self.source.package.types
        return tuple(types[int(each)].name for each in (*self.plan.look_conflicts, *self.plan.look_kept))

    @property
    def by_hand(self) -> int:
        """The number of notes that follow if the learner agrees: an import by hand may have brought them."""
        return sum(each.why is WhyAlone.BY_HAND for each in self.left_alone)

    @property
    def is_whole_deck_deleted(self) -> bool:
        """Whether the learner deleted all notes of the deck."""
        return not self.is_first and not self.here and bool(self.plan.gone)

    @property
    def parts(self) -> Mapping[str, Sized]:
        """What *Update* applies, part by part; `listing` has lines for each of them."""
        plan = self.plan
        return {
            "renamed": {old: new for old, new in self.renamed.items() if old in self.in_place},
            "looks": plan.looks,
            "files": plan.files,
            "descriptions": self.descriptions,
            "changes": [each for each in plan.changes if each.is_update or each.conflicts],
            "moves": plan.moves,
            "back": self.back,
            "new": plan.new,
            "retired": self.retired,
        }

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply except the number of the release."""
        return not any(self.parts.values())

    def is_touched(self, guid: str) -> bool:
        """Whether the author changed, moved or renamed the deck of a note since the learner's release."""
        feed = self.source.feed
        return feed.notes[guid][-1].release > feed.number_at(self.subscription.release)


_TITLE_READ = 2_000
_LONGEST_TITLE = 198  # with `…` it is as long as a window shows
_LAST_WORD = re.compile(r"\s\S{0,30}\Z")


def title_of(fields: Sequence[str]) -> str:
    """Return the first line of the first field with words, if it is long its beginning.

    It may not be the question, as a cloze has none.
    """
    for html in fields[:3]:
        line = as_lines(html[:_TITLE_READ], _TITLE_READ).partition("\n")[0]
        if line and "image-occlusion:" not in line:
            return cut(line, _LONGEST_TITLE)
    return ""


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, up to the end of a word if one ends there, with `…` if words follow."""
    begin = _LAST_WORD.sub("", text[: most + 1])[:most]
    return f"{begin} …" if len(text) > most else text


def is_internal(names: Sequence[str], place: int) -> bool:
    """Whether a field is one of the built-in note types that nobody writes: GUID or Topic."""
    return {"GUID", TOPIC} <= {*names} and names[place] in ("GUID", TOPIC)


def how_changed(change: Change) -> str:
    """Return which part of the list a changed note is in: `conflicts`, `merged` or else `changes`."""
    return "conflicts" if change.conflicts else "merged" if change.is_merged else "changes"


class Difference(NamedTuple):
    """A field in which learner and author differ; `waits` is true if the learner has not decided yet.

    `key` is what the field is called in all versions of the author's note type, and `number` its place in the
    learner's.
    """

    guid: str
    nid: int
    title: str
    field: str
    key: FieldKey
    number: int
    mine: str
    authors: str
    waits: bool
