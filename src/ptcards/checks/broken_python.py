"""A block that says it is Python does not parse.

Why: whoever copies it from the card gets a SyntaxError, and whoever reads it learns it wrong. Parsed with the Python that
runs ptcards; nothing is run. Left alone are blocks with `no-run="…"` or `raises=SyntaxError` on the fence line, and those
with lines that begin with `%` or `!`, which are IPython's.

For instance:

    ```python
    print("loss:" loss)
    ```

Fix: correct it; if it is meant to be wrong, say so on the fence line.

    ```python raises=SyntaxError
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, error
from ptcards.reading import Limits, Reading
from ptcards.snippets import Problem, syntax_problem
from ptcards.verify.code import CodeBlock

_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at where Python gives up."""
    for block in note.python.run:
        problem = None if block.raises in _SYNTAX_ERRORS else _problem(block)
        if problem is None:
            continue
        index = problem.row
        lines = block.lines.markdown.split("\n")
        # Deletions are gone from what Python saw, so a column of such a line is only near.
        column = min(problem.column, len(lines[index]) + 1)
        yield error(
            block.lines.location(index, column),
            "broken-python",
            f"this is not Python: {problem.message[:1].lower()}{problem.message[1:]}",
            'correct it, or write `no-run="why"` on the fence line if it is meant so',
        )


def _problem(block: CodeBlock) -> Problem | None:
    if any(line.lstrip().startswith(("%", "!")) for line in block.code.split("\n")):
        return None
    if block.examples is None:
        return syntax_problem(block.code)
    for example in block.examples:
        if problem := syntax_problem(example.code):
            return Problem(example.line + problem.row, problem.column + 4, problem.message)
    return None
