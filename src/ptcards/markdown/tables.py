r"""Reads delimiter rows and cells of GitHub's tables (https://github.github.com/gfm/#tables-extension-).

Rows are split before inline Markdown is read, so even a `|` in a code span separates cells unless it is
escaped as `\|`.
"""

import re

from ptcards.notes import Line

_DELIMITER = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?>(?:\|[ \t]*+:?-++:?[ \t]*+){0,1000})\|?[ \t]*+\Z")
_DIVIDER = re.compile(r"(?<!\\)\|")


def is_delimiter_row(text: str) -> bool:
    """Whether a line without leading spaces is a row such as `|---|:-:|`."""
    return text[:1] in "|:-" and _DELIMITER.match(text) is not None


def split_row(row: Line) -> list[Line]:
    r"""Return the cells of a row without surrounding white space, with `\|` still escaped."""
    text = row.text.rstrip(" \t")
    at = len(text) - len(text.lstrip(" \t"))
    at += text.startswith("|", at)
    cells: list[Line] = []
    while at < len(text):
        divider = _DIVIDER.search(text, at)
        end = divider.start() if divider else len(text)
        cell = text[at:end]
        indent = len(cell) - len(cell.lstrip(" \t"))
        cells.append(Line(cell.strip(" \t"), row.index, row.column + at + indent))
        at = end + 1
    return cells


def alignments(row: Line) -> tuple[str, ...]:
    """Return `left`, `right`, `center` or an empty string for each column of a delimiter row."""
    names = {(True, True): "center", (True, False): "left", (False, True): "right", (False, False): ""}
    return tuple(names[cell.text.startswith(":"), cell.text.endswith(":")] for cell in split_row(row))
