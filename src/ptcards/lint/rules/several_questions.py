import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule

_SECOND = re.compile(
    r"\?(?=.*\?)|(?<=[\w)\ufffc]),? (?:and|or) (?:how|why|what|when|where|who|which) "
    r"(?:is|are|was|do|does|did|can|could|should|would|will|has|have|must|you|it|they|we)\b",
    re.IGNORECASE,
)


class SeveralQuestions(Rule, severity="warning", english=True):
    """The heading asks more than one question.

    Why: learners grade the card once, so the half that they know is repeated along with the half that they
    do not. See the minimum information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge).

    For instance:

        ## What is autograd? How does it record operations?

    Fix: write a note for each, or keep the question that implies the other.

        ## How does autograd record the operations that it differentiates?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report where the second question begins."""
        found = _SECOND.search(note.heading.plain)
        # "When and where is it used?" is one question.
        if not found or " " not in note.heading.plain[: found.start()]:
            return
        start = found.end() if found[0] == "?" else found.start()
        start += len(note.heading.plain[start:]) - len(note.heading.plain[start:].lstrip(" ,"))
        place, length = note.heading.locate(start), len(note.heading.raw) - start
        fix = "move it to its own note, or ask only one of the two"
        yield self.report(place, "a second question in one heading", fix, length)
