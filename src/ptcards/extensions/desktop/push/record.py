"""The push record: what was last written to one Anki collection.

The record is safe to lose, because it only records which values are ours.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ptcards.extensions.desktop.merge.compare import (
    Base,
    Change,
    Ours,
    Pulled,
    PushRecord,
    Styling,
    Theirs,
    TheirType,
    fold,
    tags_of,
)
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.desktop.merge.texts import digest
from ptcards.files import replacing
from ptcards.identity.lock import deck_key
from ptcards.notes.rendered import Media

_VERSION = 1
_PAST = 8
"""The number of earlier times to keep for a note."""
_EARLIER = 5
"""The number of earlier texts to keep for a field."""


def record_file(folder: Path, collection_id: str, media_folder: str) -> Path:
    """Return the path of a collection's record for the Anki collection with this media folder."""
    name = hashlib.sha256(media_folder.encode()).hexdigest()[:12]
    return folder / "push" / f"{collection_id}-{name}.json"


def read_record(file: Path) -> PushRecord | None:
    """Return the content of a record, or `None` if it is missing or unreadable."""
    try:
        said = json.loads(file.read_bytes())
        if said["version"] != _VERSION:
            return None
        notes = {guid: _read_base(each) for guid, each in said["notes"].items()}
        looks = {name: Styling(*look) for name, look in said["looks"].items()}
        others = {int(nid): str(guid) for nid, guid in said["others"].items()}
        files = dict(said["files"])
        return PushRecord(notes, looks, dict(said["descriptions"]), str(said["lock"]), others, files)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _read_base(said: Sequence[Any]) -> Base:
    """Return a note as `_base_to_write` wrote it."""
    nid, mod, fields, tags, deck, past, whole, earlier, pulled = said
    before = {int(place): tuple(some) for place, some in earlier.items()}
    edits = {int(place): Pulled(str(theirs), dict(pairs)) for place, (theirs, pairs) in pulled.items()}
    return Base(int(nid), int(mod), tuple(fields), tags_of(tags), deck, tuple(past), whole, before, edits)


def is_behind(files: Iterable[Path], lock: str) -> bool:
    """Whether the last push to any of the collections with these records used another lock.

    `lock` is the digest of the current one.
    """
    return any(memory.lock != lock for memory in map(read_record, files) if memory)


def write_record(file: Path, memory: PushRecord) -> None:
    """Write a record atomically.

    Raises:
        OutputError: the record cannot be written.

    """
    said = {
        "version": _VERSION,
        "lock": memory.lock,
        "looks": memory.looks,
        "descriptions": memory.descriptions,
        "others": memory.others,
        "files": memory.files,
        "notes": {guid: _base_to_write(base) for guid, base in memory.notes.items()},
    }
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with replacing(file) as out:
        out.write(json.dumps(said, separators=(",", ":")).encode())


def _base_to_write(base: Base) -> tuple[object, ...]:
    tags = " ".join(sorted(base.tags))
    return (*base[:3], tags, *base[4:7], dict(base.earlier), dict(base.pulled))


def record_after(
    before: PushRecord, ours: Sequence[Ours], plan: PushPlan, there: Mapping[str, Theirs]
) -> dict[str, Base]:
    """Return what to remember about notes after a push; `there` are the written notes as Anki has them."""
    deleted = {deletion.record.guid for deletion in plan.deletions}
    notes = {guid: base for guid, base in before.notes.items() if guid not in deleted}
    for note in plan.new:
        if note.guid in there:
            theirs = there[note.guid]
            change = Change(note, theirs, tuple(range(len(note.fields))), in_package=True)
            notes[note.guid] = _base(change, theirs, note.deck, None)
    held = {move.ours.guid for move in (*plan.stays, *plan.filtered)}
    for change in plan.changes:
        note, base = change.ours, before.notes.get(change.ours.guid)
        deck = note.deck if note.guid not in held else base.deck if base else ""
        notes[note.guid] = _base(change, there.get(note.guid, change.theirs), deck, base)
    gone = {note.guid for note in plan.gone}
    for note in ours:
        base = notes.get(note.guid)
        if base and note.guid not in held and base.deck != note.deck and note.guid not in gone:
            notes[note.guid] = base._replace(deck=note.deck)
    return notes


