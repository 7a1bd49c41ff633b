"""Carries out a plan so that the next push can continue an interrupted one."""

import base64
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ptcards.extensions.desktop.merge.compare import AnkiState, Change, Ours, Theirs
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.desktop.push.ankiconnect import (
    Action,
    ActionError,
    Anki,
    AnkiError,
    ChangedMeanwhileError,
)
from ptcards.extensions.desktop.push.reading import export_decks, read_notes, read_types, with_guids
from ptcards.files.temporary import temporary_folder
from ptcards.identity.lock import deck_key
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Media
from ptcards.source.media import media_content
from ptcards.writers.outputs import Edition

_UPLOAD = "_ptcards-push.apkg"
"""The name of a package in the media folder; Anki never reports files that begin with `_` as unused."""
_MOST_UPLOADED = 4 << 20
"""The maximum size of an upload in bytes: Anki takes 5 seconds for 4 MB, and minutes for 16 MB."""
_UNTOUCHED = 1
"""A time for a note type that is never newer than Anki's version."""
_BACKUPS = 5
_BY_HAND = "run `ptcards build`, and import the package by hand: File › Import"
_LONGEST_WAIT = 5.0
"""The maximum number of seconds to wait.

If the lock is further ahead of the clock than this, no edit in Anki can get the same time.
"""


def carry_out(
    anki: Anki, plan: PushPlan, found: AnkiState, edition: Edition, files: Sequence[Media]
) -> dict[str, Theirs]:
    """Carry out a plan; return the written notes by GUID, as they are in Anki afterwards.

    The package has the note types and decks of the `edition`. `files` replace those in Anki with the same
    names. The package is imported last, so that undo in Anki reverts it.

    Raises:
        ChangedMeanwhileError: a note to update or delete was edited after the comparison.
        AnkiError: Anki refused an action or stopped answering.

    """
    edited = [change for change in plan.updates if not change.in_package]
    _outwait([note.mod for note in (*plan.package, *(change.ours for change in edited))])
    _check_mods(anki, [*(each.theirs for each in edited), *(deletion.theirs for deletion in plan.deletions)])
    anki.write(Action("changeDeck", {"cards": move.cards, "deck": move.ours.deck}) for move in plan.moves)
    _store(anki, [*files, *_missing_media(anki, [change.ours for change in edited if change.written])])
    anki.write(action for change in edited for action in _edits(change))
    if plan.deletions:
        nids = [deletion.theirs.nid for deletion in plan.deletions]
        anki.write([Action("deleteNotes", {"notes": nids})])
    if plan.package:
        _import(anki, plan, found, edition)
    return _read_back(anki, plan, found, [note_type for note_type, _ in edition.note_types])


def _outwait(mods: Sequence[int]) -> None:
    """Wait until these times are over; they may not be if the notes were built twice within a second.

    Otherwise, an edit in Anki could get the same time as the build.
    """
    ahead = max(mods, default=0) + 1 - time.time()
    if 0 < ahead <= _LONGEST_WAIT:
        time.sleep(ahead)


def _check_mods(anki: Anki, notes: Sequence[Theirs]) -> None:
    """Raise ChangedMeanwhileError if a note was edited after the comparison.

    Notes in a package need no check, because Anki keeps the newer version.
    """
    then = {note.nid: note.mod for note in notes}
    now = anki.times(then)
    if any(now.get(nid) != mod for nid, mod in then.items()):
        message = "a note was edited in Anki during the push"
        raise ChangedMeanwhileError(message, "finish the edit in Anki, then push again")


def _missing_media(anki: Anki, notes: Sequence[Ours]) -> Iterator[Media]:
    """Yield the files that Anki lacks, for notes outside the package; the package brings its own files."""
    files = {media.name: media for note in notes for media in note.row.media}
    there = set(anki.ask("getMediaFilesNames")) if files else set()
    return (media for name, media in files.items() if name not in there)


def _store(anki: Anki, files: Sequence[Media]) -> None:
    """Replace the media files with these names; an import would keep Anki's files or rename ours."""
    for file in files:
        media_content(file, file.file)  # raises an error if the file has changed
    try:
        anki.write(
            Action("storeMediaFile", {"filename": file.name, "path": str(file.file.absolute())})
            for file in files
        )
    except ActionError:
        for file in files:
            _hand_over(anki, file.name, media_content(file, file.file))


