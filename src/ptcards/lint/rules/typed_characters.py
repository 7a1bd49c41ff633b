from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class TypedCharacters(Rule, severity="hint", limits={"typed-characters": 30}):
    """The answer to type is long.

    Why: Anki compares it letter by letter, and a typing error on a phone is not a memory error. More than
    `typed-characters` (30) characters is a hint.

    For instance:

        ## Which call clears the gradients?
        <!-- card: kind=typed -->

        `optimizer.zero_grad(set_to_none=True) before the backward pass`

    Fix: ask only for the name, or make the note basic.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        typed = note.note.typed
        if len(typed) > self.limits["typed-characters"]:
            message = f"{len(typed)} characters to type, more than {self.limits['typed-characters']}"
            fix = "ask only for the name, or remove `kind=typed`"
            yield self.report_passage(note.heading, message, fix)
