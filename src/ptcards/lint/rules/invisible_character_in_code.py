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
    """A block of code contains an invisible character.

    Why: code copied from a web page often contains a no-break space or a zero-width character; it looks right
    and does not run. Characters that reorder text can even make code do something other than what it shows
    (https://trojansource.codes). Printed text is left alone.

    For instance:

        x = 1        with a no-break space after the `=`

    Fix: retype the line, or replace the character with a space.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first one in each block."""
        for code in note.codes:
            if code.language in _SHOWN:
                continue
            for row, line in enumerate(code.block.lines):
                if found := _INVISIBLE.search(line.text):
                    name = unicodedata.name(found[0], "").lower()
                    message = f"the invisible character U+{ord(found[0]):04X} ({name}) in code"
                    yield self.report(
                        code.locate(row, found.start() + 1), message, "replace it with a space, or remove it"
                    )
                    break