def _base(change: Change, theirs: Theirs, deck: str, before: Base | None) -> Base:
    note, read = change.ours, change.theirs.fields
    # Fields whose HTML differs but means the same count as ours if Anki still has what was compared.
    expected = tuple(read[place] if place in change.alike else text for place, text in enumerate(note.fields))
    is_same = theirs.fields == expected and fold(theirs.tags) == fold(note.tags)
    is_ours = is_same or is_taken(change, theirs)
    mod = theirs.mod if is_ours and theirs.mod < theirs.read else -theirs.mod
    past = [*before.past, before.mod] if before else []
    given = [each for each in past if each > 0 and each != mod]
    whole = digest(note.text) if is_ours else ""
    fields = tuple(_hashes(change, theirs, before))
    earlier = _earlier(fields, before) if before else {}
    left = {*change.kept, *change.conflicts}
    pulled = {place: each for place, each in before.pulled.items() if place in left} if before else {}
    return Base(theirs.nid, mod, fields, note.tags, deck, tuple(given[-_PAST:]), whole, earlier, pulled)


def _earlier(fields: Sequence[str | None], before: Base) -> dict[int, tuple[str, ...]]:
    """Return the hashes of earlier texts after fields got these hashes, newest last."""
    earlier = dict(before.earlier)
    for place, (old, new) in enumerate(zip(before.fields, fields, strict=True)):
        if old and old != new:
            # A window that was open in Anki may also bring back what was pulled.
            pulled = [before.pulled[place].theirs] if place in before.pulled else []
            past = [*earlier.get(place, ()), *pulled, old]
            earlier[place] = tuple(dict.fromkeys(each for each in past if each != new))[-_EARLIER:]
    return earlier


def is_taken(change: Change, theirs: Theirs) -> bool:
    """Whether Anki accepted a note from a package but may have renamed the files that it shows."""
    return change.in_package and bool(change.ours.row.media) and theirs.mod == change.ours.mod


def _hashes(change: Change, after: Theirs, base: Base | None) -> Iterator[str | None]:
    """Yield hashes of the fields as we last wrote them, regardless of later edits in Anki."""
    taken = is_taken(change, after)
    for place, (here, now) in enumerate(zip(change.ours.fields, after.fields, strict=True)):
        if here == now:
            yield digest(here)
        elif place in change.alike or taken:
            yield f"{digest(here)}/{digest(now)}"
        else:
            yield base.fields[place] if base else None


def looks_after(
    before: PushRecord, plan: PushPlan, looks: Mapping[str, str], types: Mapping[str, TheirType]
) -> dict[str, Styling]:
    """Return what to remember about note types; `types` are the note types as Anki has them now."""
    after = dict(before.looks)
    for name, look in looks.items():
        there = types.get(name)
        if there and (there.look == look or name not in (*plan.look_conflicts, *plan.look_kept)):
            after[name] = Styling(look, there.look)
    return after


def files_after(before: PushRecord, plan: PushPlan, files: Iterable[Media]) -> dict[str, str]:
    """Return digests of the note types' files in Anki; after a conflict, of the last one that we wrote."""
    digests = {
        file.name: before.files.get(file.name, "") if file.name in plan.file_conflicts else file.digest
        for file in files
    }
    return {name: digest for name, digest in digests.items() if digest}


def descriptions_after(before: PushRecord, plan: PushPlan, descriptions: Mapping[str, str]) -> dict[str, str]:
    """Return digests of the deck descriptions that Anki has."""
    sent = plan.sent_decks
    return dict(before.descriptions) | {
        deck: text
        for deck, text in descriptions.items()
        if deck_key(deck) in sent or deck not in before.descriptions
    }
