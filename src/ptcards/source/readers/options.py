"""Finds a question's options, such as `A:` to `D:`, and the line of its answer that names the right ones."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ptcards.source.readers.lines import Cut

_OPTION = re.compile(
    r"\s{0,3}(?:[-*+]\s+)?(?:\[[ x]\]\s*)?"
    r"[`*_]*\(?(?P<label>[A-Z]|[a-z]|\d{1,2})[`*_]*\s?[:.)：、][`*_]*\s*(?P<text>.*)"
)
_NAMES = (
    r"(?P<labels>\(?(?:[A-Za-z]|\d{1,2})\)?(?:\s*(?:,|&|and|und|et|y|/)\s*\(?(?:[A-Za-z]|\d{1,2})\)?){0,100})"
)
_RIGHT = re.compile(rf"\s*(?:#{{1,6}}\s*)?[*_`>]*[^\n:：]{{1,40}}[:：]\s*[*_`]*{_NAMES}(?![\w'’])[*_`]*")
_RIGHT_HEADING = re.compile(rf"\s*#{{2,6}}\s*[*_]*[^\s:：][^\n:：]{{0,20}}?\s{_NAMES}[*_.]*\s*\Z")
_WORD = re.compile(r"\w|!\[|<img\b")
_FIRST = ("A", "a", "1")
_SEARCHED = 4
"""The number of non-blank lines at the start of an answer that may name the right options."""
_MOST = 10


class Option(NamedTuple):
    """An option: its label, and its lines without the label."""

    label: str
    cuts: Sequence[Cut]


class Options(NamedTuple):
    """The options of a question, and the lines before and after them."""

    before: Sequence[Cut]
    options: Sequence[Option]
    after: Sequence[Cut]


class Right(NamedTuple):
    """The labels of the right options, and the number of lines that name them."""

    labels: frozenset[str]
    end: int


def find_options(cuts: Sequence[Cut], seen: Sequence[str | None]) -> Options | None:
    """Return the options among the lines of a question, in sequence from A, a or 1.

    Return `None` if the question has none.
    """
    runs: list[list[tuple[int, str, int]]] = []
    broken = True
    for number, cut in enumerate(cuts):
        found = _OPTION.match(cut.text) if seen[cut.at] is not None else None
        if found:
            label = found["label"]
            if label in _FIRST and (broken or not runs or not _follows(runs[-1][-1][1], label)):
                runs.append([])
            if runs and (not runs[-1] or _follows(runs[-1][-1][1], label)):
                runs[-1].append((number, label, found.start("text")))
                broken = False
        elif cut.text.strip() and seen[cut.at] is not None and not cut.text.startswith((" ", "\t")):
            broken = True
    whole = [run for run in runs if 2 <= len(run) <= _MOST]
    if not whole:
        return None
    run = whole[-1]
    end = run[-1][0] + 1
    while end < len(cuts) and (
        not cuts[end].text.strip() or seen[cuts[end].at] is None or cuts[end].text.startswith((" ", "\t"))
    ):
        end += 1
    edges = [number for number, _, _ in run] + [end]
    options = []
    for (number, label, start), last in zip(run, edges[1:], strict=True):
        first = cuts[number]
        column = first.column + start if first.column else 0
        lines = [first._replace(text=first.text[start:], column=column), *cuts[number + 1 : last]]
        options.append(Option(label, lines))
    return Options(cuts[: run[0][0]], options, cuts[end:])


def are_last(options: Options) -> bool:
    """Whether no text follows the options."""
    return not any(_WORD.search(cut.text) for cut in options.after)


def _follows(label: str, following: str) -> bool:
    if label.isdigit():
        return following == str(int(label) + 1)
    return len(label) == 1 and following == chr(ord(label) + 1)


def find_right(answer: Sequence[Cut], options: Options) -> Right | None:
    """Return the labels that one of an answer's first lines names after a word and a colon.

    Return `None` if no such line names any.
    """
    known = {option.label.upper() for option in options.options}
    searched = 0
    for number, cut in enumerate(answer):
        if not cut.text.strip():
            continue
        found = _RIGHT.match(cut.text) or _RIGHT_HEADING.match(cut.text)
        named = frozenset(re.findall(r"\b(?:[A-Z]|\d+)\b", found["labels"].upper())) if found else frozenset()
        if named and named <= known:
            return Right(named, number + 1)
        searched += 1
        if searched >= _SEARCHED:
            return None
    return None
