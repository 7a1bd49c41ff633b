"""Checks whether a block of code is Python, and where it stops being valid."""

import ast
import warnings
from typing import NamedTuple

from ptcards.markdown.deletions import find_marks


class SyntaxProblem(NamedTuple):
    """Where a text stops being valid Python: row from 0, column from 1, and Python's message."""

    row: int
    column: int
    message: str


def without_deletions(source: str) -> str:
    """Return code with cloze deletions replaced by their text.

    In code, `::` is literal and there are no hints.
    """
    marks, _ = find_marks(source, hints=False)
    for mark in reversed(marks):
        source = source[: mark.start] + source[mark.inner : mark.inner_end] + source[mark.end :]
    return source


def syntax_problem(source: str) -> SyntaxProblem | None:
    """Return why a text is not valid Python, or `None` if it is.

    It does not check names, types and calls, or whether a `return` is in a function. The time is linear in
    the length of the text.
    """
    try:
        syntax_tree(source)
    except SyntaxError as wrong:
        row = min((wrong.lineno or 1) - 1, source.count("\n"))
        return SyntaxProblem(row, max(wrong.offset or 1, 1), wrong.msg)
    except ValueError:
        return SyntaxProblem(0, 1, "it has a character that Python rejects")
    except (RecursionError, MemoryError):
        return SyntaxProblem(0, 1, "it is nested too deeply")
    return None


def is_python(source: str) -> bool:
    """Whether a text parses as Python."""
    return syntax_problem(source) is None


def syntax_tree(source: str) -> ast.Module:
    """Return the syntax tree.

    Raises the errors of `ast.parse`: SyntaxError, ValueError, RecursionError, MemoryError.
    """
    with warnings.catch_warnings():
        # An escape such as "\d" is a warning for those who run the code, not for those who read it.
        warnings.simplefilter("ignore")
        return ast.parse(source)


def same_meaning(before: str, after: str) -> bool:
    """Whether two texts are Python with equal syntax trees, ignoring positions."""
    if not (is_python(before) and is_python(after)):
        return False
    return ast.dump(syntax_tree(before)) == ast.dump(syntax_tree(after))
