from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind


class ReversedWords(Rule, severity="hint", limits={"reversed-words": 25}):
    """The answer of a reversed note is long.

    Why: the second card shows the answer and asks for the question. A long answer gives the question away,
    and is slow to read every time. More than `reversed-words` (25) words is a hint.

    For instance:

        ## Gradient accumulation
        <!-- card: kind=reversed -->

        (a paragraph)

    Fix: shorten it to a term or a definition, or make the note basic.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer."""
        answer = note.part("answer")
        if note.note.kind is Kind.REVERSED and answer.words > self.limits["reversed-words"]:
            message = f"a reversed card of {answer.words} words, more than {self.limits['reversed-words']}"
            fix = "shorten it, or move the explanation below `### Details`"
            yield self.report(answer.place, message, fix)
