from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.note import Code, Reading
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.blocks import BlockKind


class ClosingBlankLines(Rule, severity="hint"):
    """A file, or a block of code in it, ends with blank lines.

    Why: the card shows blank lines at the end of a block as an empty stripe, and those at the end of a file
    turn up in unrelated changes. `--fix` removes them.

    For instance:

        ```python
        import torch

        ```

    Fix: put the closing marks right after the last line of code, and delete blank lines at the end of the
    file.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first of a block's blank lines."""
        for code in note.codes:
            if rows := _closing_blanks_of_code(code):
                message = f"{_blank_lines(rows)} at the end of the code"
                fix = "put the closing marks right after the last line of code"
                yield self.report(code.locate(rows[0]), message, fix)

    def check_text(self, path: str, text: str) -> Iterator[Diagnostic]:
        """Report the first of a file's blank lines."""
        rows = _closing_blanks_of_file(text.split("\n"))
        if rows:
            message = f"{_blank_lines(rows)} at the end of the file"
            yield self.report(Location(path, rows[0] + 1), message, "delete them")

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Remove the blank lines."""
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
