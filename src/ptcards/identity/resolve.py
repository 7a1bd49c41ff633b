"""Turns notes and a lock into identified notes and a new lock, with the times that learners' updates need.

It also finds what a build must refuse.

Notes are lost by accident only in files of other programs: a card may be left out, or a changed setting may
make hundreds disappear.
"""

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Trait, WrongUseError, counted, error, warning
from ptcards.identity.advice import Recognised, advise, find_recognised
from ptcards.identity.changes import Changes, compare, is_unedited
from ptcards.identity.hashes import LONGEST_HEADING, NoteSummary, derive_guid, one_line
from ptcards.identity.history import NO_HISTORY, PUBLISHED_LATER, History
from ptcards.identity.items import HIGHEST_DELETION, Numbering, ask_about_items, live_numbers, number_items
from ptcards.identity.lock import Fingerprint, Lock, Record, TypeRecord, id_of
from ptcards.identity.match import match
from ptcards.identity.outcome import Earlier, Outcome, Resemblance, unknown
from ptcards.identity.pairs import find_resemblances
from ptcards.notes import LeftOutCard
from ptcards.notes.notetypes import NoteType

_SECONDS = re.compile(r"[1-9][0-9]{0,11}")


class ClockError(WrongUseError):
    """`SOURCE_DATE_EPOCH` is not a time; a usage error with exit status 2."""


class Identities(NamedTuple):
    """The identities of notes.

    `guids` and `mods` (Unix seconds) are in the order of the notes; `types` are the times when note types
    last changed. `items` are the numbered items of the notes to build, by position. `lock` is the lock to
    write, and `changes` are its differences from the last one. The `mod` of a new note outside the selection
    is 0, because the note is not published. `recognised` are the notes to build that were matched by
    similarity and differ in more than typography; `respelt` counts those that differ only in typography.
    `resemblances` are the notes that the advice asks about.
    """

    guids: tuple[str, ...]
    mods: tuple[int, ...]
    items: Mapping[int, Numbering]
    types: Mapping[str, int]
    lock: Lock
    changes: Changes
    recognised: tuple[Recognised, ...]
    respelt: int
    resemblances: tuple[Resemblance, ...]

    def numbers(self, position: int) -> tuple[int, ...]:
        """Return the numbers of the items of a note to build."""
        return self.items[position].numbers if position in self.items else ()


def read_clock() -> int:
    """Return the last second that is over, in Unix seconds; `SOURCE_DATE_EPOCH` overrides it.

    Anki dates edits to the second, so an edit in the current second could get the same time as the build.
    Raises ClockError if the variable is not a positive whole number: Anki rejects a package with the time 0.
    """
    override = os.environ.get("SOURCE_DATE_EPOCH")
    if override is None:
        return max(1, int(time.time()) - 1)  # a computer without a battery starts in 1970
    if not _SECONDS.fullmatch(override):
        raise ClockError(f"SOURCE_DATE_EPOCH must be a whole number of seconds, 1 or more, not `{override}`")
    return int(override)


def no_clock() -> int:
    """Return a placeholder time, for callers that write nothing and need no real one."""
    return 1


