import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.deletions import OPENING
from ptcards.source.code import CodeBlock, SyntaxProblem, syntax_problem

_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})


class BrokenPython(Rule, severity="error"):
    """A block marked as Python does not parse.

    Why: a learner who copies it from the card gets a SyntaxError, and one who reads it learns something
    wrong. The block is parsed with the Python version that runs ptcards; nothing is executed. Blocks with
    `no-run="…"` or `raises=SyntaxError` on the fence line are left alone, and so are those with a line that
    begins with `%` or `!`, which is IPython syntax.

    For instance:

        ```python
        print("loss:" loss)
        ```

    Fix: correct the code. If the error is intended, say so on the fence line.

        ```python raises=SyntaxError
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where Python stops parsing."""
        for block in note.python.run:
            problem = None if block.raises in _SYNTAX_ERRORS else _problem(block)
            if problem is None:
                continue
            index = problem.row
            lines = block.lines.markdown.split("\n")
            # Python did not see the deletions, so the column in a line that has them is approximate.
            column = min(problem.column, len(lines[index]) + 1)
            message = f"this is not valid Python: {_message(problem.message, block)}"
            fix = 'correct it, or write `no-run="why"` on the fence line if it is intended'
            yield self.report(block.lines.location(index, column), message, fix)


def _message(message: str, block: CodeBlock) -> str:
    """Return Python's message, with line numbers of the file instead of the block's."""

    def in_file(found: re.Match[str]) -> str:
        return f"{found[1]} {block.lines.location(int(found[2]) - 1).line}"

    return re.sub(r"\b((?:on|at) line) (\d+)", in_file, f"{message[:1].lower()}{message[1:]}")


def _problem(block: CodeBlock) -> SyntaxProblem | None:
    if any(line.lstrip().startswith(("%", "!")) for line in block.code.split("\n")):
        return None
    if OPENING.search(block.code):
        return None  # a malformed deletion is left; other rules report it
    if block.examples is None:
        return syntax_problem(block.code)
    for example in block.examples:
        if problem := syntax_problem(example.code):
            return SyntaxProblem(example.line + problem.row, problem.column + 4, problem.message)
    return None
