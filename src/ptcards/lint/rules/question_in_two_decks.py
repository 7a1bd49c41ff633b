from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import asked, read_heading
from ptcards.lint.registry import Rule
from ptcards.notes import Note


class QuestionInTwoDecks(Rule, severity="hint"):
    """Two decks ask the same question.

    Why: someone who studies both answers it twice, and an update of one leaves the other as it was. That can
    be intended where different people study the two decks; inside one deck it is an error
    (`duplicate-question`).

    For instance:

        autograd.md:   ## Why does evaluation run under `torch.no_grad()`?
        inference.md:  ## Why does evaluation run under `torch.no_grad()`?

    Fix: keep one of them, with a tag for the other topic; or let each ask for what matters in its deck.
    """

    def check_all(self, notes: Sequence[Note]) -> Iterator[Diagnostic]:
        """Report each later copy, naming the first."""
        first: dict[tuple[str, ...], Note] = {}
        for note in notes:
            original = first.setdefault(asked(note), note)
            if original.deck != note.deck:
                message = f"this question is asked in `{original.deck}` too, at {original.location}"
                fix = "keep one of them and give it a tag for the other deck, or reword one"
                yield self.report_passage(read_heading(note), message, fix)
