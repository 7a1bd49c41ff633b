"""Finds Obsidian's comments: from `%%` to the next `%%`."""

import re
from collections.abc import Iterator, Sequence

MARK = "%%"
_COMMENT = re.compile(r"%%.*?%%")


def outside_comments(
    lines: Sequence[str], seen: Sequence[str | None], *, to_end: bool
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the part of each line outside comments; 0 and 0 if there is none.

    `seen` are the lines without their code. A comment on one line with other text is kept. A comment that
    begins after other text must end in the same paragraph. A comment that never ends is text, but with
    `to_end`, one that begins a line hides the rest, as in Obsidian.
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
    """Return, for each line, whether a mark is below it, and whether one is below it in its paragraph."""
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
