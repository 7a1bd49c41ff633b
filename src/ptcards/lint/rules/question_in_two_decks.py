from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class QuestionInTwoDecks(Rule, severity="hint"):
    """Two decks ask the same question.

    Why: a learner who studies both decks answers it twice, and an update to one copy leaves the other
    unchanged. This can be intended if different people study the two decks; within one deck it is an error
    (`duplicate-question`).

    For instance:

        autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
        inference.md:  ## Why does evaluation run under `torch.no_grad()`?

    Fix: keep one, with a tag for the other topic, or have each ask for what matters in its deck.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each later copy, naming the first."""
        first: dict[tuple[str, ...], Overview] = {}
        for note in notes:
            original = first.setdefault(note.asked, note)
            if original.deck != note.deck:
                message = f"this question is also asked in `{original.deck}`, at {original.location}"
                fix = "keep one of them and give it a tag for the other deck, or reword one"
                yield self.report_heading(note, message, fix)
