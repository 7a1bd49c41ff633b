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
from ptcards.reading import Code, Limits, Reading
from ptcards.snippets import PYTHON, Problem, session_inputs, syntax_problem, without_deletions


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at where Python gives up."""
    for code in note.codes:
        words = code.block.info.split()[1:]
        if code.language not in (*PYTHON, "pycon") or any(
            word.startswith(("no-run", "raises=SyntaxError", "raises=IndentationError", "raises=TabError"))
            for word in words
        ):
            continue
        if problem := _problem(code):
            line = code.block.lines[problem.row].text if code.block.lines else ""
            # Deletions are gone from what Python saw, so a column of such a line is only near.
            column = min(problem.column, len(line) + 1)
            yield error(
                code.locate(problem.row, column),
                "broken-python",
                f"this is not Python: {problem.message[:1].lower()}{problem.message[1:]}",
                'correct it, or write `no-run="why"` on the fence line if it is meant so',
            )


def _problem(code: Code) -> Problem | None:
    lines = [line.text for line in code.block.lines]
    if any(line.lstrip().startswith(("%", "!")) for line in lines):
        return None
    if code.language != "pycon":
        return syntax_problem(without_deletions(code.source))
    for row, source in session_inputs(lines):
        if problem := syntax_problem(without_deletions(source)):
            return Problem(row + problem.row, problem.column + 4, problem.message)
    return None
