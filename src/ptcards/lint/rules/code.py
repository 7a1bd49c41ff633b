"""Mistakes in code, and code that does not match its language."""

import ast
import re
import unicodedata
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule, replace_code
from ptcards.markdown.blocks import BlockKind
from ptcards.markdown.deletions import OPENING
from ptcards.source.code import (
    PYTHON,
    SESSION,
    CodeBlock,
    SyntaxProblem,
    is_python,
    syntax_problem,
    syntax_tree,
    without_deletions,
)

_SYNTAX_ERRORS = frozenset({"SyntaxError", "IndentationError", "TabError"})


class BrokenPython(Rule, severity="error"):
    """A block marked as Python does not parse.

    Why: a learner who copies it from the card gets a SyntaxError, and one who reads it learns something
    wrong. The block is parsed with the Python version that runs ptcards; nothing is executed. Blocks with
    `no-run="…"` or `raises=SyntaxError` on the fence line are skipped, and so are blocks with a line that
    begins with `%` or `!`, which is IPython syntax.

    For instance:

        ```python
        print("loss:" loss)
        ```

    Fix: correct the code. If the error is intended, say so on the fence line.

        ```python raises=SyntaxError
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where Python stops parsing each block."""
        for block in note.python.run:
            problem = None if block.raises in _SYNTAX_ERRORS else _problem(block)
            if problem is None:
                continue
            index = problem.row
            lines = block.lines.markdown.split("\n")
            # The code was parsed without its deletions, so the column in a line that has them is approximate.
            column = min(problem.column, len(lines[index]) + 1)
            message = f"this is not valid Python: {_message(problem.message, block)}"
            fix = 'correct the code, or add `no-run="why"` to the fence line if the error is intended'
            yield self.report(block.lines.location(index, column), message, fix)


def _message(message: str, block: CodeBlock) -> str:
    """Return Python's message, with the line numbers of the file instead of those of the block."""

    def in_file(found: re.Match[str]) -> str:
        return f"{found[1]} {block.lines.location(int(found[2]) - 1).line}"

    return re.sub(r"\b((?:on|at) line) (\d+)", in_file, f"{message[:1].lower()}{message[1:]}")


def _problem(block: CodeBlock) -> SyntaxProblem | None:
    if any(line.lstrip().startswith(("%", "!")) for line in block.code.split("\n")):
        return None
    if OPENING.search(block.code):
        return None  # this is a malformed deletion, which other rules report
    if block.examples is None:
        return syntax_problem(block.code)
    for example in block.examples:
        if problem := syntax_problem(example.code):
            return SyntaxProblem(example.line + problem.row, problem.column + 4, problem.message)
    return None


_PLAINLY_PYTHON = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.With, ast.For, ast.ImportFrom)


class FenceWithoutLanguage(Rule, severity="warning"):
    """A block of code does not name its language.

    Why: without a language, the code has no colours on the card, and `ptcards verify` does not run it as
    Python. Use `output` or `text` for printed text. `--fix` adds `python` if the block can only be Python.

    For instance:

        ```
        import torch
        ```

    Fix: write the language after the opening fence.

        ```python
        import torch
        ```
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each opening fence that does not name a language."""
        for code in note.codes:
            if code.block.kind is BlockKind.FENCE and not code.language:
                marks = len(code.block.marker)
                fix = "add a language such as `python`, `output` or `text` after the opening fence"
                yield self.report(code.place, "this code block has no language", fix, marks)

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Add the language to fences where only one is possible."""
        for code in draft.codes:
            block = code.block
            unnamed = block.kind is BlockKind.FENCE and block.closed and not block.info
            if unnamed and (language := _language(code.rows)):
                yield Edit(code.place.line, code.place.column, block.marker, block.marker + language)


def _language(lines: Sequence[str]) -> str:
    """Return `python` or `pycon` if the code can be nothing else, otherwise an empty string."""
    if lines and lines[0].startswith(">>> "):
        return SESSION
    source = without_deletions("\n".join(lines))
    if not is_python(source):
        return ""
    body = syntax_tree(source).body
    plain = any(isinstance(each, _PLAINLY_PYTHON) for each in body)
    imports = any(isinstance(each, ast.Import) for each in body) and len(body) > 1
    return "python" if plain or imports else ""


_INVISIBLE = re.compile(
    "[\u00a0\u00ad\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u2064\u2066-\u2069\u3000\ufeff]"
)
_SHOWN = frozenset({"text", "txt", "output", "console"})


class InvisibleCharacterInCode(Rule, severity="warning"):
    """A block of code contains an invisible character.

    Why: code copied from a web page often contains a no-break space or a zero-width character; such code
    looks right but does not run. Characters that reorder text can even make code do something other than what
    it seems to do (https://trojansource.codes). Blocks of `output`, `console` and `text` are not checked.

    For instance:

        x = 1        with a no-break space after the `=`

    Fix: retype the line, or replace the character with a space.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first invisible character in each block."""
        for code in note.codes:
            if code.language in _SHOWN:
                continue
            for row, line in enumerate(code.block.lines):
                if found := _INVISIBLE.search(line.text):
                    name = unicodedata.name(found[0], "").lower()
                    message = f"invisible character U+{ord(found[0]):04X} ({name}) in code"
                    yield self.report(
                        code.locate(row, found.start() + 1), message, "replace it with a space, or remove it"
                    )
                    break


PROSE = frozenset(
    {
        "",
        "text",
        "txt",
        "output",
        "console",
        "markdown",
        "md",
        "html",
        "xml",
        "rst",
        "latex",
        "tex",
        "diff",
        "math",
    }
)
"""Languages in which typographic quotation marks may be intended."""

_OUTSIDE = re.compile(
    r"(?:#|//).*|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|^\s*\*.*|/\*.*?(?:\*/|$)|(?P<smart>[“”„‘‚]"
    r"|(?<!\w)’|’(?!\w))"
)

_DOUBLE = dict.fromkeys(map(ord, "“”„"), '"')
_SINGLE = dict.fromkeys(map(ord, "‘’‚"), "'")


class SmartQuotesInCode(Rule, severity="warning"):
    """A block of code has typographic quotation marks where straight ones belong.

    Why: word processors and many websites insert them, and no programming language accepts them as quotation
    marks. Those inside strings and comments are not reported. `--fix` replaces them in a Python block that
    parses only with straight quotation marks.

    For instance:

        print(“done”)

    Fix: use straight quotation marks.

        print("done")
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first typographic mark outside strings and comments in each block."""
        for code in note.codes:
            if code.language in PROSE or not re.search("[“”„‘’‚]", code.source):
                continue
            if code.language in PYTHON and is_python(without_deletions(code.source)):
                continue
            for row, line in enumerate(code.block.lines):
                found = next((found for found in _OUTSIDE.finditer(line.text) if found["smart"]), None)
                if found:
                    place = code.locate(row, found.start() + 1)
                    message = f"`{found[0]}` is not a quotation mark in code"
                    yield self.report(place, message, "use straight ones: `\"` or `'`")
                    break

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Replace typographic marks in Python that parses only with straight ones."""
        for code in draft.codes:
            if code.language in PYTHON and not is_python(without_deletions(code.source)):
                straight = (code.source.translate(table) for table in (_DOUBLE, _SINGLE, _DOUBLE | _SINGLE))
                fixed = next((each for each in straight if is_python(without_deletions(each))), code.source)
                yield from replace_code(code, fixed.split("\n"))
