"""Reads cloze deletions, `{{c1::text::hint}}`, and finds them in code and maths.

A deletion ends at the first `}}` with balanced braces before it. In code, `::` has no meaning, so there are
no hints.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ptcards.notes import Problem

OPENING = re.compile(r"\{\{c([0-9]+)::")
"""Matches how authors begin a deletion; `anki.cards` knows what Anki recognises as one."""
LIKE_OPENING = re.compile(r"\{\{[cC] ?[0-9][0-9, ]*(?:: ?:?)")
"""Matches what looks like the start of a deletion to a reader."""

MAX_NUMBER = 99
_MOST_DIGITS = 2

SINGLE_BRACES = re.compile(r"\{(c[0-9]{1,2}::[^{}\n]*[^{}\s])\}(?!\})")
"""Matches a deletion in single braces; its group is what belongs between the braces."""

_TOKEN = re.compile(r"\{\{[cC] ?[0-9][0-9, ]*:|[{}]|::")


class Mark(NamedTuple):
    """A deletion in a text: its number, hint and offsets; its content is from `inner` to `inner_end`."""

    number: int
    start: int
    inner: int
    inner_end: int
    end: int
    hint: str


def opening(text: str, at: int) -> tuple[int, int] | Problem | None:
    """Return the number of a deletion and the offset after its opening, or what is wrong with the opening."""
    match = OPENING.match(text, at)
    if match is None:
        match = LIKE_OPENING.match(text, at)
        return None if match is None else malformed(at, match[0])
    digits = match[1].lstrip("0")
    if not 1 <= len(digits) <= _MOST_DIGITS:
        message = f"a deletion numbered {match[1][:9]}"
        return Problem(at, len(match[0]), "deletion-number", message, f"use a number from 1 to {MAX_NUMBER}")
    return int(digits), match.end()


def numbers(text: str) -> set[int]:
    """Return the numbers of all deletions with a correct opening in a text, including those in code."""
    begun = (opening(text, match.start()) for match in OPENING.finditer(text))
    return {each[0] for each in begun if isinstance(each, tuple) and not isinstance(each, Problem)}


def malformed(start: int, written: str) -> Problem:
    """Return a problem about what looks like a deletion but is none."""
    fix = "write `{{c1::text}}`, or put the braces in backticks to show them"
    return Problem(start, len(written), "malformed-deletion", f"`{written}` is not a deletion", fix)


def nested(start: int, length: int) -> Problem:
    """Return a problem about a deletion inside another deletion."""
    fix = "put them one after the other; those with the same number are asked together"
    return Problem(start, length, "nested-deletion", "a deletion inside a deletion", fix)


def empty(start: int, length: int) -> Problem:
    """Return a problem about a deletion without text."""
    return Problem(start, length, "empty-deletion", "a deletion without text", "write the text to recall")


def unclosed(start: int, length: int) -> Problem:
    """Return a problem about an unclosed deletion."""
    fix = "close it with `}}` in the same block, with balanced braces inside"
    return Problem(start, length, "unclosed-deletion", "a deletion that is not closed", fix)


def find_marks(text: str, *, hints: bool) -> tuple[list[Mark], list[Problem]]:
    """Return the deletions in code (without `hints`) or maths (with `hints`), and problems."""
    marks: list[Mark] = []
    problems: list[Problem] = []
    if "{{" not in text:
        return marks, problems
    tokens = _TOKEN.finditer(text)
    for token in tokens:
        if len(token[0]) < 3:
            continue
        read = opening(text, token.start())
        if isinstance(read, Problem):
            problems.append(read)
        elif read is not None:
            mark = _close(text, token.start(), read, tokens, problems, hints=hints)
            if mark is not None:
                marks.append(mark)
    return marks, problems


def _close(
    text: str,
    start: int,
    read: tuple[int, int],
    tokens: Iterator[re.Match[str]],
    problems: list[Problem],
    *,
    hints: bool,
) -> Mark | None:
    """Return the deletion that begins at `start`, or `None` if it has no end."""
    number, inner = read
    before = len(problems)
    depth, skip, divider = 0, inner, -1
    for token in tokens:
        at = token.start()
        if at < skip:
            continue
        if token[0] == "::":
            if depth == 0 and divider < 0 and hints:
                divider = at
        elif token[0] == "}":
            if depth:
                depth -= 1
            elif text.startswith("}}", at):
                inner_end = divider if divider >= 0 else at
                if not text[inner:inner_end].strip():
                    problems.append(empty(start, at + 2 - start))
                    return None
                next(tokens)
                hint = text[divider + 2 : at] if divider >= 0 else ""
                return Mark(number, start, inner, inner_end, at + 2, hint)
        elif token[0] == "{":
            depth += 1
        else:
            problems.append(nested(at, len(token[0])))
            depth += 2
    problems[before:] = [unclosed(start, inner - start)]  # what follows only seems to be inside it
    return None
