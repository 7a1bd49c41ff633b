import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Draft, Edit, Rule, replace_code
from ptcards.source.code import PYTHON, is_python, without_deletions

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
"""Languages in which they may be intended."""

_OUTSIDE = re.compile(
    r"(?:#|//).*|\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|^\s*\*.*|/\*.*?\*/|(?P<smart>[“”„‘‚]"
    r"|(?<!\w)’|’(?!\w))"
)

_DOUBLE = dict.fromkeys(map(ord, "“”„"), '"')
_SINGLE = dict.fromkeys(map(ord, "‘’‚"), "'")


class SmartQuotesInCode(Rule, severity="warning"):
    """A block of code has typographic quotation marks where straight ones belong.

    Why: word processors and web pages put them there, and no language reads them as quotes. They are left
    alone inside strings and comments. `--fix` replaces them in a Python block that only parses with straight
    ones.

    For instance:

        print(“done”)

    Fix: use straight quotation marks.

        print("done")
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first one in each block that is outside strings and comments."""
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
        """Replace them in Python that only parses with straight ones."""
        for code in draft.codes:
            if code.language in PYTHON and not is_python(without_deletions(code.source)):
                straight = (code.source.translate(table) for table in (_DOUBLE, _SINGLE, _DOUBLE | _SINGLE))
                fixed = next((each for each in straight if is_python(without_deletions(each))), code.source)
                yield from replace_code(code, fixed.split("\n"))
