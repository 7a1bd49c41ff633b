"""A source line as shown in a report, with carets under the relevant part."""

from collections.abc import Sequence

from ptcards.diagnostics.layout import visible_char, width_of

TAB = 4
"""Columns between tab stops in a shown source line."""
_ELLIPSIS = "…"


def excerpt(source: str, column: int, length: int, room: int) -> tuple[str, str]:
    """Return a source line in at most `room` columns, and the carets below it.

    Column 0 means the complete line.
    """
    if not column:  # the complete line
        column, length = len(source) - len(source.lstrip()) + 1, len(source.strip())
    start = min(column - 1, len(source))
    # A line may be megabytes long. A character takes at least one column, so nothing that fits is cut here.
    skipped = max(0, start - room)
    near = source[skipped : start + room + 1]
    cells = _cells(near)
    start -= skipped
    if start == len(cells):
        cells.append(" ")  # for the caret after the last character
    end = max(start + 1, min(start + length, len(cells)))
    widths = list(map(width_of, cells))
    if len(near) == len(source) and sum(widths) <= room:
        first, last = 0, len(cells)
    else:
        first, last = _window(widths, start, end, room - 2 * len(_ELLIPSIS))
    before = _ELLIPSIS * (skipped + first > 0)
    after = _ELLIPSIS * (skipped + last < len(source))
    indent = width_of(before + "".join(cells[first:start]))
    carets = max(1, width_of("".join(cells[start : min(end, last)])))
    return before + "".join(cells[first:last]) + after, " " * indent + "^" * carets


def _cells(text: str) -> list[str]:
    """Return the text that shows each character; a tab extends to the next stop."""
    cells: list[str] = []
    at = 0
    for char in text:
        cells.append(" " * (TAB - at % TAB) if char == "\t" else visible_char(char))
        at += width_of(cells[-1])
    return cells


def _window(widths: Sequence[int], start: int, end: int, room: int) -> tuple[int, int]:
    """Return the range to show in `room` columns, centred on the marked part if it is far along."""
    before = sum(widths[:start])
    first, last = (0 if before <= room // 4 else start), start
    room -= before if first == 0 else 0
    while last < min(end, len(widths)) and widths[last] <= room:
        room -= widths[last]
        last += 1
    growing = True
    while growing:
        growing = False
        if first > 0 and widths[first - 1] <= room:
            first, room, growing = first - 1, room - widths[first - 1], True
        if last < len(widths) and widths[last] <= room:
            room, last, growing = room - widths[last], last + 1, True
    return first, last