def identify(
    notes: Sequence[NoteSummary],
    lock: Lock,
    *,
    type_hashes: Mapping[str, str] = MappingProxyType({}),
    clock: Callable[[], int] = no_clock,
    refresh: bool = False,
    selected: Container[str] | None = None,
    history: History = NO_HISTORY,
    anki_types: Mapping[str, tuple[int, str]] = MappingProxyType({}),
    content_in: Callable[[int, str], str] = lambda _position, _deck: "",
    earlier: Earlier = unknown,
    foreign: Container[str] = (),
) -> tuple[Identities, list[Diagnostic]]:
    """Return the GUID and time of each note of a collection, and advice for the author.

    `notes` are all notes of the collection, because identity depends on all of them. `type_hashes` are the
    digests of the note types; `anki_types` are the ids and names of the note types that have them in the
    lock. `clock` returns Unix seconds; it is called at most once, if a record needs a time, and its
    exceptions propagate. Only callers that write the lock need a real one. `refresh` gives every note a new
    time. `selected` are the source paths to build, or None for all; with a selection, the lock's records of
    other sources do not change, and no note is retired. No time is older than in git's `history`, and notes
    that were never committed are dropped. `content_in` returns the content hash that the note at a position
    would have in a deck; without it, a note that only moved counts as changed, so only callers that need
    nothing but GUIDs and advice leave it out. `earlier` returns what a source contained before, and so where
    gone notes were; `foreign` are the sources written for other programs.
    """
    now = cache(clock)
    prints = [note.fingerprint for note in notes]
    matching = match(notes, lock.records)
    is_selected = [selected is None or note.location.path in selected for note in notes]
    chosen = [position for position, wanted in enumerate(is_selected) if wanted]
    guids = _guids(notes, lock, matching.found, is_selected)
    updated = {}
    unedited = set()
    items: dict[int, Numbering] = {}
    for position in chosen:
        guid, fingerprint, old = guids[position], prints[position], matching.found.get(position)
        published = history.newest(guid)
        numbering = _numbered(notes[position], old, history.item_numbers.get(guid, 0))
        if numbering.numbers:
            items[position] = numbering
        is_renumbered = (
            old is not None
            and numbering.records != old.items  # false for nearly every note
            and {*numbering.numbers} != {*live_numbers(old.items)}
        )
        if old and not is_renumbered and is_unedited(old, fingerprint, partial(content_in, position)):
            unedited.add(guid)
        edited = refresh or guid not in unedited
        record = _record(guid, fingerprint, old, now, published=published, edited=edited)
        is_same = record.items == numbering.records
        updated[guid] = record if is_same else record._replace(items=numbering.records)
    kept = [
        _retire(record) if selected is None else record
        for record in lock.records
        if record.guid not in updated and not (selected is None and history.is_unpublished(record.guid))
    ]
    records = sorted([*_with_ids_once(updated.values(), kept), *kept], key=lambda record: record.guid)
    wanted = [
        TypeRecord(name, history.newest_of_type(name), digest, *anki_types.get(name, ()))
        for name, digest in type_hashes.items()
    ]
    types = _types(lock.types, wanted, now)
    new_lock = Lock(lock.collection_id, types, tuple(records), lock.shown, new=lock.new)
    mods = {record.guid: record.mod for record in lock.records} | {g: r.mod for g, r in updated.items()}
    outcome = Outcome(lock, notes, prints, matching, chosen, earlier, foreign)
    time = now() if now.cache_info().currsize and clock is not no_clock else None
    resemblances, too_many = find_resemblances(outcome)
    advice = advise(outcome, time, resemblances, too_many) + list(ask_about_items(notes, items))
    identities = Identities(
        tuple(guids),
        tuple(mods.get(guid, 0) for guid in guids),
        items,
        {kind.name: kind.mod for kind in types},
        new_lock,
        compare(lock, new_lock, unedited),
        *find_recognised(matching, notes, chosen),
        tuple(resemblances),
    )
    return identities, advice


def _guids(
    notes: Sequence[NoteSummary], lock: Lock, found: Mapping[int, Record], is_selected: Sequence[bool]
) -> list[str]:
    """Return each note's GUID; selected new notes get theirs first, because only they enter the lock."""
    taken = {record.guid for record in lock.records}
    guids = {position: record.guid for position, record in found.items()}
    salts: dict[tuple[str, ...], int] = {}
    for position in sorted(range(len(notes)), key=lambda position: not is_selected[position]):
        if position not in guids:
            guids[position] = derive_guid(notes[position], lock.collection_id, taken, salts)
            taken.add(guids[position])
    return [guids[position] for position in range(len(notes))]


def _record(
    guid: str, said: Fingerprint, old: Record | None, now: Callable[[], int], *, published: int, edited: bool
) -> Record:
    """Return a note's record, with a new time if it was `edited` or git knows a later one (`published`)."""
    if old is None:
        return Record(guid, max(now(), published + 1), live=True, fingerprint=said)
    mod = max(now(), old.mod + 1, published + 1) if edited or published > old.mod else old.mod
    # If nothing changed, keep the same object, so that `compare` has nothing to do.
    is_same = mod == old.mod and old.live and old.fingerprint == said
    return old if is_same else old._replace(mod=mod, live=True, fingerprint=said, merged=())


