"""A block of code has typographic quotation marks where straight ones belong.

Why: word processors and web pages put them there, and no language takes them for quotes. Inside a string or a comment they are left
alone. `--fix` replaces them where a Python block parses with straight ones and does not without.

For instance:

    print(“done”)

Fix: write straight quotation marks.

    print("done")
"""

import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, warning
from ptcards.lint.note import Limits, Reading
from ptcards.source.code import PYTHON
from ptcards.source.snippets import is_python, without_deletions

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
"""Languages in which they may be meant."""

_OUTSIDE = re.compile(
    r"(?:#|//).*|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|^\s*\*.*|/\*.*?\*/|(?P<smart>[“”„‘‚]|(?<!\w)’|’(?!\w))"
)


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the first one of each block that stands outside strings and comments."""
    for code in note.codes:
        if code.language in PROSE or not re.search("[“”„‘’‚]", code.source):
            continue
        if code.language in PYTHON and is_python(without_deletions(code.source)):
            continue
        for row, line in enumerate(code.block.lines):
            found = next((found for found in _OUTSIDE.finditer(line.text) if found["smart"]), None)
            if found:
                place = code.locate(row, found.start() + 1)
                message = f"`{found[0]}` is no quotation mark in code"
                yield warning(place, "smart-quotes-in-code", message, "write straight ones: `\"` or `'`")
                break
