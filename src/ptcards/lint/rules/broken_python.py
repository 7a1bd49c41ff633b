import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.deletions import OPENING
from ptcards.source.code import CodeBlock
from ptcards.source.snippets import SyntaxProblem, syntax_problem

_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})


class BrokenPython(Rule, severity="error"):
    """A block that says it is Python does not parse.

    Why: whoever copies it from the card gets a SyntaxError, and whoever reads it learns it wrong. Parsed with
    the Python that runs ptcards; nothing is run. Left alone are blocks with `no-run="…"` or
    `raises=SyntaxError` on the fence line, and those with lines that begin with `%` or `!`, which are
    IPython's.

    For instance:

        ```python
        print("loss:" loss)
        ```

    Fix: correct it; if it is meant to be wrong, say so on the fence line.

        ```python raises=SyntaxError
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where Python gives up."""
        for block in note.python.run:
            problem = None if block.raises in _SYNTAX_ERRORS else _problem(block)
            if problem is None:
                continue
            index = problem.row
            lines = block.lines.markdown.split("\n")
            # Deletions are gone from what Python saw, so a column of such a line is only near.
            column = min(problem.column, len(lines[index]) + 1)
            message = f"this is not Python: {_message(problem.message, block)}"
            fix = 'correct it, or write `no-run="why"` on the fence line if it is meant so'
            yield self.report(block.lines.location(index, column), message, fix)


def _message(message: str, block: CodeBlock) -> str:
    """Return what Python says, with the lines of the file instead of those of the block."""

    def in_file(found: re.Match[str]) -> str:
        return f"{found[1]} {block.lines.location(int(found[2]) - 1).line}"

    return re.sub(r"\b((?:on|at) line) (\d+)", in_file, f"{message[:1].lower()}{message[1:]}")


def _problem(block: CodeBlock) -> SyntaxProblem | None:
    if any(line.lstrip().startswith(("%", "!")) for line in block.code.split("\n")):
        return None
    if OPENING.search(block.code):
        return None  # a deletion is left over: that is what is wrong, and other rules say so
    if block.examples is None:
        return syntax_problem(block.code)
    for example in block.examples:
        if problem := syntax_problem(example.code):
            return SyntaxProblem(example.line + problem.row, problem.column + 4, problem.message)
    return None
