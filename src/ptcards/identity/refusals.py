"""What a build refuses: losing notes by accident, changing note types that learners have, and outdated locks.

Notes are lost by accident only in files of other programs: a card may be left out, or a changed setting may
make hundreds disappear.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from ptcards.diagnostics import Diagnostic, Location, counted, error, warning
from ptcards.identity.hashes import LONGEST_HEADING, Summary, one_line
from ptcards.identity.history import NO_HISTORY, PUBLISHED_LATER, History
from ptcards.identity.lock import Lock, Record
from ptcards.identity.resolve import Identities
from ptcards.notes import LeftOut
from ptcards.notes.notetypes import NoteType


def locked_differences(
    found: Identities, notes: Sequence[Summary], lock: Lock, history: History = NO_HISTORY
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
        f"{lock.shown}: note type {kind.name}: templates or CSS changed"
        for kind in found.lock.types
        if types.get(kind.name) != kind.hash
    ]
    if later := history.later(lock):
        listed.append(f"{lock.shown}: {counted(len(later), 'note')} {PUBLISHED_LATER}")
    return tuple(listed)


def _difference(old: Record, new: Record) -> str:
    if old.live != new.live:
        return "back" if new.live else "gone"
    parts = (
        ("id", "id"),
        ("deck", "deck"),
        ("question", "question"),
        ("answer", "answer"),
        ("heading", "heading"),
        ("content", "text"),
    )
    changed = [
        word for part, word in parts if getattr(old.fingerprint, part) != getattr(new.fingerprint, part)
    ]
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
            yield warning(place(each.key), "shared-look", message, fix)
            continue
        else:
            continue
        yield error(place(each.key), "frozen-note-type", message, fix)


def check_lost_types(lock: Lock, folders: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield an error for each note type of published notes that the collection no longer has.

    `folders` maps the keys of note types in the lock to the folders that are missing. Without such a folder,
    its notes would be read as questions, and learners would get new notes instead of theirs.
    """
    live = Counter(each.fingerprint.note_type for each in lock.records if folders and each.live)
    for key, folder in folders.items():
        if number := live[key]:
            message = f"the note type of {counted(number, 'published note')}, `{folder}`, is missing"
            fix = "restore the folder; to retire these notes, build without them before you delete it"
            yield error(Location(lock.shown, 1, 0), "note-type-lost", message, fix)


_FEWEST = 10
"""The minimum number of notes; fewer are often deleted together on purpose."""
_PERCENT = 20


def lost_notes(
    retired: Sequence[Record],
    left_out: Iterable[LeftOut],
    before: Lock,
    place: Location,
    *,
    accept: bool = False,
) -> Iterator[Diagnostic]:
    """Yield errors about published notes that a build would retire although nobody deleted them.

    `place` is the location of the error about many missing notes, which `accept` turns off.
    """
    yield from _left_out(retired, left_out)
    live = sum(record.live for record in before.records)
    if not accept:
        yield from _many_gone(len(retired), live, place)


def _left_out(retired: Sequence[Record], cards: Iterable[LeftOut]) -> Iterator[Diagnostic]:
    """Yield an error for each published card that is left out and would be retired."""
    published = {record.fingerprint.heading for record in retired if record.fingerprint.heading}
    for each in cards:
        heading = one_line(each.heading)[:LONGEST_HEADING].rstrip()
        if heading in published:
            fix = "write what is missing, or remove the card to retire it"
            cause = each.cause if " " in each.cause else f"`{each.cause}`"
            yield error(each.place, "left-out", f"a published card is left out: {cause}", fix)


def _many_gone(count: int, live: int, place: Location) -> Iterator[Diagnostic]:
    """Yield an error if a large part of the `live` notes would be retired together."""
    if count >= _FEWEST and count * 100 > live * _PERCENT:
        message = f"{count:,} of {live:,} published notes are missing"
        fix = "check how the files are read; run `ptcards build --accept` if this is intended"
        yield error(place, "many-gone", message, fix)
