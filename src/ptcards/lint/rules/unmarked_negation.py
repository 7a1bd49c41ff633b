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
    """A choice asks for what is not so, and does not say it loudly.

    Why: a quick reader misses a small "not" and knows the answer for nothing. NOT and EXCEPT belong in
    capitals or in bold, if they are needed at all: one of the rules of Haladyna, Downing and Rodriguez 2002
    (https://doi.org/10.1207/S15324818AME1503_5).

    For instance:

        ## Which of these is not a leaf tensor?

    Fix: ask for what is so, or make the word stand out.

        ## Which of these is **not** a leaf tensor?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the word."""
        found = _NEGATION.match(note.heading.plain)
        if note.note.kind is Kind.CHOICE and found and not found[1].isupper():
            place = note.heading.locate(found.start(1))
            message = f"`{found[1]}` is easily missed"
            yield self.report(place, message, f"write `**{found[1]}**`, or ask for what is so", len(found[1]))
