from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class CodeLines(Rule, severity="warning or hint", limits={"code-lines": 25, "code-lines-hint": 15}):
    """A block of code does not fit on a screen.

    Why: learners have to scroll through code that does not fit on a phone's screen. In a well-known
    collection of 155 code questions, 90 % use 7 lines or fewer. More than `code-lines` (25) lines is a
    warning, more than `code-lines-hint` (15) a hint; blocks below `### Details` do not count.

    For instance:

        ## What does this print?

        (a training script of 40 lines)

    Fix: cut it down to the lines that the question is about.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first line beyond the limit."""
        for part in note.parts:
            if part.name in ("details", "sources"):
                continue
            for code in part.codes:
                lines = len(code.rows)
                if exceeded := self.exceeded(lines):
                    limit, severity = exceeded
                    message = f"a block of {lines} lines, more than {limit}"
                    fix = "cut it down to what the question is about, or move it below `### Details`"
                    yield self.report(code.locate(limit), message, fix, severity=severity)
