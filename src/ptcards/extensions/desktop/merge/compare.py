"""Compares a note three ways: as last written, as in the sources, and as in Anki.

An edit in Anki is never overwritten unless the author asks for it.
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from ptcards.extensions.desktop.merge.lists import MergedList, merge_lists
from ptcards.extensions.desktop.merge.texts import digest, is_same_html, with_ids_of
from ptcards.identity.lock import Record
from ptcards.notes.rendered import FIELD_END, Row


def look_digest(css: str, templates: Sequence[tuple[str, str, str]]) -> str:
    """Return a digest of a note type's CSS, and of the name, front and back of each of its templates."""
    return digest(json.dumps([css, templates]))


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


class Pulled(NamedTuple):
    """An edit that was made in Anki and is in the Markdown.

    `theirs` is a hash of the field in Anki. `pairs` are hashes of the pairs of words of which the edit made
    more or fewer, each with their number in the Markdown.
    """

    theirs: str
    pairs: Mapping[str, int]


class Base(NamedTuple):
    """A note as it was last written, with hashes of its fields; `None` where a hash is unknown.

    If Anki has the same content but writes it differently, the hash of Anki's version follows after a `/`.
    `mod` is the time that Anki gave the note. It is negative if the note contained edits made in Anki, or if
    a later edit may have got the same time. `past`
    are the times from earlier pushes, which may reappear when a backup of Anki is restored. `whole` is a hash
    of all fields together, or empty if some are unknown. `earlier` contains the hashes of the texts that we
    wrote before, by the position of their field. `pulled` contains the edits that were written into the
    Markdown since, also by position. `lists` contains the `list_digests` of fields by the fields' hashes.
    """

    nid: int
    mod: int
    fields: tuple[str | None, ...]
    tags: frozenset[str]
    deck: str
    past: tuple[int, ...] = ()
    whole: str = ""
    earlier: Mapping[int, tuple[str, ...]] = MappingProxyType({})
    pulled: Mapping[int, Pulled] = MappingProxyType({})
    lists: Mapping[str, str] = MappingProxyType({})

    def has_written(self, place: int, text: str) -> bool:
        """Whether we wrote this text to a field before the current one; empty texts do not count."""
        known = {each for pair in self.earlier.get(place, ()) for each in pair.split("/")}
        return bool(text) and digest(text) in known

    def digests(self, place: int) -> tuple[str | None, str | None]:
        """Return the hashes of a field, first as we wrote it, then as Anki had it."""
        ours, mark, theirs = (self.fields[place] or "").partition("/")
        return (None, None) if self.fields[place] is None else (ours, theirs if mark else ours)


class Styling(NamedTuple):
    """The appearance of a note type: a digest of our templates and CSS, and one of Anki's version."""

    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class PushRecord:
    """What a push remembers about an Anki collection.

    `notes` are keyed by GUID, and `looks` by note type. `descriptions` and `files` are hashes of deck
    descriptions, and of the files whose names in Anki do not depend on their content. `lock` is a digest of
    the `deck.lock` that was pushed. `others` maps ids of notes from other programs, which have no GUID field,
    to their GUIDs.
    """

    notes: Mapping[str, Base] = field(default_factory=dict)
    looks: Mapping[str, Styling] = field(default_factory=dict)
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
class AnkiState:
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


class Overrides(NamedTuple):
    """The unsafe changes that the author has asked for."""

    overwrite: bool = False
    restore: bool = False
    move: bool = False


class Publications(NamedTuple):
    """When and in which decks a note was published."""

    mods: AbstractSet[int]
    decks: AbstractSet[str]


class Retired(NamedTuple):
    """A note that is in Anki but no longer in the sources; `is_clean` is true if nobody edited it in Anki."""

    record: Record
    theirs: Theirs
    is_clean: bool
    reviews: int


NOT_KNOWN = Publications(frozenset(), frozenset())
TOPIC = "Topic"


class Change(NamedTuple):
    """What happens to a note that is in Anki: fields by their position, tags by name.

    `written` lists the fields to write, `kept` those edited only in Anki, `conflicts` those edited in both
    places, `alike` those that differ but mean the same, and `reversals` those that have a text that we wrote
    earlier: nobody typed it, a window that was open in Anki saved it. `merged` has the texts of written lists
    that keep items edited in Anki; such a field is also kept, or a conflict if one item was edited in both
    places. `own` are the tags that the owner of the Anki collection added, and `away` those of ours that they
    removed. `in_package` is true if a package writes the note.
    """

    ours: Ours
    theirs: Theirs
    written: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    conflicts: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    in_package: bool = False
    reversals: tuple[int, ...] = ()
    away: frozenset[str] = frozenset()
    merged: Mapping[int, str] = MappingProxyType({})

    def text(self, place: int) -> str:
        """Return the text of a field that is written."""
        return self.merged.get(place, self.ours.fields[place])

    @property
    def is_update(self) -> bool:
        """Whether the push writes anything to the note."""
        return bool(self.written or self.added or self.removed)

    @property
    def is_same(self) -> bool:
        """Whether the note is the same in Anki and in the sources."""
        return not (self.is_update or self.kept or self.conflicts or self.reversals or self.own or self.away)

    @property
    def is_merged(self) -> bool:
        """Whether edits in Anki are merged with ours."""
        return self.is_update and bool(self.kept or self.own or self.away)


