"""Tables that GitHub and the card show as text."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, counted
from ptcards.lint.note import Part, Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.blocks import BlockKind
from ptcards.markdown.tables import is_delimiter_row, split_row
from ptcards.notes import Line

_ROW = re.compile(r"\|.*\S.*(?<!\\)\|[ \t]*\Z")
_ORG_DELIMITER = re.compile(r"\|[ \t]*:?-+:?[ \t]*(?:[+|][ \t]*:?-+:?[ \t]*)*\|[ \t]*\Z")
"""Matches a delimiter row, also that of Org mode, as in `|---+---|`."""
_COLUMN = " --- "
_ABOVE = re.compile(r"[ \t>]*\Z")
"""Matches what can be repeated before a new line: the indentation and the marks of quotes."""


class _Broken(NamedTuple):
    """Rows that were meant as a table, what to report, and the row that they lack if it is certain."""

    header: Line
    line: Line
    length: int
    message: str
    delimiter: str


class BrokenTable(Rule, severity="warning"):
    """The rows of a table are shown as text.

    Why: GitHub and the card recognise a table by the row below its header, which must have as many columns
    as the header. Without such a row, they show every `|` and `-`.

    For instance:

        | layer  | parameters |
        |---|
        | conv1  | 448        |

    Fix: write a delimiter row with a `---` for each column.

        | layer  | parameters |
        | ------ | ---------- |
        | conv1  | 448        |

    `--fix` does this if no row has another number of cells than the header.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the header or the delimiter row of each broken table."""
        if "|" not in note.prose:
            return
        for part in note.parts:
            for each in _broken_tables(part):
                place = part.text.location(each.line.index, each.line.column)
                yield self.report(place, each.message, _advice(each), each.length)

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the delimiter row, where only one is possible."""
        for note in draft.notes:
            if "|" not in note.prose:
                continue
            for part in note.parts:
                for each in _broken_tables(part):
                    place = part.text.location(each.line.index, each.line.column)
                    if not each.delimiter or not place.column:
                        continue
                    before = draft.lines[place.line - 1][: place.column - 1]
                    if each.line is not each.header:
                        yield Edit(place.line, place.column, each.line.text, each.delimiter)
                    elif _ABOVE.match(before):
                        new = f"{each.line.text}\n{before}{each.delimiter}"
                        yield Edit(place.line, place.column, each.line.text, new)


def _advice(broken: _Broken) -> str:
    delimiter = f"|{'|'.join([_COLUMN] * len(split_row(broken.header)))}|"
    return f"write `{delimiter}` below the header" if len(delimiter) < 60 else "write one `---` per column"


def _broken_tables(part: Part) -> Iterator[_Broken]:
    """Yield what was meant as a table in the paragraphs of a part; each paragraph has at most one."""
    for block in part.blocks:
        if block.kind is BlockKind.PARAGRAPH and (found := _find(block.lines)):
            yield found


def _find(lines: tuple[Line, ...]) -> _Broken | None:
    for at, (header, line) in enumerate(pairwise(lines)):
        if "|" not in header.text:
            continue
        cells = split_row(header)
        text = line.text.strip()
        if "|" in text and (is_delimiter_row(text) or _ORG_DELIMITER.match(text)):
            columns = split_row(Line(text.replace("+", "|"), 0, 1))
            if len(columns) == len(cells) and "+" not in text:
                continue
            rows = [split_row(row) for row in lines[at + 2 :] if "|" in row.text]
            sure = len(cells) > 1 and all(len(row) == len(cells) for row in rows)
            kept = [f" {column.text} " for column in columns][: len(cells)]
            delimiter = f"|{'|'.join(kept + [_COLUMN] * (len(cells) - len(kept)))}|"
            message = (
                "not a table: its delimiter row has `+` instead of `|`"
                if len(columns) == len(cells)
                else f"not a table: {counted(len(columns), 'column')} below {len(cells)}"
            )
            return _Broken(header, line, len(text), message, delimiter if sure else "")
        if _ROW.match(header.text) and _ROW.match(line.text) and len(cells) == len(split_row(line)) > 1:
            sure = not at and all(len(split_row(row)) == len(cells) and _ROW.match(row.text) for row in lines)
            delimiter = f"|{'|'.join([_COLUMN] * len(cells))}|"
            message = "not a table: it has no row such as `|---|---|` below its header"
            return _Broken(header, header, len(header.text.rstrip()), message, delimiter if sure else "")
    return None
