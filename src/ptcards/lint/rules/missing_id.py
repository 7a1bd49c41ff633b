from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class MissingId(Rule, severity="hint", off=True):
    """The note has no id.

    Off unless `enable` names it: `deck.lock` identifies notes without an id, even when they are reworded or
    moved.

    Why: with an id, the question, answer and deck can all change in one release, and learners keep their
    review history. This suits a collection with many authors.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?

    Fix: add an id that never changes, made of letters, digits, `-`, `_` and `.`.

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=eval-no-grad -->
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each heading without one; the suggested id depends on all notes."""
        for note in notes:
            if not note.id:
                fix = f"add `<!-- card: id={note.key} -->` below it"
                yield self.report_heading(note, "a note without an id", fix)
