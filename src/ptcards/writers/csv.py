"""CSV for people, Excel and pandas: RFC 4180, Markdown as written, formulas marked as text.

Not for Anki, which would guess the separator wrong and take the header for a note.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from ptcards.files import replacing
from ptcards.notes import Choice, Kind, Note, Text

COLUMNS = (
    "guid",
    "key",
    "deck",
    "kind",
    "difficulty",
    "tags",
    "question",
    "answer",
    "hint",
    "details",
    "choices",
    "sources",
)

_RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "'")
"""Beginnings of formulas, and the mark of a text, so that it can be taken off again."""

_LIST_MARK = re.compile(r"(?:[-+*]|\d{1,9}[.)])\s")


def write_csv(*, path: Path, rows: Iterable[tuple[str, str, str]]) -> None:
    """Write a row for each GUID, key and `csv_rest`, in the order of the sources.

    Lines end with CRLF, inside a cell with LF.

    Raises:
        OutputError: the file cannot be written.

    """
    with replacing(path) as file:
        # Excel takes a file without the byte order mark for the local 8-bit encoding.
        file.write(csv_row(COLUMNS).encode("utf-8-sig"))
        for guid, key, rest in rows:
            file.write(f"{_cells(map(_as_text, (guid, key)))},{rest}".encode())


def csv_row(cells: Iterable[str]) -> str:
    """Write a row with every cell quoted.

    A code comment at a row's begin would be dropped by some readers.
    """
    return _cells(cells) + "\r\n"


def _cells(cells: Iterable[str]) -> str:
    return ",".join(['"' + cell.replace('"', '""') + '"' for cell in cells])


def csv_rest(note: Note) -> str:
    """Write the row of a note from the third cell on: GUID and key are not its own."""
    if note.own_type:
        return _own_rest(note)
    if note.kind is Kind.CHOICE:
        right = "\n".join(choice.text.markdown for choice in note.choices if choice.correct)
        answer = _paragraphs(right, note.answer.markdown)
    else:
        answer = _paragraphs(note.typed, note.answer.markdown)
    cells = (
        note.deck,
        note.kind.value,
        note.difficulty,
        " ".join(note.tags),
        _paragraphs(note.heading.markdown, note.question.markdown),
        answer,
        note.hint.markdown,
        note.details.markdown,
        "\n".join(_task(choice) for choice in note.choices),
        note.sources.markdown,
    )
    return csv_row(map(_as_text, cells))


def _own_rest(note: Note) -> str:
    """Write the row of a note whose note type is the collection's own.

    What has no column is among the details.
    """
    second = note.fields[1][1] if len(note.fields) > 1 else Text()
    details = [f"**{name}**\n\n{text.markdown}" for name, text in note.fields[2:] if text]
    cells = (
        note.deck,
        note.own_type.removeprefix("x-"),
        note.difficulty,
        " ".join(note.tags),
        note.first_field.markdown,
        second.markdown,
        "",
        _paragraphs(*details),
        "",
        "",
    )
    return csv_row(map(_as_text, cells))


def _as_text(cell: str) -> str:
    """Return a cell that no spreadsheet runs as a formula.

    `'` goes before one that it would, and before a `'`.
    """
    return f"'{cell}" if cell.startswith(_RUN_BY_SPREADSHEETS) else cell


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _task(choice: Choice) -> str:
    """Write an option as the author did: an item of a task list, its comment a list inside."""
    item = f"- [{'x' if choice.correct else ' '}] {_hang(choice.text.markdown, 4)}"
    comment = choice.comment.markdown
    if not comment:
        return item
    # The parser takes the mark from a lone comment, and leaves several a list.
    nested = comment if _LIST_MARK.match(comment) else "- " + _hang(comment, 2)
    return f"{item}\n    {_hang(nested, 4)}"


def _hang(markdown: str, columns: int) -> str:
    """Indent all lines but the first."""
    return re.sub(r"\n(?!\n|\Z)", "\n" + " " * columns, markdown)