def _numbered(note: NoteSummary, old: Record | None, highest: int) -> Numbering:
    """Return the numbers of a note's items; `highest` is the highest one that git knows.

    A published note without items was a cloze, whose deletions may have had any number of theirs.
    """
    if old and not old.items and note.items:
        highest = max(highest, HIGHEST_DELETION)
    return number_items(note.items, old.items if old else (), highest)


def _retire(record: Record) -> Record:
    return record._replace(live=False) if record.live else record


def _with_ids_once(updated: Iterable[Record], kept: Iterable[Record]) -> Iterator[Record]:
    """Yield the records, without any id that another live record already has: the lock must stay valid.

    Such duplicates occur if a note in a file outside the selection has the same id by mistake.
    """
    held = {id_of(record) for record in kept if record.live and record.fingerprint.id}
    if not held:
        yield from updated
        return
    for record in updated:
        taken = record.fingerprint.id and id_of(record) in held
        yield record._replace(fingerprint=record.fingerprint._replace(id="")) if taken else record


def _types(
    before: Iterable[TypeRecord], wanted: Iterable[TypeRecord], now: Callable[[], int]
) -> tuple[TypeRecord, ...]:
    types = {kind.name: kind for kind in before}
    types |= {kind.name: _type(kind, types.get(kind.name), now) for kind in wanted}
    return tuple(types[name] for name in sorted(types))


def _type(wanted: TypeRecord, old: TypeRecord | None, now: Callable[[], int]) -> TypeRecord:
    """Return a note type's record, with a new time if it changed; `wanted.mod` is its newest time in git."""
    if old is None:
        return wanted._replace(mod=max(now(), wanted.mod + 1))
    if wanted.mod <= old.mod and wanted._replace(mod=old.mod) == old:
        return old
    return wanted._replace(mod=max(now(), old.mod + 1, wanted.mod + 1))


def locked_differences(
    found: Identities, notes: Sequence[NoteSummary], lock: Lock, history: History = NO_HISTORY
) -> tuple[str, ...]:
    """Return a line for each note and note type that a build would change in the lock, ignoring times.

    This compares which notes are live, their ids, decks, headings and hashes, and the hashes of note types.
    """
    before = {record.guid: record for record in lock.records}
    after = {record.guid: record for record in found.lock.records}
    places = {guid: note.location for guid, note in zip(found.guids, notes, strict=True)}
    lines = []
    for guid, record in after.items():
        old = before.get(guid)
        why = "new" if old is None else _difference(old, record)
        if why:
            lines.append((places.get(guid), f"{record.fingerprint.heading}: {why}"))
    listed = [f"{place}: {line}" for place, line in sorted((p, text) for p, text in lines if p is not None)]
    listed += [f"{lock.shown}: {line}" for place, line in lines if place is None]
    types = {kind.name: kind.hash for kind in lock.types}
    listed += [
        f"{lock.shown}: note type {kind.name}: {'templates or CSS changed' if kind.name in types else 'new'}"
        for kind in found.lock.types
        if types.get(kind.name) != kind.hash
    ]
    if later := history.later(lock):
        listed.append(f"{lock.shown}: {counted(len(later), 'note')} {PUBLISHED_LATER}")
    return tuple(listed)


def _difference(old: Record, new: Record) -> str:
    if old.live != new.live:
        return "back" if new.live else "gone"
    parts = ("id", "deck", "question", "answer", "heading")
    before, after = old.fingerprint, new.fingerprint
    changed = [part for part in parts if getattr(before, part) != getattr(after, part)]
    if before.content != after.content and not {"question", "answer", "heading"} & {*changed}:
        changed.append("text")
    if old.items != new.items:
        changed.append("numbers of items")
    return ", ".join(changed) and f"changed {', '.join(changed)}"


