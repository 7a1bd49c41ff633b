"""Finds emphasis and strikethrough: which `*`, `_` and `~` belong together.

This is CommonMark's delimiter algorithm (https://spec.commonmark.org/0.31.2/#phase-2-inline-structure) with
GitHub's `~`. It runs in linear time: for each kind of closer, it remembers the position before which there is
no opener.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

MARKS = "*_~"
"""The characters that mark emphasis."""
_RUN = re.compile(rf"([{MARKS}])\1*")  # searching for a character class is faster than for an alternation
_MAX_TILDES = 2


class Edge(NamedTuple):
    """Where an element (`em`, `strong` or `del`) begins or ends: the offsets of its marks."""

    start: int
    end: int
    tag: str
    opening: bool


@dataclass(slots=True, eq=False)
class _Run:
    """A run of marks in a linked list; those from `start` to `end` are unused."""

    mark: str
    start: int
    end: int
    length: int
    opens: bool
    closes: bool
    place: int
    before: "_Run | None" = None
    after: "_Run | None" = None


class Leftover(NamedTuple):
    """Marks that are shown as text.

    `opens` is whether they could only open emphasis, and `used` whether other marks of their run are paired.
    """

    start: int
    end: int
    opens: bool
    used: bool


def find_edges(text: str, gaps: Iterable[tuple[int, int]]) -> list[Edge]:
    """Return the emphasis in these parts of a text, in order; marks between the parts are ignored."""
    return _pair(text, gaps)[1]


def find_leftovers(text: str, gaps: Iterable[tuple[int, int]]) -> list[Leftover]:
    """Return the runs of `*` and `_` in these parts of a text that emphasis does not use completely."""
    return [
        Leftover(run.start, run.end, run.opens and not run.closes, run.end - run.start < run.length)
        for run in _pair(text, gaps)[0]
        if run.mark != "~" and run.start < run.end
    ]


def _pair(text: str, gaps: Iterable[tuple[int, int]]) -> tuple[list[_Run], list[Edge]]:
    """Return the runs of marks in these parts of a text, and the emphasis that they make, both in order."""
    # Search only the parts, because this function is called for each link and deletion of a text.
    runs = [
        run
        for start, end in gaps
        for match in _RUN.finditer(text, start, end)
        if (run := _classify(text, match)) is not None
    ]
    if len(runs) < 2:
        return runs, []
    for place, run in enumerate(runs):
        run.place = place
    for left, right in pairwise(runs):
        left.after, right.before = right, left
    edges: list[Edge] = []
    bottoms: dict[tuple[str, int], int] = {}
    closer: _Run | None = runs[0]
    while closer is not None:
        if not closer.closes:
            closer = closer.after
            continue
        kind = closer.mark, closer.length % 3
        opener = _opener(closer, bottoms.get(kind, -1))
        if opener is not None:
            closer = (
                _strike(opener, closer, edges) if closer.mark == "~" else _emphasise(opener, closer, edges)
            )
            continue
        bottoms[kind] = closer.place - 1
        if not closer.opens:
            _remove(closer)
        closer = closer.after
    return runs, sorted(edges)


def _classify(text: str, match: re.Match[str]) -> _Run | None:
    """Return a run if the characters around the marks allow it to open or close, otherwise `None`."""
    start, end = match.span()
    mark = match[0][0]
    before, after = start - 1, end
    if mark != "~":
        # As on GitHub, the character that counts is the one beyond the tildes.
        while before >= 0 and text[before] == "~":
            before -= 1
        while after < len(text) and text[after] == "~":
            after += 1
    space_before, punctuation_before = _kind(text[before] if before >= 0 else "\n")
    space_after, punctuation_after = _kind(text[after] if after < len(text) else "\n")
    left = not space_after and (not punctuation_after or space_before or punctuation_before)
    right = not space_before and (not punctuation_before or space_after or punctuation_after)
    if mark == "_":
        left, right = left and (not right or punctuation_before), right and (not left or punctuation_after)
    if not (left or right) or (mark == "~" and end - start > _MAX_TILDES):
        return None
    return _Run(mark, start, end, end - start, left, right, 0)


def _kind(character: str) -> tuple[bool, bool]:
    """Return whether a character is white space, and whether it is punctuation."""
    if character.isalnum():
        return False, False
    if character.isascii():
        return character.isspace(), character.isprintable() and character != " "
    category = unicodedata.category(character)
    return category == "Zs", category[0] == "P"


def _opener(closer: _Run, bottom: int) -> _Run | None:
    """Return the nearest run that `closer` can close, if there is one after `bottom`."""
    opener = closer.before
    while opener is not None and opener.place > bottom:
        if opener.opens and opener.mark == closer.mark:
            both_ways = closer.opens or opener.closes
            if not (both_ways and closer.length % 3 and (opener.length + closer.length) % 3 == 0):
                return opener
        opener = opener.before
    return None


def _emphasise(opener: _Run, closer: _Run, edges: list[Edge]) -> _Run | None:
    """Pair one or two marks of each run; return the run to continue with."""
    width = 2 if opener.end - opener.start > 1 and closer.end - closer.start > 1 else 1
    tag = "strong" if width > 1 else "em"
    edges += [
        Edge(opener.end - width, opener.end, tag, opening=True),
        Edge(closer.start, closer.start + width, tag, opening=False),
    ]
    opener.end -= width
    closer.start += width
    opener.after, closer.before = closer, opener
    if opener.start == opener.end:
        _remove(opener)
    if closer.start == closer.end:
        _remove(closer)
        return closer.after
    return closer


def _strike(opener: _Run, closer: _Run, edges: list[Edge]) -> _Run | None:
    """Pair runs of tildes with equal length; return the run to continue with.

    If the lengths differ, the tildes and everything between them are text, as on GitHub.
    """
    if opener.length == closer.length:
        edges += [
            Edge(opener.start, opener.end, "del", opening=True),
            Edge(closer.start, closer.end, "del", opening=False),
        ]
    opener.after, closer.before = closer, opener
    _remove(opener)
    _remove(closer)
    return closer.after


def _remove(run: _Run) -> None:
    if run.before is not None:
        run.before.after = run.after
    if run.after is not None:
        run.after.before = run.before
