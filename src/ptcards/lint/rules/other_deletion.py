import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_DELETION = re.compile(
    r"\{\{(?![cC]\d)(?P<inside>[^{}\n]+)\}\}|(?<!\{)\{\d{1,2}[:|](?P<numbered>[^{}\n]+)\}(?!\})"
)


class OtherDeletion(Rule, severity="warning"):
    """A deletion is written as in another program.

    Why: here it is text with braces, which asks for nothing.

    For instance:

        HTTPS uses port {{443}}.

    Fix: write the number of the deletion. If you want to show the braces, put them in backticks.

        HTTPS uses port {{c1::443}}.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each deletion."""
        if "{" not in note.prose:
            return
        for passage in note.passages:
            for found in _DELETION.finditer(passage.plain):
                message = f"`{found[0]}` is a deletion in other programs, but text here"
                fix = f"write `{{{{c1::{(found['inside'] or found['numbered']).strip()}}}}}`"
                yield self.report(passage.locate(found.start()), message, fix, len(found[0]))