def _edits(change: Change) -> Iterator[Action]:
    """Yield the actions that write changed fields and tags."""
    nid, tags = change.theirs.nid, (change.added, change.removed)
    if change.written:
        fields = {change.ours.names[place]: change.text(place) for place in change.written}
        yield Action("updateNoteFields", {"note": {"id": nid, "fields": fields}})
    for name, some in zip(("addTags", "removeTags"), tags, strict=True):
        if some:
            yield Action(name, {"notes": [nid], "tags": " ".join(sorted(some))})


def _import(anki: Anki, plan: PushPlan, found: AnkiState, edition: Edition) -> None:
    with temporary_folder("push") as folder:
        package = folder / "push.apkg"
        _write(package, plan, found, edition)
        try:
            anki.write([Action("importPackage", {"path": str(package)})])
        except ActionError as failure:
            # In a sandbox, or on the other side of WSL, Anki sees different files.
            if str(package) not in str(failure):
                raise ActionError(str(failure), _BY_HAND) from failure
            _upload(anki, package)


def _upload(anki: Anki, package: Path) -> None:
    """Upload a package as a media file."""
    content = package.read_bytes()
    folder = anki.ask("getMediaDirPath")
    separator = "\\" if "\\" in folder else "/"
    try:
        _hand_over(anki, _UPLOAD, content)
        anki.write([Action("importPackage", {"path": f"{folder}{separator}{_UPLOAD}"})])
    finally:
        with suppress(AnkiError):
            anki.write([Action("deleteMediaFile", {"filename": _UPLOAD})])


def _hand_over(anki: Anki, name: str, content: bytes) -> None:
    """Store a media file by sending its content: in a sandbox, Anki cannot open our files."""
    if len(content) > _MOST_UPLOADED:
        message = f"Anki cannot open local files; {len(content) >> 20} MB is too large to upload"
        raise ActionError(message, _BY_HAND)
    data = base64.b64encode(content).decode()
    anki.write([Action("storeMediaFile", {"filename": name, "data": data})])


def _write(package: Path, plan: PushPlan, found: AnkiState, edition: Edition) -> None:
    from ptcards.writers.apkg import write_package  # noqa: PLC0415 - genanki is heavy

    rows = [(note.guid, note.mod, note.row) for note in plan.package]
    sent = plan.sent_decks
    write_package(
        path=package,
        note_types=[(note_type, _time(note_type, mod, plan, found)) for note_type, mod in edition.note_types],
        decks=[deck for deck in edition.decks if deck_key(deck.name) in sent],
        rows=rows,
        newest=max(mod for _, mod, _ in rows),
    )


def _time(note_type: NoteType, mod: int, plan: PushPlan, found: AnkiState) -> int:
    """Return a time for a note type that makes Anki accept our appearance or keep its own."""
    if note_type.key in plan.looks:
        return max(mod, int(time.time()) + 1)  # newer than any edit up to now
    return _UNTOUCHED if note_type.key in found.types else mod


def _read_back(
    anki: Anki, plan: PushPlan, found: AnkiState, note_types: Sequence[NoteType]
) -> dict[str, Theirs]:
    """Return the written notes as Anki has them now."""
    written = [update.theirs.nid for update in plan.updates]
    added: set[int] = set()
    types = found.types
    if plan.brings_types(types):
        types = read_types(anki, note_types)
    if plan.new:
        query = " OR ".join(f"mid:{note_type.id}" for note_type in note_types)
        added = {nid for nid in anki.ask("findNotes", query=query) if nid not in found.mods}
    read = list(read_notes(anki, note_types, types, [*written, *sorted(added)], found.guids))
    hidden = [each for each in read if each.nid in added and not each.guid]
    if hidden:
        keys = {note_type.key for note_type in note_types if not note_type.guid_field}
        new = [note for note in plan.new if note.row.note_type in keys]
        read += with_guids(anki, new, hidden)
    return {each.guid: each for each in read if each.guid}


def back_up(anki: Anki, cards: Sequence[int], folder: Path, collection_id: str) -> list[Path]:
    """Save the top-level decks of these cards with their schedules, and return the files.

    Only the newest of the older backups are kept.

    Raises:
        AnkiError: Anki cannot save a deck.

    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = export_decks(anki, cards, folder, f"{collection_id}-{int(time.time())}")
    old = sorted(folder.glob(f"{collection_id}-*.apkg"), key=lambda each: each.stat().st_mtime)
    for file in old[: -max(_BACKUPS, len(made))]:
        file.unlink(missing_ok=True)
    return made
