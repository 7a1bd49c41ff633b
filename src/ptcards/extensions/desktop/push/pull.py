"""Finds the fields that were edited in Anki since the last push, and the notes that are marked there."""

from collections.abc import Container, Iterator, Sequence

from ptcards.extensions.desktop.merge.compare import AnkiState, Change
from ptcards.extensions.desktop.merge.plan import PushPlan
from ptcards.extensions.desktop.push.ankiconnect import Action, Anki
from ptcards.extensions.desktop.push.reading import read_notes
from ptcards.extensions.importing.occlusions import without_rounding
from ptcards.extensions.importing.package import MARKED, RED_FLAG
from ptcards.extensions.importing.write_back import CHANGED_HERE, FieldEdit, IdentifiedNotes
from ptcards.notes import Note
from ptcards.notes.notetypes import NoteType


def edits_of(identified: IdentifiedNotes, plan: PushPlan) -> Iterator[FieldEdit]:
    """Yield the fields that were edited in Anki since the last push, in the order of the sources."""
    changes = {change.ours.guid: change for change in plan.changes}
    for source in identified.contents.selected:
        notes = identified.contents.notes_of(source)
        for note, guid in zip(notes, identified.guids[source.start :], strict=False):
            if guid in changes:
                yield from _edits_of(note, changes[guid])


def marked_notes(anki: Anki, state: AnkiState, note_types: Sequence[NoteType]) -> dict[str, tuple[str, ...]]:
    """Return the GUIDs of the notes with a red flag or the tag `marked`, with which of the two they have."""
    if not state.types:
        return {}
    ours = " OR ".join(f"mid:{their_type.id}" for their_type in state.types.values())
    marks: dict[str, tuple[str, ...]] = {}
    for mark, query in ((RED_FLAG, RED), (MARKED, "tag:marked")):
        ids = anki.ask("findNotes", query=f"{query} ({ours})")
        for note in read_notes(anki, note_types, state.types, ids, state.guids):
            marks[note.guid] = (*marks.get(note.guid, ()), mark)
    return marks


RED = "flag:1"
"""Anki's search for cards with a red flag."""


def clear_flags(anki: Anki, state: AnkiState, note_types: Sequence[NoteType], guids: Container[str]) -> int:
    """Remove the red flags of notes, and return from how many cards. Nothing else of the cards changes."""
    ours = " OR ".join(f"mid:{their_type.id}" for their_type in state.types.values())
    flagged = set(anki.ask("findCards", query=f"{RED} ({ours})")) if ours else set()
    ids = anki.ask("findNotes", query=f"{RED} ({ours})") if ours else []
    notes = read_notes(anki, note_types, state.types, ids, state.guids)
    cards = [card for note in notes if note.guid in guids for card in note.cards if card in flagged]
    anki.write(
        Action("setSpecificValueOfCard", {"card": card, "keys": ["flags"], "newValues": [0]})
        for card in cards
    )
    return len(cards)


def _edits_of(note: Note, change: Change) -> Iterator[FieldEdit]:
    earlier = "Anki has an earlier text of the Markdown (`ptcards push --overwrite` replaces it)"
    reasons = dict.fromkeys(change.reversals, earlier) | dict.fromkeys(change.conflicts, CHANGED_HERE)
    for place in sorted((*change.kept, *reasons)):
        name, ours, theirs = change.ours.names[place], change.ours.fields[place], change.theirs.fields[place]
        settled = without_rounding(ours, theirs)
        reason = reasons.get(place, "")
        yield FieldEdit(note, change.ours.guid, place, name, ours, settled, reason, received=theirs)
