"""Finds Obsidian's comments: from `%%` to the next `%%`."""

import re
from collections.abc import Iterator, Sequence

MARK = "%%"
_COMMENT = re.compile(r"%%.*?%%")


def outside_comments(
    lines: Sequence[str], seen: Sequence[str | None], *, to_end: bool
) -> Iterator[tuple[int, int]]:
    """Yield which part of each line is outside comments; nothing of a line that has only comments.

    A comment between other text of one line stays. `seen` are the lines without their code. A comment that
    begins after other text ends in its paragraph. One that never ends is text; `to_end` hides the rest
    instead if it begins a line, as Obsidian does.
    """
    is_open = False
    for line, bare, (closes, is_near) in zip(lines, seen, _closings(seen), strict=True):
        start, end = 0, len(line)
        marks = list(_marks(bare or ""))
        if is_open:
            if not marks:
                yield 0, 0
                continue
            start = marks.pop(0) + len(MARK)
        is_open = False
        if len(marks) % 2:
            begins_line = not line[start : marks[-1]].strip()
            is_open = (closes and (is_near or begins_line)) or (to_end and begins_line)
        end = marks[-1] if is_open else end
        is_left = bare is None or not line.strip() or _COMMENT.sub("", bare[start:end]).strip()
        yield (start, end) if is_left else (0, 0)


def _marks(line: str) -> Iterator[int]:
    at = line.find(MARK)
    while at >= 0:
        yield at
        at = line.find(MARK, at + len(MARK))


def _closings(seen: Sequence[str | None]) -> list[tuple[bool, bool]]:
    """Return for each line whether a mark follows below it, and whether it does so in the same paragraph."""
    found = []
    is_below = is_near = False
    for line in reversed(seen):
        found.append((is_below, is_near))
        if line is None:
            continue
        if MARK in line:
            is_below = is_near = True
        elif not line.strip():
            is_near = False
    return found[::-1]
