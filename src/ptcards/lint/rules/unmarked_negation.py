import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_NEGATION = re.compile(
    r"^(?:which|what|who|select|choose|pick|mark|find)\b(?:[^,;:]*?|.*(?=\bexcept\b))"
    r"(?<![*_])\b(not|except|isn't|isn’t|aren't|aren’t|doesn't|doesn’t|don't|don’t|cannot|can't|can’t"
    r"|false|incorrect|wrong)\b(?![*_])",
    re.IGNORECASE,
)


class UnmarkedNegation(Rule, severity="hint", english=True):
    """A choice asks for what is false, without emphasising the "not".

    Why: a quick reader misses a small "not" and gets the card wrong despite knowing the answer. If you need
    NOT or EXCEPT at all, write them in capitals or in bold: advice from Haladyna, Downing and Rodriguez 2002
    (https://doi.org/10.1207/S15324818AME1503_5).

    For instance:

        ## Which of these is not a leaf tensor?

    Fix: ask for what is true, or make the word stand out.

        ## Which of these is **not** a leaf tensor?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the word."""
        found = _NEGATION.match(note.heading.plain)
        if note.note.kind is Kind.CHOICE and found and not found[1].isupper():
            place = note.heading.locate(found.start(1))
            message = f"`{found[1]}` is easy to miss"
            yield self.report(
                place, message, f"write `**{found[1]}**`, or ask for what is true", len(found[1])
            )
