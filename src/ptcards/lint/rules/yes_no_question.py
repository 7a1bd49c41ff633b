import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, Severity
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_FORM = re.compile(
    r"(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|has|have|had|must|may"
    r"|might)\b(?! you\b)",
    re.IGNORECASE,
)


class YesNoQuestion(Rule, severity="warning or hint", limits={"yes-no-question": 3}, english=True):
    """The question can be answered with yes or no.

    Why: half of all guesses are right, and the learner does not recall the reason, which is what an
    interviewer wants to hear. Prompts should take effort (Matuschak, How to write good prompts,
    https://andymatuschak.org/prompts/). It is a warning if the answer has at most `yes-no-question` (3) words
    and nothing explains it, otherwise a hint.

    For instance:

        ## Does `model.eval()` turn off gradients?

    Fix: ask why, what or how, so that yes or no is only part of the answer; `A or B?` is fine.

        ## What does `model.eval()` change, and what does it leave on?
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the verb; an answer of at most `yes-no-question` words makes it a warning."""
        heading = note.heading.plain
        found = _FORM.match(heading)
        if (
            not found
            or note.note.kind not in (Kind.BASIC, Kind.REVERSED, Kind.TYPED)
            or re.search(r"\bor\b", heading)
        ):
            return
        answer = note.part("answer")
        explained = answer.codes or note.part("details").blocks
        bare = answer.words <= self.limits["yes-no-question"] and not explained
        severity = Severity.WARNING if bare else Severity.HINT
        fix = "ask why, how or what, so that learners recall the reason too"
        place = note.heading.locate()
        yield self.report(place, "a yes-or-no question", fix, len(found[0]), severity=severity)
