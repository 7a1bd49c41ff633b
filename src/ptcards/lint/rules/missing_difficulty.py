from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

_FIX = "add `difficulty=easy`, `medium` or `hard` to the card comment, or `difficulty:` to the front matter"


class MissingDifficulty(Rule, severity="hint"):
    """A note has no difficulty, though most others have one.

    Why: learners filter by tags such as `difficulty::easy`, and a note without one is in no selection. The
    rule applies only where at least half of the notes have a difficulty.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=eval-no-grad -->

    Fix: add `difficulty=easy`, `medium` or `hard` to the card comment, or a default to the front matter.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report each heading without one."""
        without = [note for note in notes if not note.difficulty]
        if len(without) * 2 > len(notes):
            return
        for note in without:
            yield self.report_heading(note, "a note without a difficulty", _FIX)
