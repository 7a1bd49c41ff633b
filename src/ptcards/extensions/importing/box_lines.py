"""Writes boxes of a picture into the lines of a source."""

import re
from collections.abc import Iterable

from ptcards.notes import Note
from ptcards.source.attributes import Lines

_ITEM = re.compile(r"([ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+)(?:[^:]*:[ \t]*)?(.*)")
"""The mark of an item, the place of its box, which is not kept, and its label."""


def with_boxes(lines: Lines, note: Note, boxes: Iterable[tuple[int, str]]) -> Lines | None:
    """Return the lines of a source with these boxes of a note, or `None` if a line is not that of an item.

    Each has the position of its item, or that after the last one if it is new, and the text of its first
    line: place and label, the place and `: ` if the label stays, or nothing if both stay.
    """
    rows = [label.rows for label in note.items]
    first, end = (rows[0][0], rows[-1][1]) if rows else (note.answer.rows[1],) * 2
    line_end, last = lines[0][1] or "\n", lines[end - 1][1]
    mark, new = "- ", [] if rows else [("", line_end)]
    for position, text in boxes:
        item = lines[slice(*rows[position])] if position < len(rows) else [(mark, "")]
        found = _ITEM.match(item[0][0])
        if found is None:
            return None
        mark = found[1]
        if text:
            item[0] = (mark + text + (found[2] if text.endswith(": ") else ""), item[0][1])
        new += [(written, ending or line_end) for written, ending in item]
    above = lines[:first]
    if new and above:
        above[-1], new[-1] = (above[-1][0], above[-1][1] or line_end), (new[-1][0], last)
    return [*above, *new, *lines[end:]]
