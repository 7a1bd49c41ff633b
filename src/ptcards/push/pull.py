"""Finds the fields that were edited in Anki since the last push."""

from collections.abc import Iterator

from ptcards.importing.write_back import FOREIGN, FieldEdit
from ptcards.merge.compare import Change
from ptcards.notes import Note
from ptcards.push import CollectionPush
from ptcards.source.readers import OWN


def edits_of(collection: CollectionPush) -> Iterator[FieldEdit]:
    """Yield the fields that were edited in Anki since the last push, in the order of the sources."""
    _, plan = collection.plan()
    changes = {change.ours.guid: change for change in plan.changes}
    for source in collection.contents.selected:
        notes = collection.contents.notes_of(source)
        for note, guid in zip(notes, collection.guids[source.start :], strict=False):
            if guid in changes:
                yield from _edits_of(note, changes[guid], is_ours=source.parsed.dialect == OWN)


def _edits_of(note: Note, change: Change, *, is_ours: bool) -> Iterator[FieldEdit]:
    for place in sorted((*change.kept, *change.conflicts, *change.reversals)):
        reason = ""
        if place in change.conflicts:
            reason = "it also changed here"
        elif place in change.reversals:
            reason = "Anki has an earlier text of the Markdown (`ptcards push --overwrite` replaces it)"
        elif not is_ours:
            reason = FOREIGN
        yield FieldEdit(
            note,
            change.ours.guid,
            place,
            change.ours.names[place],
            change.ours.fields[place],
            change.theirs.fields[place],
            reason,
        )
