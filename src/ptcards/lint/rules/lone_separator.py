import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_LINE = re.compile(r"^[ ]{0,3}(?P<mark>%|\?\??|\. \. \.)[ \t]*$", re.MULTILINE)


class LoneSeparator(Rule, severity="warning"):
    """A line of an answer is only `%`, `?` or `. . .`.

    Why: in other programs such a line separates question and answer. Here it is text, and everything above it
    belongs to the answer.

    For instance:

        ## Variables

        What is unknown?
        ?
        Their values.

    Fix: if it separates question and answer, replace it with `### Answer`; otherwise delete it.

        ## Variables

        What is unknown?

        ### Answer

        Their values.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each such line in the answer."""
        for passage in note.part("answer").passages:
            for found in _LINE.finditer(passage.raw):
                mark = found["mark"]
                message = f"`{mark}` on a line of its own is text here"
                fix = "write `### Answer` if it separates question and answer, or remove it"
                yield self.report(passage.locate(found.start("mark")), message, fix, len(mark))
