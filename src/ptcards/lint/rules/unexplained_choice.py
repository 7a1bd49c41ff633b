from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.notes import Kind


class UnexplainedChoice(Rule, severity="warning"):
    """A choice does not say why its answer is right.

    Why: a learner who guessed right has learnt nothing, and one who guessed wrong does not know why. Shared
    decks "might not make any effort to add background information" (Anki manual, Getting started); choices
    need it most.

    For instance:

        - [ ] `loss.backward()`
        - [x] `optimizer.zero_grad()`

    Fix: explain the answer below the list, or comment on the options in nested lists.

        - [ ] `loss.backward()`
            - It adds to the gradients.
        - [x] `optimizer.zero_grad()`
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        explained = any(part.name in ("answer", "comment", "details") for part in note.parts)
        if note.note.kind is Kind.CHOICE and note.note.choices and not explained:
            fix = "explain it below the options, or in a nested list under one"
            yield self.report_passage(note.heading, "the choice does not say why its answer is right", fix)
