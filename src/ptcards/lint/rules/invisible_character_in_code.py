import re
import unicodedata
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_INVISIBLE = re.compile(
    "[\u00a0\u00ad\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u2064\u2066-\u2069\u3000\ufeff]"
)
_SHOWN = frozenset({"text", "txt", "output", "console"})


class InvisibleCharacterInCode(Rule, severity="warning"):
    """A block of code has a character that nobody can see.

    Why: a no-break space or a zero-width character comes along when code is copied from a web page; the code
    looks right and does not run. Characters that reorder text can even make it read otherwise than it runs
    (https://trojansource.codes). Printed text is left alone.

    For instance:

        x = 1        with a no-break space after the `=`

    Fix: retype the line, or replace the character with a space.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first one of each block."""
        for code in note.codes:
            if code.language in _SHOWN:
                continue
            for row, line in enumerate(code.block.lines):
                if found := _INVISIBLE.search(line.text):
                    name = unicodedata.name(found[0], "").lower()
                    message = f"the invisible character U+{ord(found[0]):04X} ({name}) in code"
                    yield self.report(
                        code.locate(row, found.start() + 1), message, "replace it by a space, or delete it"
                    )
                    break
