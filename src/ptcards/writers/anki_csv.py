"""CSV for Anki's own importer.

HTML fields, matched by GUID, under the directives that leave it nothing to guess.

Second choice to the package: it overwrites whatever a learner has without asking which is newer, and brings
neither note types nor media (docs/anki.md, Text files).
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ptcards.files import replacing
from ptcards.notes import RenderedNote
from ptcards.notes.notetypes import NoteType
from ptcards.writers.csv import csv_row

COLUMNS = ("guid", "note type", "deck", "tags")
"""What comes before the fields."""
DIRECTIVES = (
    "#separator:Comma",
    "#html:true",
    "#if matches:update current",
    "#guid column:1",
    "#notetype column:2",
    "#deck column:3",
    "#tags column:4",
)
"""What Anki is told. Without `if matches` it does what the learner chose last, in an import of something
else."""


def write_anki_csv(*, path: Path, note_types: Sequence[NoteType], notes: Iterable[RenderedNote]) -> None:
    """Write the notes, one a row: parent decks first, within a deck in the order of the sources.

    Anki skips the header row, because no note type is called `note type`. Every cell is quoted, for a line
    that begins with a bare `#` is dropped, and rows are complete, since a missing cell would leave the old
    field. The header names the fields of the note type that has most.

    Raises:
        OutputError: the file cannot be written.

    """
    names = {note_type.key: note_type.name for note_type in note_types}
    in_order = sorted(notes, key=lambda note: note.deck.split("::"))
    used = {note.note_type for note in in_order}
    fields = max((each.field_names for each in note_types if each.key in used), key=len, default=())
    rows = [
        (
            *(note.guid, names[note.note_type], note.deck, " ".join(note.tags), *note.fields),
            *[""] * (len(fields) - len(note.fields)),
        )
        for note in in_order
    ]
    header = csv_row((*COLUMNS, *fields))
    lines = [*(f"{directive}\r\n" for directive in DIRECTIVES), header, *map(csv_row, rows)]
    with replacing(path) as file:
        file.write("".join(lines).encode())
