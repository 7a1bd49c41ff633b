"""A block of code ends with blank lines.

Why: the card shows them as an empty stripe. `--fix` takes them out.

For instance:

    ```python
    import torch

    ```

Fix: let the closing marks follow the last line of code.
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, hint
from ptcards.parsing.blocks import BlockKind
from ptcards.reading import Limits, Reading


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the first of the blank lines."""
    for code in note.codes:
        lines = code.block.lines
        if code.block.kind is not BlockKind.FENCE or not lines or lines[-1].text.strip():
            continue
        row = len(lines) - 1
        while row > 0 and not lines[row - 1].text.strip():
            row -= 1
        count = len(lines) - row
        message = f"{count} blank line{'s' * (count > 1)} at the end of the code"
        yield hint(
            code.locate(row),
            "closing-blank-lines",
            message,
            "let the closing marks follow the last line of code",
        )
