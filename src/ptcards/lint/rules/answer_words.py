from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class AnswerWords(Rule, severity="warning or hint", limits={"answer-words": 120, "answer-words-hint": 60}):
    """The answer is longer than anybody recalls.

    Why: what is recalled has to be graded, and nobody grades a page. Of 165 answers of a well-known interview
    collection 42 % have more than 60 words and 10 % more than 120; those are read, not recalled. The minimum
    information principle, rule 4 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than `answer-words` (120)
    words outside code and tables is a warning, more than `answer-words-hint` (60) a hint. `### Details` do
    not count.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

        (three paragraphs)

    Fix: say in the answer what has to be said in the interview; move the rest below `### Details`, or into
    notes of its own.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer's first line."""
        answer = note.part("answer")
        if exceeded := self.exceeded(answer.words):
            limit, severity = exceeded
            message = f"an answer of {answer.words} words, more than {limit}"
            fix = (
                "keep what has to be recalled, and move the rest below `### Details` or into notes of its own"
            )
            yield self.report(answer.place, message, fix, severity=severity)
