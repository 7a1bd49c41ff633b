"""The layout of code: its length, width, tabs and blank lines."""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.note import Code, Reading
from ptcards.lint.registry import Draft, Edit, Rule, replace_code
from ptcards.markdown.blocks import BlockKind
from ptcards.source.code import PYTHON, same_meaning, without_deletions


class ClosingBlankLines(Rule, severity="hint"):
    """A file, or a block of code in it, ends with blank lines.

    Why: the card shows blank lines at the end of a block as an empty stripe, and blank lines at the end of a
    file turn up in unrelated diffs. `--fix` removes them.

    For instance:

        ```python
        import torch

        ```

    Fix: put the closing fence right after the last line of code, and delete blank lines at the end of the
    file.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first of the blank lines that end a block."""
        for code in note.codes:
            if rows := _closing_blanks_of_code(code):
                message = f"{_blank_lines(rows)} at the end of the code"
                fix = "put the closing fence right after the last line of code"
                yield self.report(code.locate(rows[0]), message, fix)

    def check_text(self, path: str, text: str) -> Iterator[Diagnostic]:
        """Report the first of the blank lines that end a file."""
        rows = _closing_blanks_of_file(text.split("\n"))
        if rows:
            message = f"{_blank_lines(rows)} at the end of the file"
            yield self.report(Location(path, rows[0] + 1), message, "delete them")

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Delete the blank lines."""
        for row in _closing_blanks_of_file(draft.lines):
            yield Edit(row + 1, 1, draft.lines[row], None)
        for code in draft.codes:
            for row in _closing_blanks_of_code(code):
                place = code.locate(row)
                yield Edit(place.line, place.column, code.rows[row], None)


def _closing_blanks_of_code(code: Code) -> range:
    closed = code.block.kind is BlockKind.FENCE and code.block.closed
    return _closing_blanks(code.rows) if closed else range(0)


def _closing_blanks_of_file(lines: Sequence[str]) -> range:
    # There is no line after the final newline.
    return _closing_blanks(lines[:-1] if lines[-1:] == [""] else lines)


def _closing_blanks(lines: Sequence[str]) -> range:
    """Return the rows (from 0) of the blank lines at the end."""
    end = len(lines)
    start = end
    while start > 0 and not lines[start - 1].strip():
        start -= 1
    return range(start, end)


def _blank_lines(rows: range) -> str:
    return f"{len(rows)} blank line{'s' * (len(rows) > 1)}"


class CodeColumns(Rule, severity="warning", limits={"code-columns": 60}):
    """A line of code is wider than a phone can show.

    Why: a phone shows 35 to 39 columns of code, and a card on a desktop shows 78. Wider lines wrap, and
    wrapped code is hard to read at a glance. A line of more than `code-columns` (60) columns causes a
    warning. Each block gets only one warning, at its widest line.

    For instance:

        loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)

    Fix: break the line, or leave out what the question is not about.

        loader = DataLoader(dataset, batch_size=64, shuffle=True)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the part of each block's widest line that is beyond the limit."""
        limit = self.limits["code-columns"]
        for code in note.codes:
            lines = [row.expandtabs(4) for row in code.rows]
            widths = [len(without_deletions(line)) if len(line) > limit else 0 for line in lines]
            if (width := max(widths, default=0)) <= limit:
                continue
            row = widths.index(width)
            count = sum(each > limit for each in widths)
            others = f" ({count - 1} more like it)" if count > 1 else ""
            length = len(code.rows[row])
            message = f"the line has {width} columns, more than {limit}{others}"
            fix = "break the line, or remove what the question is not about"
            place = code.locate(row, min(limit, length - 1) + 1)
            yield self.report(place, message, fix, max(length - limit, 1))


class CodeLines(Rule, severity="warning or hint", limits={"code-lines": 25, "code-lines-hint": 15}):
    """A block of code does not fit on a screen.

    Why: learners have to scroll through code that does not fit on a phone's screen. In a well-known
    collection of 155 code questions, 90% use 7 lines or fewer. More than `code-lines` (25) lines cause a
    warning, and more than `code-lines-hint` (15) a hint. Blocks below `### Details` do not count.

    For instance:

        ## What does this print?

        (a training script of 40 lines)

    Fix: cut it down to the lines that the question is about.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first line beyond the limit in each block."""
        for part in note.parts:
            if part.name in ("details", "sources"):
                continue
            for code in part.codes:
                lines = len(code.rows)
                if exceeded := self.exceeded(lines):
                    limit, severity = exceeded
                    message = f"the block has {lines} lines, more than {limit}"
                    fix = "cut it down to what the question is about, or move it below `### Details`"
                    yield self.report(code.locate(limit), message, fix, severity=severity)


WANTED = frozenset({"make", "makefile", "go", "golang", "tsv", "diff", "output", "text", "txt", "console"})
"""Languages in which tabs have a meaning, and languages of printed text."""


class TabInCode(Rule, severity="warning"):
    """A line of code is indented with a tab.

    Why: a card shows a tab eight columns wide, twice as wide as in most editors, and a learner who copies the
    code mixes tabs and spaces. Printed text and languages that use tabs, such as Makefile and Go, are not
    checked. `--fix` replaces tabs in Python with four spaces if the code keeps its meaning.

    For instance:

        for batch in loader:
        ⇥loss = step(batch)

    Fix: indent with spaces.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first tab in the indentation of each block."""
        for code in note.codes:
            if code.language in WANTED:
                continue
            for row, line in enumerate(code.block.lines):
                indent = line.text[: len(line.text) - len(line.text.lstrip())]
                if "\t" in indent:
                    place = code.locate(row, indent.index("\t") + 1)
                    yield self.report(place, "the indentation contains a tab", "indent with four spaces")
                    break

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Replace tabs in Python with four spaces if the code keeps its meaning."""
        for code in draft.codes:
            if code.language in PYTHON and "\t" in code.source:
                rows = [_without_tabs(row) for row in code.rows]
                if same_meaning(without_deletions(code.source), without_deletions("\n".join(rows))):
                    yield from replace_code(code, rows)


def _without_tabs(line: str) -> str:
    rest = line.lstrip(" \t")
    return line[: len(line) - len(rest)].replace("\t", "    ") + rest
