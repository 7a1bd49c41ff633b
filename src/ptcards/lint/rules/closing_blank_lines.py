"""A file, or a block of code in it, ends with blank lines.

Why: the card shows those of a block as an empty stripe, and those of a file show up in every other change. `--fix` takes
them out.

For instance:

    ```python
    import torch

    ```

Fix: let the closing marks follow the last line of code, and the file end with its last line.
"""

from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, Location, hint
from ptcards.lint.note import Limits, Reading
from ptcards.markdown.blocks import BlockKind


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the first of a block's blank lines."""
    for code in note.codes:
        rows = closing_blanks([line.text for line in code.block.lines])
        if code.block.kind is BlockKind.FENCE and code.block.closed and rows:
            message = f"{_blank_lines(rows)} at the end of the code"
            fix = "let the closing marks follow the last line of code"
            yield hint(code.locate(rows[0]), "closing-blank-lines", message, fix)


def check_text(path: str, text: str) -> Iterator[Diagnostic]:
    """Point at the first of a file's blank lines."""
    # Behind the last line end stands no line.
    rows = closing_blanks(text.removesuffix("\n").split("\n")) if text else range(0)
    if rows:
        message = f"{_blank_lines(rows)} at the end of the file"
        yield hint(Location(path, rows[0] + 1), "closing-blank-lines", message, "delete them")


def closing_blanks(lines: Sequence[str]) -> range:
    """Give the rows (from 0) of the blank lines that lines end with."""
    end = len(lines)
    start = end
    while start > 0 and not lines[start - 1].strip():
        start -= 1
    return range(start, end)


def _blank_lines(rows: range) -> str:
    return f"{len(rows)} blank line{'s' * (len(rows) > 1)}"
