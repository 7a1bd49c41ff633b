import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind

_COMMENT = re.compile(r"(?:#|//|--|/\*)\s(.*)")


class CodeOnlyAnswer(Rule, severity="warning", limits={"code-only-answer": 5}):
    """The answer is code or output with no explanation.

    Why: a learner who does not understand the answer memorises what the code looks like. "Do not learn if you
    do not understand" (Anki manual, Getting started). Code with fewer than `code-only-answer` (5) words of
    explanation is a warning; comments in the code, hints and `### Details` count.

    For instance:

        ### Answer

        ```output
        tensor([0, 0])
        ```

    Fix: add the sentence that you would say aloud.

        `zeros_like` copies the dtype too, so the zeros are integers.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the first block of code."""
        answer = note.part("answer")
        if note.note.kind not in (Kind.BASIC, Kind.REVERSED) or not answer.codes:
            return
        comments = sum(
            len(comment.split()) for code in answer.codes for comment in _COMMENT.findall(code.source)
        )
        beside = sum(note.part(name).words for name in ("answer", "details", "hint"))
        tables = any(passage.table for passage in answer.passages)
        if comments + beside < self.limits["code-only-answer"] and not tables:
            fix = "add a sentence that says why, in the answer or below `### Details`"
            yield self.report(answer.codes[0].place, "the answer is code with no explanation", fix)
