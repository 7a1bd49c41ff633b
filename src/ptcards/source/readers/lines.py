"""Finds what lines contain outside code, and joins pieces of lines into texts.

A rewritten piece of a line keeps its line number, but not its columns.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple

from ptcards.markdown.blocks import Block, BlockKind
from ptcards.markdown.inlines import read_inlines
from ptcards.markdown.paragraphs import paragraphs
from ptcards.markdown.tree import SpanKind
from ptcards.notes import Run, Text
from ptcards.source.parts import Page

BLANK = "\0"
"""The character that replaces each character of a code span or a formula."""

_new = tuple.__new__
_HIDDEN = frozenset({SpanKind.CODE, SpanKind.MATH, SpanKind.DISPLAY_MATH})
_TAGS = 6
"""The first of CommonMark's numbered conditions for HTML blocks whose tags surround text."""
_NOT_PLAIN = re.compile(r"[$\\<]")
_CODE_SPAN = re.compile(r"(`(?<!``)`*)(?!`).*?(?<!`)\1(?!`)")
"""Matches a code span; it begins with a backtick, so that a search can skip to the next one."""


def outside_code(document: Block, lines: Iterable[str]) -> list[str | None]:
    """Return each line with its code spans and formulas blanked out.

    Lines of code blocks and comments become `None`.
    """
    seen: list[str | None] = list(lines)
    for block in _leaves(document):
        if block.kind in (BlockKind.FENCE, BlockKind.CODE) or (
            block.kind is BlockKind.HTML and block.html < _TAGS
        ):
            seen[block.start : block.end] = [None] * (block.end - block.start)
        elif block.kind is BlockKind.HTML:
            for index in range(block.start, block.end):
                seen[index] = _without_spans(seen[index] or "")
        else:
            _blank_spans(block, seen)
    return seen


def comment_lines(document: Block) -> frozenset[int]:
    """Return the indices of the lines in comments."""
    blocks = (each for each in _leaves(document) if each.kind is BlockKind.HTML and each.html < _TAGS)
    return frozenset(at for block in blocks for at in range(block.start, block.end))


def _leaves(block: Block) -> Iterator[Block]:
    waiting = [block]
    while waiting:
        block = waiting.pop()
        if block.children:
            waiting += block.children
        else:
            yield block


def _blank_spans(block: Block, seen: list[str | None]) -> None:
    """Blank out code spans and formulas line by line, because a lone backtick must not hide the next card."""
    marked = [line for line in block.lines if "`" in line.text or "$" in line.text]
    if marked and block.kind is BlockKind.TABLE:  # a cell may be shorter than its source because of escapes
        hidden: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for cell in paragraphs(block):
            for start, end in _hidden(cell.text):
                for index, column in map(cell.place, range(start, end)):
                    hidden[index].append((column - 1, column))
        for index, spans in hidden.items():
            seen[index] = _blanked(seen[index] or "", spans)
        return
    for text, index, column in marked:
        line = seen[index] or ""
        bare = line[: column - 1] + _without_spans(line[column - 1 :])
        if not _NOT_PLAIN.search(bare, column - 1):  # only these characters can hide a backtick
            seen[index] = bare
            continue
        before = column - 1
        seen[index] = _blanked(line, [(before + start, before + end) for start, end in _hidden(text)])
    if len(marked) > 1:
        for index in _formula_lines(block):
            seen[index] = None


def _formula_lines(block: Block) -> Iterator[int]:
    """Yield the indices of the lines of each formula in `$$` that spans several lines."""
    formula: list[int] = []
    for text, index, _ in block.lines:
        if formula or (text.lstrip().startswith("$$") and text.count("$$") == 1):
            formula.append(index)
            if len(formula) > 1 and "$$" in text:
                yield from formula
                formula = []


def _without_spans(line: str) -> str:
    return _CODE_SPAN.sub(lambda found: BLANK * len(found[0]), line)


def _blanked(line: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a line with these parts blanked out."""
    kept: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if end > at:
            begin = max(start, at)
            kept += line[at:begin], BLANK * (end - begin)
            at = end
    return "".join(kept) + line[at:]


def formulas_in(line: str) -> list[tuple[int, int]]:
    """Return where the formulas of a line begin and end, in order."""
    return sorted(_spans(line, _HIDDEN - {SpanKind.CODE}))


def _hidden(line: str) -> Iterator[tuple[int, int]]:
    """Yield where the code spans and formulas of a line begin and end."""
    return _spans(line, _HIDDEN)


def _spans(line: str, kinds: frozenset[SpanKind]) -> Iterator[tuple[int, int]]:
    spans = list(read_inlines(line, {}, (), deletions_too=False).spans)
    while spans:
        span = spans.pop()
        spans += span.children
        if span.kind in kinds:
            yield span.start, span.end


class Cut(NamedTuple):
    """A piece of a source line: `at` is the line's number (from 0), `column` is where it starts (from 1).

    The column is 0 if a reader rewrote the piece.
    """

    text: str
    at: int
    column: int = 1


def cuts_of(lines: Sequence[str], first: int, last: int) -> list[Cut]:
    """Return whole lines as pieces, in a fraction of the time that `Cut` takes."""
    return [_new(Cut, each) for each in zip(lines[first:last], range(first, last), repeat(1))]


def stripped(cut: Cut) -> Cut:
    """Return a piece without white space at its ends."""
    text = cut.text.lstrip()
    return Cut(text.rstrip(), cut.at, cut.column + len(cut.text) - len(text) if cut.column else 0)


def without_blank_ends(cuts: Sequence[Cut]) -> Sequence[Cut]:
    """Return pieces without blank ones at their ends."""
    first, last = 0, len(cuts)
    while last and not cuts[last - 1].text.strip():
        last -= 1
    while first < last and not cuts[first].text.strip():
        first += 1
    return cuts[first:last]


def text_of(page: Page, cuts: Sequence[Cut]) -> Text:
    """Return a text whose lines are these pieces, without blank lines at its ends."""
    kept = without_blank_ends(cuts)
    runs: list[Run] = []
    following = within = -1
    for number, (_, at, column) in enumerate(kept):
        if at != following or column != within:
            runs.append(Run(number, at + 1, column))
        following, within = at + 1, column
    return Text("\n".join([each.text for each in kept]), page.text.path, tuple(runs) or page.text.runs)
