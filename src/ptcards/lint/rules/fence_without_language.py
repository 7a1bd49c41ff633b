"""A block of code does not say which language it is.

Why: without it the card has no colours, and Python is not run by `ptcards verify`. Printed text is `output` or `text`.
`--fix` adds `python` where the block can be nothing else.

For instance:

    ```
    import torch
    ```

Fix: write the language behind the opening marks.

    ```python
    import torch
    ```
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, warning
from ptcards.lint.note import Limits, Reading
from ptcards.markdown.blocks import BlockKind


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the marks of each fence without a word behind them."""
    for code in note.codes:
        if code.block.kind is BlockKind.FENCE and not code.language:
            marks = len(code.block.marker)
            fix = "write it behind the marks: `python`, `output`, `text` …"
            yield warning(
                code.place, "fence-without-language", "a block of code without a language", fix, marks
            )
