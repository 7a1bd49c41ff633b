from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class AnswerWords(Rule, severity="warning or hint", limits={"answer-words": 120, "answer-words-hint": 60}):
    """The answer is too long to recall.

    Why: learners grade what they recalled, and nobody can grade a whole page. In a well-known interview
    collection of 165 questions, 42 % of the answers have more than 60 words and 10 % more than 120; people
    read those answers but do not recall them. See the minimum information principle, rule 4 of Wozniak's
    Twenty rules (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge). More than
    `answer-words` (120) words outside code and tables is a warning, more than `answer-words-hint` (60) a
    hint. Text below `### Details` does not count.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

        (three paragraphs)

    Fix: keep in the answer what you would say in the interview; move the rest below `### Details`, or into
    separate notes.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the answer's first line."""
        answer = note.part("answer")
        if exceeded := self.exceeded(answer.words):
            limit, severity = exceeded
            message = f"an answer of {answer.words} words, more than {limit}"
            fix = "keep what has to be recalled, and move the rest below `### Details` or into separate notes"
            yield self.report(answer.place, message, fix, severity=severity)
