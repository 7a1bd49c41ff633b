"""CSV for Anki's own importer.

Its fields are HTML, notes are matched by GUID, and directives tell Anki everything that it would otherwise
guess.

Prefer the package: this file overwrites learners' newer notes without asking, and contains neither note types
nor media (docs/anki.md, Text files).
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from ptcards.files import Replacing, replacing
from ptcards.notes import RenderedNote
from ptcards.notes.notetypes import NoteType
from ptcards.writers.csv import csv_row

COLUMNS = ("guid", "note type", "deck", "tags")
"""The columns before the fields."""
DIRECTIVES = (
    "#separator:Comma",
    "#html:true",
    "#if matches:update current",
    "#guid column:1",
    "#notetype column:2",
    "#deck column:3",
    "#tags column:4",
)
"""The directives for Anki. Without `if matches`, Anki does what the learner last chose for another file."""


def write_anki_csv(
    *,
    path: Path,
    note_types: Sequence[NoteType],
    notes: Iterable[RenderedNote],
    write: Replacing = replacing,
) -> None:
    """Write one row per note, deck by deck: the decks in the order of their first notes, but parents first.

    Anki skips the header row, because no note type is called `note type`. Every cell is quoted, because Anki
    drops a line that begins with an unquoted `#`. Rows are complete, because Anki would keep the old field
    for a missing cell. The header names the fields of the note type with the most fields.

    Raises:
        OutputError: the file cannot be written.

    """
    names = {note_type.key: note_type.name for note_type in note_types}
    notes = list(notes)
    places = _deck_places(note.deck for note in notes)
    in_order = sorted(notes, key=lambda note: places[note.deck])
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
    with write(path) as file:
        file.write("".join(lines).encode())


def _deck_places(decks: Iterable[str]) -> dict[str, int]:
    """Return the position of each deck: the given order, but a parent comes before its subdecks.

    Otherwise, Anki adds the parent a second time, with `+` after its name (docs/anki.md, Text files).
    """
    places: dict[str, int] = {}
    for deck in dict.fromkeys(decks):
        levels = deck.split("::")
        for depth in range(1, len(levels) + 1):
            places.setdefault("::".join(levels[:depth]), len(places))
    return places
