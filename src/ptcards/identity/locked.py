"""What `--locked` forbids: a build that would change the lock."""

from collections.abc import Container, Mapping, Sequence

from ptcards.diagnostics import counted
from ptcards.identity.hashes import Summary
from ptcards.identity.history import NO_HISTORY, History
from ptcards.identity.lock import Lock, Record
from ptcards.identity.resolve import NO_TYPES, identify, no_clock


def locked_differences(
    notes: Sequence[Summary],
    lock: Lock,
    *,
    type_hashes: Mapping[str, str],
    selected: Container[str] | None,
    history: History = NO_HISTORY,
    anki_types: Mapping[str, tuple[int, str]] = NO_TYPES,
) -> tuple[str, ...]:
    """Yield the lines of what a build would change in the lock, ignoring times; no clock is read.

    It compares which notes are live, their id, deck, heading and hashes, and the hashes of the note types;
    the arguments are those of `identify`.
    """
    found, _ = identify(
        notes,
        lock,
        type_hashes=type_hashes,
        clock=no_clock,
        refresh=False,
        selected=selected,
        history=history,
        anki_types=anki_types,
    )
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
        listed.append(f"{lock.shown}: older than the published version: {counted(len(later), 'note')}")
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
    return ", ".join(changed) and f"other {', '.join(changed)}"
