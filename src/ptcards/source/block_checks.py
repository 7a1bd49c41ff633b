"""Finds the parts of a block that would not render as intended, with their positions in the text."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Severity, counted
from ptcards.diagnostics.suggest import one_of
from ptcards.markdown.blocks import NESTING_LIMIT
from ptcards.markdown.fences import DIAGRAMS, FenceInfo
from ptcards.markdown.starts import ALERTS
from ptcards.markdown.tables import split_row
from ptcards.markdown.tree import Block
from ptcards.notes import Problem

Positioned = tuple[Problem, int, int]
"""A problem, the index of its line, and its column."""

_GLUED_HEADING = re.compile(r"#{2,6}(?=[^#\s])")
_CONTAINER_MARK = re.compile(r"[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ \t])")
_OTHER_BOX = re.compile(r"\[[xX]\]")


def check_depth(block: Block, depth: int) -> Iterator[Positioned]:
    """Yield an error for a block inside too many nested lists and quotes."""
    first = block.lines[0]
    if depth >= NESTING_LIMIT and _CONTAINER_MARK.match(first.text):
        fix = "remove some levels: from here on, list and quote marks are shown as text"
        message = f"lists and quotes nested more than {NESTING_LIMIT} deep"
        yield Problem(0, 1, "nested-too-deep", message, fix), first.index, first.column


def check_headings(paragraph: Block) -> Iterator[Positioned]:
    """Yield a warning for each line that is not a heading only because a space is missing after its `#`."""
    for line in paragraph.lines:
        if marks := _GLUED_HEADING.match(line.text):
            message = f"`{line.text.split()[0]}` is text: a heading needs a space after `#`"
            fix = f"write `{marks[0]} {line.text[marks.end() :].strip()}`, or `\\{marks[0]}` if it is text"
            yield _warning(len(marks[0]), "heading-without-space", message, fix), line.index, line.column


def check_rows(table: Block) -> Iterator[Positioned]:
    """Yield a warning for each row with more cells than its table has columns; GitHub drops the rest."""
    columns = len(table.alignments)
    for row in table.lines[2:]:
        cells = split_row(row)
        if len(cells) > columns:
            extra = cells[columns]
            fix = r"write `\|` for a `|` inside a cell, even in backticks"
            message = f"this row has {len(cells)} cells, but the table has only {counted(columns, 'column')}"
            problem = _warning(len(extra.text) or 1, "table-row-too-long", message, fix)
            yield problem, extra.index, extra.column


def check_alert(quote: Block, depth: int) -> Iterator[Positioned]:
    """Yield a warning if a quote looks like an alert but is not one on GitHub."""
    name = quote.alert
    if not name:
        return
    first = quote.children[0]
    if name.upper() not in ALERTS:
        fix = one_of(name.upper(), ALERTS)
    elif depth:
        fix = "move it out of its list or quote"
    else:
        return
    problem = _warning(len(name) + 3, "unknown-alert", f"`[!{name}]` is not an alert here", fix)
    yield problem, first.lines[0].index, first.lines[0].column


def check_box(item: Block) -> Iterator[Positioned]:
    """Yield a warning for a box that GitHub shows as checked because of an `[x]` later on its line."""
    first = item.children[0].lines[0] if item.children and item.children[0].lines else None
    if item.task is not False or first is None or first.index != item.start:
        return
    if box := _OTHER_BOX.search(first.text):
        fix = r"write `\[x]`, or put it in backticks on a separate line"
        message = "this `[x]` makes GitHub show the option's box as checked"
        yield _warning(3, "second-box", message, fix), first.index, first.column + box.start()


def check_words(fence: Block, info: FenceInfo, length: int) -> Iterator[Positioned]:
    """Yield warnings about the words after the marks of a fence; `length` is the length of the whole line."""
    complaints = [*info.complaints]
    if info.highlighted and max(info.highlighted) > len(fence.lines):
        message = f"`hl_lines` goes beyond the code, which has {counted(len(fence.lines), 'line')}"
        complaints.append((message, "correct the line numbers; the first line of the code is 1"))
    if info.language in DIAGRAMS:
        message = f"GitHub draws `{info.language}` as a diagram, but a card shows its source"
        complaints.append((message, "use a picture of the diagram instead"))
    for message, fix in complaints:
        yield _warning(length, "unknown-fence-word", message, fix), fence.start, fence.column


def check_end(
    fence: Block, depth: int, lines: Sequence[str], following: Block | None, number: int
) -> Iterator[Positioned]:
    """Yield an error for an unclosed fence.

    In a list or quote, the error is at the line outside it that ends the fence. `number` is the number of the
    fence's line in its file.
    """
    if fence.closed:
        return
    out = next((index for index in range(fence.end, len(lines)) if lines[index].strip()), None)
    if depth and following is None and out is not None:
        message = "this line is outside the list item or quote of its code block"
        fix = f"indent it like the fence on line {number}, or close that fence"
        problem = Problem(0, len(lines[out].strip()), "line-left-of-fence", message, fix)
        yield problem, out, len(lines[out]) - len(lines[out].lstrip()) + 1
    else:
        fix = f"close it with the line {fence.marker}"
        if depth:
            fix += ", and indent every line of the code at least as far as the fence"
        problem = Problem(0, len(fence.marker), "unclosed-fence", "a code block that is not closed", fix)
        yield problem, fence.start, fence.column


def _warning(length: int, rule: str, message: str, fix: str) -> Problem:
    return Problem(0, length, rule, message, fix, Severity.WARNING)
