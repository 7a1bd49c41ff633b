"""Turns notes and a lock into identified notes and a new lock, with the times that learners' updates need."""

import os
import re
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from types import MappingProxyType

from ptcards.diagnostics import Diagnostic, WrongUseError
from ptcards.identity.advice import advise
from ptcards.identity.changes import Changes, compare, is_unedited
from ptcards.identity.hashes import Summary, derive_guid
from ptcards.identity.history import NO_HISTORY, History
from ptcards.identity.lock import VERSION, Fingerprint, Lock, Record, TypeRecord, id_of
from ptcards.identity.matching import match
from ptcards.identity.outcome import Earlier, Outcome, Recognised, find_recognised, unknown
from ptcards.identity.rewording import Resemblance

__all__ = [
    "Changes",
    "ClockError",
    "Identities",
    "identify",
    "read_clock",
]

_SECONDS = re.compile(r"[1-9][0-9]{0,11}")


class ClockError(WrongUseError):
    """`SOURCE_DATE_EPOCH` is not a time; a usage error with exit status 2."""


@dataclass(frozen=True, slots=True)
class Identities:
    """The identities of notes.

    `guids` and `mods` (Unix seconds) are in the order of the notes; `types` are the times when note types
    last changed. `lock` is the lock to write, and `changes` are its differences from the last one. The `mod`
    of a new note outside the selection is 0, because the note is not published. `recognised` are the notes to
    build that were matched by similarity and differ in more than typography; `respelt` counts those that
    differ only in typography. `resemblances` are the notes that the advice asks about.
    """

    guids: tuple[str, ...]
    mods: tuple[int, ...]
    types: Mapping[str, int]
    lock: Lock
    changes: Changes
    recognised: tuple[Recognised, ...]
    respelt: int
    resemblances: tuple[Resemblance, ...]


def read_clock() -> int:
    """Return the last second that is over, in Unix seconds; `SOURCE_DATE_EPOCH` overrides it.

    Anki dates edits to the second, so an edit in the current second could get the same time as the build.
    Raises ClockError if the variable is not a positive whole number: Anki rejects a package with the time 0.
    """
    override = os.environ.get("SOURCE_DATE_EPOCH")
    if override is None:
        return max(1, int(time.time()) - 1)  # a computer without a battery starts in 1970
    if not _SECONDS.fullmatch(override):
        message = f"SOURCE_DATE_EPOCH must be a whole number of seconds, 1 or more, not `{override}`"
        raise ClockError(message)
    return int(override)


def no_clock() -> int:
    """Return a placeholder time, for callers that write nothing and need no real one."""
    return 1


def identify(
    notes: Sequence[Summary],
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
    other sources do not change, and no note is retired. No time is older than in git's `history`, and drafts
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
    for position in chosen:
        guid, said, old = guids[position], prints[position], matching.found.get(position)
        published = history.newest(guid)
        if old and is_unedited(old, said, partial(content_in, position)):
            unedited.add(guid)
        edited = refresh or guid not in unedited
        updated[guid] = _record(guid, said, old, now, published=published, edited=edited)
    kept = [
        _retire(record) if selected is None else record
        for record in lock.records
        if record.guid not in updated and not (selected is None and history.is_draft(record.guid))
    ]
    records = sorted([*_with_ids_once(updated.values(), kept), *kept], key=lambda record: record.guid)
    wanted = [
        TypeRecord(name, history.newest_of_type(name), digest, *anki_types.get(name, ()))
        for name, digest in type_hashes.items()
    ]
    types = _types(lock.types, wanted, now)
    new_lock = Lock(lock.collection_id, types, tuple(records), lock.shown, new=lock.new)
    if _only_newer(lock, new_lock):
        new_lock = lock
    mods = {record.guid: record.mod for record in lock.records} | {g: r.mod for g, r in updated.items()}
    outcome = Outcome(lock, notes, prints, matching, chosen, earlier, foreign)
    advice, resemblances = advise(
        outcome, now() if now.cache_info().currsize and clock is not no_clock else None
    )
    identities = Identities(
        tuple(guids),
        tuple(mods.get(guid, 0) for guid in guids),
        {kind.name: kind.mod for kind in types},
        new_lock,
        compare(lock, new_lock, unedited),
        *find_recognised(matching, notes, chosen),
        tuple(resemblances),
    )
    return identities, advice


def _only_newer(before: Lock, after: Lock) -> bool:
    """Whether two locks differ only in what an older format lacked, which does not justify a new lock."""
    if before.version == VERSION or before.types != after.types:
        return False
    if before.version > 1:
        return before.records == after.records
    bare = (
        record._replace(fingerprint=record.fingerprint._replace(sketch=""), has_digits=False)
        for record in after.records
    )
    return before.records == tuple(bare)


def _guids(
    notes: Sequence[Summary], lock: Lock, found: Mapping[int, Record], is_selected: Sequence[bool]
) -> list[str]:
    """Return each note's GUID; selected new notes get theirs first, because only they enter the lock."""
    taken = {record.guid for record in lock.records}
    guids = {position: record.guid for position, record in found.items()}
    for position in sorted(range(len(notes)), key=lambda position: not is_selected[position]):
        if position not in guids:
            guids[position] = derive_guid(notes[position], lock.collection_id, taken)
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
    return old if is_same else old.changed(mod=mod, live=True, fingerprint=said, merged=())


def _retire(record: Record) -> Record:
    return record.changed(live=False) if record.live else record


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
        yield record.changed(fingerprint=record.fingerprint._replace(id="")) if taken else record


def _types(
    before: Iterable[TypeRecord], wanted: Iterable[TypeRecord], now: Callable[[], int]
) -> tuple[TypeRecord, ...]:
    types = {kind.name: kind for kind in before}
    types |= {kind.name: _type(kind, types.get(kind.name), now) for kind in wanted}
    return tuple(types[name] for name in sorted(types))


def _type(wanted: TypeRecord, old: TypeRecord | None, now: Callable[[], int]) -> TypeRecord:
    """Return a note type's record, with a new time if it changed; `wanted.mod` is its newest time in git."""
    if old is None:
        return replace(wanted, mod=max(now(), wanted.mod + 1))
    if wanted.mod <= old.mod and replace(wanted, mod=old.mod) == old:
        return old
    return replace(wanted, mod=max(now(), old.mod + 1, wanted.mod + 1))
