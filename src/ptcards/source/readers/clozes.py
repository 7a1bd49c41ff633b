"""Deletions as other programs mark them inside lines; each gets its own number unless it has one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_FOOT = re.compile(r"(?P<number>\[\^(?P<seq>[\dahs]+)\])|(?P<hint>\^\[(?P<text>[^\]]*)\])")
_MOST = 99
_MARKS: Mapping[str, re.Pattern[str]] = {
    "mark": re.compile(r"==(?P<inner>.+?)=="),
    # Bounded: for marks without a partner, the search would run to the end of a long line, once for each.
    "bold": re.compile(r"\*\*(?P<inner>(?=\S).{1,500}?(?<=\S))\*\*"),
    "curly": re.compile(r"\{\{(?P<inner>.{1,500}?)\}\}"),
}


class Deleted(NamedTuple):
    """A line with deletions, the number of its `marks`, and whether they overlap."""

    text: str
    marks: int
    overlapping: bool = False


def has_cloze(seen: str | None, names: Sequence[str]) -> bool:
    """Whether a line has a mark; `seen` is the line without its code, `None` if all of it is code."""
    return seen is not None and any(True for _ in _found(seen, names))


def with_deletions(line: str, seen: str | None, names: Sequence[str], number: int) -> Deleted:
    """Return a line with a deletion for each mark; `number` is the number of marks above it."""
    marks = sorted(_found(seen, names), key=lambda found: found.start()) if seen is not None else []
    made: list[str] = []
    end = count = 0
    for found in marks:
        if found.start() < end:
            continue
        count += 1
        made.append(line[end : found.start()])
        end, which, hint = _foot(line, found.end())
        if which and not which.isdigit():
            return Deleted(line, count, overlapping=True)
        inner = line[found.start("inner") : found.end("inner")]
        given = int(which) if which and 1 <= int(which[:3]) <= _MOST else number + count
        made.append(f"{{{{c{min(given, _MOST)}::{inner}{f'::{hint}' if hint else ''}}}}}")
    return Deleted("".join([*made, line[end:]]), count)


def with_brackets(line: str, seen: str | None, mark: re.Pattern[str], number: int) -> Deleted:
    """Return a line with a deletion for each match of `mark`, whose group `inner` is the text to recall."""
    made: list[str] = []
    end = count = 0
    for found in mark.finditer(seen or ""):
        count += 1
        given = int(found.groupdict().get("number") or number + count)
        inner = line[found.start("inner") : found.end("inner")]
        made += [line[end : found.start()], f"{{{{c{min(given, _MOST) or 1}::{inner}}}}}"]
        end = found.end()
    return Deleted("".join([*made, line[end:]]), count)


def _found(seen: str, names: Sequence[str]) -> Iterator[re.Match[str]]:
    for name in names:
        for found in _MARKS[name].finditer(seen):
            inner = found["inner"]
            if inner.strip("= ") and not (inner[0] == " " == inner[-1]):
                yield found


def _foot(line: str, at: int) -> tuple[int, str, str]:
    """Return the end of the number and hint after a mark, and both values."""
    said = {"seq": "", "text": ""}
    while found := _FOOT.match(line, at):
        said |= {key: value for key, value in found.groupdict().items() if key in said and value is not None}
        at = found.end()
    return at, said["seq"], said["text"]
