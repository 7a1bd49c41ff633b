"""Turns the cloze marks of other programs into deletions; each gets its own number unless it has one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_FOOT = re.compile(r"(?P<number>\[\^(?P<seq>[\dahs]+)\])|(?P<hint>\^\[(?P<text>[^\]]{0,500}+)\])")
_MOST = 99
_MARKS: Mapping[str, re.Pattern[str]] = {
    "mark": re.compile(r"==(?P<inner>.+?)=="),
    # Limited in length: otherwise, the search for the partner of each mark may run to the end of a long line.
    "bold": re.compile(r"\*\*(?P<inner>(?=\S).{1,500}?(?<=\S))\*\*"),
    "curly": re.compile(r"\{\{(?P<inner>.{1,500}?)\}\}"),
}


class Deleted(NamedTuple):
    """A line with deletions, the same line without code, the number of `marks`, and whether they overlap."""

    text: str
    seen: str | None
    marks: int
    overlapping: bool = False


class _Deletion(NamedTuple):
    """A mark to turn into a deletion, from `start` to `end` of a line, with its number, text and hint."""

    start: int
    end: int
    number: int
    inner: tuple[int, int]
    hint: str = ""


def has_cloze(seen: str | None, names: Sequence[str]) -> bool:
    """Whether a line has a cloze mark; `seen` is the line without its code, or `None` if it is all code."""
    return seen is not None and any(True for _ in _found(seen, names))


def with_deletions(line: str, seen: str | None, names: Sequence[str], number: int) -> Deleted:
    """Return a line with its marks turned into deletions; `number` is how many marks the lines above have."""
    marks = sorted(_found(seen, names), key=lambda found: found.start()) if seen is not None else []
    made: list[_Deletion] = []
    for found in marks:
        if made and found.start() < made[-1].end:
            continue
        count = len(made) + 1
        end, which, hint = _foot(line, found.end())
        if which and not which.isdigit():
            return Deleted(line, seen, count, overlapping=True)
        given = int(which) if which and 1 <= int(which[:3]) <= _MOST else number + count
        made.append(_Deletion(found.start(), end, given, found.span("inner"), f"::{hint}" if hint else ""))
    return _deleted(line, seen, made)


def with_brackets(line: str, seen: str | None, mark: re.Pattern[str], number: int) -> Deleted:
    """Return a line with matches of `mark` turned into deletions; its group `inner` is the text to recall."""
    made: list[_Deletion] = []
    for found in mark.finditer(seen or ""):
        given = int(found.groupdict().get("number") or number + len(made) + 1)
        made.append(_Deletion(*found.span(), given or 1, found.span("inner")))
    return _deleted(line, seen, made)


def _deleted(line: str, seen: str | None, made: Sequence[_Deletion]) -> Deleted:
    text, bare = (each and "".join(_with(each, made)) for each in (line, seen))
    return Deleted(text or "", bare, len(made))


def _with(line: str, made: Sequence[_Deletion]) -> Iterator[str]:
    """Yield the pieces of a line, with some of them turned into deletions."""
    at = 0
    for each in made:
        inner = line[slice(*each.inner)]
        yield f"{line[at : each.start]}{{{{c{min(each.number, _MOST)}::{inner}{each.hint}}}}}"
        at = each.end
    yield line[at:]


def _found(seen: str, names: Sequence[str]) -> Iterator[re.Match[str]]:
    for name in names:
        for found in _MARKS[name].finditer(seen):
            inner = found["inner"]
            if inner.strip("= ") and not (inner[0] == " " == inner[-1]):
                yield found


def _foot(line: str, at: int) -> tuple[int, str, str]:
    """Return the offset after a mark's number and hint, and the two values."""
    said = {"seq": "", "text": ""}
    while found := _FOOT.match(line, at):
        said |= {key: value for key, value in found.groupdict().items() if key in said and value is not None}
        at = found.end()
    return at, said["seq"], said["text"]
