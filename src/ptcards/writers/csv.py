"""CSV for people, Excel and pandas: RFC 4180, Markdown as written, formulas marked as text.

It is not for Anki, which would guess the wrong separator and import the header as a note.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from ptcards.files import Replacing, replacing
from ptcards.notes import Choice, Kind, Note, Text

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


def _cells(cells: Iterable[str]) -> str:
    return ",".join(['"' + cell.replace('"', '""') + '"' for cell in cells])


def csv_rest(note: Note) -> str:
    """Return the row of a note from the third cell on, after GUID and key."""
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
        _paragraphs(note.context, note.heading.markdown, note.question.markdown),
        answer,
        note.hint.markdown,
        note.details.markdown,
        "\n".join(_task(choice) for choice in note.choices),
        note.sources.markdown,
    )
    return csv_row(map(_as_text, cells))


def _own_rest(note: Note) -> str:
    """Return the row of a note with one of the collection's own note types.

    Fields without a column are part of the details.
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
    """Return a cell that spreadsheets do not run as a formula.

    It adds `'` before a formula, and before an existing `'`.
    """
    return f"'{cell}" if cell.startswith(_RUN_BY_SPREADSHEETS) else cell


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _task(choice: Choice) -> str:
    """Return an option as the author wrote it: a task list item, with its comment as a nested list."""
    item = f"- [{'x' if choice.correct else ' '}] {_hang(choice.text.markdown, 4)}"
    comment = choice.comment.markdown
    if not comment:
        return item
    # The parser removes the list mark of a single comment, and keeps several comments as a list.
    nested = comment if _LIST_MARK.match(comment) else "- " + _hang(comment, 2)
    return f"{item}\n    {_hang(nested, 4)}"


def _hang(markdown: str, columns: int) -> str:
    """Return Markdown with all lines except the first indented."""
    return re.sub(r"\n(?!\n|\Z)", "\n" + " " * columns, markdown)