def is_clean(theirs: Theirs, base: Base | None, known: Publications, now: int = 0) -> bool:
    """Whether nobody has edited a note in Anki since ptcards wrote it.

    This is the case if ptcards gave the note its time, perhaps in a push before a backup of Anki was
    restored. `now` is the note's time in the sources. A note with this time does not count as clean: it
    either equals the one in the sources, or was edited in the very second of the build.
    """
    if base is not None and theirs.mod in (base.mod, *base.past):
        return True
    is_edited = base is not None and theirs.mod == -base.mod
    return not is_edited and theirs.mod != now and theirs.mod in known.mods


def is_unchanged(ours: Ours, base: Base | None, mod: int) -> bool:
    """Whether a note has changed neither in the sources nor in Anki since the last push."""
    return base is not None and base.mod == mod and base.tags == ours.tags and base.whole == digest(ours.text)


def compare(
    ours: Ours,
    theirs: Theirs,
    base: Base | None,
    known: Publications,
    *,
    overwrite: bool = False,
    extended: bool = False,
) -> Change:
    """Return what happens to a note that is both in the sources and in Anki.

    A package cannot update notes of an `extended` note type.
    """
    clean = is_clean(theirs, base, known, ours.mod)
    written: list[int] = []
    # A note that was imported from another program and not edited since gets the text from the sources.
    is_theirs = base is None and ours.row.after is None and theirs.mod == ours.mod
    kept: list[int] = []
    conflicts: list[int] = []
    alike: list[int] = []
    reversals: list[int] = []
    for place, (here, there) in enumerate(zip(ours.fields, theirs.fields, strict=True)):
        if here == there:
            continue
        before, before_there = base.digests(place) if base else (None, None)
        as_there = with_ids_of(there, here)
        is_unchanged = before is not None and before in (digest(here), digest(as_there))
        is_unedited = before_there is not None and before_there == digest(there)
        if as_there == there:
            alike.append(place)
        elif clean or (is_unedited and not is_unchanged):
            written.append(place)
        elif base and not is_unedited and base.has_written(place, there):
            (written if overwrite else reversals).append(place)
        elif is_unchanged:
            (alike if is_unedited or is_same_html(here, there) else kept).append(place)
        elif is_theirs or is_same_html(here, there):
            alike.append(place)
        elif overwrite or (base and place in base.pulled and base.pulled[place].theirs == digest(there)):
            written.append(place)
        else:
            conflicts.append(place)
    lists = dict(_merged_lists(ours, theirs, base, conflicts))
    merged = {place: each.field for place, each in lists.items() if each.field != theirs.fields[place]}
    written += merged
    kept += [place for place, each in lists.items() if not each.waits]
    conflicts = [place for place in conflicts if place not in kept]
    if ours.row.after is not None:  # not one of the collection's own note types
        _pass_over(ours.names.index(TOPIC), alike, written, kept, conflicts, reversals)
    given = theirs.tags if clean else base.tags if base else frozenset()
    own = _without(_without(theirs.tags, given), ours.tags)
    missing, removed = _without(ours.tags, theirs.tags), _without(theirs.tags, ours.tags | own)
    added = _without(missing, _without(given, theirs.tags))
    away = missing - added
    in_package = (
        bool(written or added or removed)
        and not (kept or conflicts or reversals or own or away or extended)
        and clean
        and ours.mod > theirs.mod  # Anki skips notes that are not newer.
    )
    places = tuple(written), tuple(kept), tuple(conflicts), tuple(alike)
    return Change(ours, theirs, *places, added, removed, own, in_package, tuple(reversals), away, merged)


def _merged_lists(
    ours: Ours, theirs: Theirs, base: Base | None, conflicts: Iterable[int]
) -> Iterator[tuple[int, MergedList]]:
    """Yield the fields among conflicts, by position, of which the items can be merged one by one."""
    if base is None:
        return
    for place in conflicts:
        there = theirs.fields[place]
        digests = base.lists.get(base.digests(place)[0] or "", "")
        if merged := merge_lists(digests, with_ids_of(there, ours.fields[place]), there):
            yield place, merged


def _pass_over(topic: int, alike: list[int], written: list[int], *others: list[int]) -> None:
    """Count a difference in the field `Topic` as none, because a move is not an edit.

    If other fields are written, it is written with them.
    """
    for places in (*others, *([written] if written == [topic] else [])):
        if topic in places:
            places.remove(topic)
            alike.append(topic)


def fold(tags: Iterable[str]) -> frozenset[str]:
    """Return tags in the form in which Anki compares them."""
    return frozenset(tag.casefold() for tag in tags)


def _without(tags: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the tags that are not among the others; like Anki, ignore case."""
    keys = fold(others)
    return frozenset(tag for tag in tags if tag.casefold() not in keys)
