"""CSV files: one for people, Excel and pandas, and one for Anki's own importer.

The file for people follows RFC 4180, with Markdown as written and formulas marked as text.

Anki would guess the wrong separator and import the header as a note.

In the file for Anki, fields are HTML, notes are matched by GUID, and directives tell Anki everything that it
would otherwise guess. Prefer the package: this file overwrites learners' newer notes without asking, and
contains neither note types nor media (docs/anki.md, Text files).
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ptcards.files import Replacing, replacing
from ptcards.notes import Choice, Kind, Note, levels_of
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import RenderedNote

COLUMNS = tuple("guid key deck kind difficulty tags question answer hint details choices sources".split())

_RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "'")
"""Characters that begin a formula, and `'`, so that the `'` that marks text can be removed again."""

_LIST_MARK = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")


def write_csv(*, path: Path, rows: Iterable[tuple[str, str, str]], write: Replacing = replacing) -> None:
    """Write one row per note (its GUID, key and `csv_rest`), in the order of the sources.

    Rows end with CRLF; lines inside a cell end with LF.

    Raises:
        OutputError: the file cannot be written.

    """
    with write(path) as file:
        # Without the byte order mark, Excel assumes the local 8-bit encoding.
        file.write(csv_row(COLUMNS).encode("utf-8-sig"))
        for guid, key, rest in rows:
            file.write(f"{_cells(map(_as_text, (guid, key)))},{rest}".encode())


def csv_row(cells: Iterable[str]) -> str:
    """Return a row with every cell quoted.

    Some readers would drop an unquoted row that begins with a comment sign.
    """
    return _cells(cells) + "\r\n"


def text_row(cells: Iterable[str]) -> str:
    """Return a row whose cells spreadsheets show as text, even if they look like formulas."""
    return csv_row(map(_as_text, cells))


def _cells(cells: Iterable[str]) -> str:
    return ",".join(['"' + cell.replace('"', '""') + '"' for cell in cells])


def csv_rest(note: Note) -> str:
    """Return the row of a note from the third cell on, after GUID and key."""
    kind, details = note.kind.value, note.details.shown
    question = _paragraphs(note.context, note.heading.shown, note.question.shown)
    if note.own_type:  # fields without a column are part of the details
        kind, question = note.own_type.removeprefix("x-"), note.first_field.shown
        answer = note.fields[1][1].shown if len(note.fields) > 1 else ""
        details = _paragraphs(*(f"**{name}**\n\n{text.shown}" for name, text in note.fields[2:] if text))
    elif note.kind is Kind.CHOICE:
        right = "\n".join(choice.text.shown for choice in note.choices if choice.correct)
        answer = _paragraphs(right, note.answer.shown)
    else:
        answer = _paragraphs(note.typed, note.answer.shown)
    cells = (
        note.deck,
        kind,
        note.difficulty,
        " ".join(note.tags),
        question,
        answer,
        note.hint.shown,
        details,
        "\n".join(_task(choice) for choice in note.choices),
        note.sources.shown,
    )
    return text_row(cells)


def _as_text(cell: str) -> str:
    """Return a cell that spreadsheets do not run as a formula.

    It adds `'` before a formula, and before an existing `'`.
    """
    return f"'{cell}" if cell.startswith(_RUN_BY_SPREADSHEETS) else cell


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _task(choice: Choice) -> str:
    """Return an option as the author wrote it: a task list item, with its comment as a nested list."""
    item = f"- [{'x' if choice.correct else ' '}] {_hang(choice.text.shown, 4)}"
    comment = choice.comment.shown
    if not comment:
        return item
    # The parser removes the list mark of a single comment, and keeps several comments as a list.
    nested = comment if _LIST_MARK.match(comment) else "- " + _hang(comment, 2)
    return f"{item}\n    {_hang(nested, 4)}"


def _hang(markdown: str, columns: int) -> str:
    """Return Markdown with all lines except the first indented."""
    return re.sub(r"\n(?!\n|\Z)", "\n" + " " * columns, markdown)


ANKI_COLUMNS = ("guid", "note type", "deck", "tags")
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
    for a missing cell. An empty first field becomes a line break, which templates treat as empty, because
    Anki skips a note whose first cell is empty. The header names the fields of the note type with the most
    fields.

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
            *(note.guid, names[note.note_type], note.deck, " ".join(note.tags)),
            *(note.fields[0] or "<br>", *note.fields[1:]),
            *[""] * (len(fields) - len(note.fields)),
        )
        for note in in_order
    ]
    header = csv_row((*ANKI_COLUMNS, *fields))
    lines = [*(f"{directive}\r\n" for directive in DIRECTIVES), header, *map(csv_row, rows)]
    with write(path) as file:
        file.write("".join(lines).encode())


def _deck_places(decks: Iterable[str]) -> dict[str, int]:
    """Return the position of each deck: the given order, but a parent comes before its subdecks.

    Otherwise, Anki adds the parent a second time, with `+` after its name (docs/anki.md, Text files).
    """
    places: dict[str, int] = {}
    for deck in dict.fromkeys(decks):
        for name in levels_of(deck):
            places.setdefault(name, len(places))
    return places
