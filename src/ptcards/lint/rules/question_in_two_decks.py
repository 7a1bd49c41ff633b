from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import asked, read_heading
from ptcards.lint.registry import Rule
from ptcards.notes import Note


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

    def check_all(self, notes: Sequence[Note]) -> Iterator[Diagnostic]:
        """Report each later copy, naming the first."""
        first: dict[tuple[str, ...], Note] = {}
        for note in notes:
            original = first.setdefault(asked(note), note)
            if original.deck != note.deck:
                message = f"this question is also asked in `{original.deck}`, at {original.location}"
                fix = "keep one of them and give it a tag for the other deck, or reword one"
                yield self.report_passage(read_heading(note), message, fix)