def check_frozen(
    lock: Lock,
    note_types: Sequence[NoteType],
    place: Callable[[str], Location],
    *,
    adopted: Container[str],
) -> Iterator[Diagnostic]:
    """Yield an error for each note type that Anki would consider different from the one in the lock.

    `place` returns the location of a note type. The `adopted` note types came with an imported deck, so
    learners may use them in other decks too; a change in their appearance is therefore a warning.
    """
    known = {each.name: each for each in lock.types}
    for each in note_types:
        record = known.get(each.key)
        if record is None or not record.anki_id:
            continue
        if record.anki_id != each.id:
            message = f"the id of the note type `{each.name}` must be {record.anki_id}, as in `deck.lock`"
            fix = f'set `"id": {record.anki_id}` in `notetype.json`'
        elif each.shape and record.hash[len(each.digest) - len(each.shape) :] not in ("", each.shape):
            message = f"the fields, templates or kind of `{each.name}` differ from what learners have"
            fix = f"restore them; if nobody has the deck, delete the line `type {each.key}` from `deck.lock`"
        elif each.key in adopted and record.hash != each.digest:
            message = f"the new styling of `{each.name}` affects all decks that use it"
            fix = "if learners have other decks with this note type, keep its styling"
            yield warning(place(each.key), "shared-look", message, fix, traits=Trait.FOR_LEARNERS)
            continue
        else:
            continue
        yield error(place(each.key), "frozen-note-type", message, fix)


def check_lost_types(lock: Lock, folders: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield an error for each note type of published notes that the collection no longer has.

    `folders` maps the keys of note types in the lock to the folders that are missing. Without such a folder,
    its notes would be read as questions, and learners would get new notes instead of theirs.
    """
    live = Counter(record.fingerprint.note_type for record in lock.records if folders and record.live)
    for key, folder in folders.items():
        if number := live[key]:
            message = f"the note type of {counted(number, 'published note')}, `{folder}`, is missing"
            fix = "restore the folder; to retire these notes, build without them before you delete it"
            yield error(Location(lock.shown, 1, 0), "note-type-lost", message, fix)


def published_drafts(
    notes: Sequence[NoteSummary],
    drafts: Sequence[NoteSummary],
    lock: Lock,
    broken: Container[Location] = (),
) -> Iterator[Diagnostic]:
    """Yield an error for each draft that is a published note: the next build would retire that note.

    Drafts whose locations are in `broken` are notes with an error that the author wants to leave out.
    """
    if not drafts:
        return
    kept = {record.guid for record in match(notes, lock.records).found.values()}
    others = [record for record in lock.records if record.live and record.guid not in kept]
    for position in sorted(match(drafts, others).found):
        message = "a published note cannot be a draft"
        fix = "remove `draft` from its card comment; to retire the note, delete it"
        if drafts[position].location in broken:
            message = "a published note has an error, so it cannot be left out"
            fix = "run `ptcards check` and fix the error; to retire the note, delete it"
        yield error(drafts[position].location, "published-draft", message, fix, 2)


_FEWEST = 10
"""The minimum number of notes; fewer are often deleted together on purpose."""
_PERCENT = 20


def lost_notes(
    retired: Sequence[Record],
    left_out: Iterable[LeftOutCard],
    before: Lock,
    place: Location,
    *,
    accept: bool = False,
) -> Iterator[Diagnostic]:
    """Yield errors about published notes that a build would retire although nobody deleted them.

    `place` is the location of the error about many missing notes, which `accept` turns off.
    """
    published = {record.fingerprint.heading for record in retired if record.fingerprint.heading}
    for card in left_out:
        heading = one_line(card.heading)[:LONGEST_HEADING].rstrip()
        if heading in published:
            fix = "write what is missing, or remove the card to retire it"
            cause = card.cause if " " in card.cause else f"`{card.cause}`"
            yield error(card.place, "left-out", f"a published card is left out: {cause}", fix)
    count, live = len(retired), sum(record.live for record in before.records)
    if not accept and count >= _FEWEST and count * 100 > live * _PERCENT:
        message = f"{count:,} of {live:,} published notes are missing"
        fix = "check how the files are read; run `ptcards build --accept` if this is intended"
        yield error(place, "many-gone", message, fix)
