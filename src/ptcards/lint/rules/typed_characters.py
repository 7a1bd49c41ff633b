from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class TypedCharacters(Rule, severity="hint", limits={"typed-characters": 30}):
    """The text to type is long.

    Why: Anki compares it letter by letter, and on a phone a typing error is not an error of memory. More than
    `typed-characters` (30) characters is a hint.

    For instance:

        ## Which call clears the gradients?
        <!-- card: kind=typed -->

        `optimizer.zero_grad(set_to_none=True) before the backward pass`

    Fix: ask for the name alone, or make the note basic.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        typed = note.note.typed
        if len(typed) > self.limits["typed-characters"]:
            message = f"{len(typed)} characters to type, more than {self.limits['typed-characters']}"
            fix = "ask for the name alone, or leave out `kind=typed`"
            yield self.report_passage(note.heading, message, fix)
