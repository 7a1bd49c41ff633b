"""The note has no id.

Off unless `enable` names it: `deck.lock` remembers notes without one, also when they are reworded or moved.

Why: with an id question, answer and deck may all change in one release, and no learner loses a review. It is what a
collection with many authors wants.

For instance:

    ## Why does evaluation run under `torch.no_grad()`?

Fix: add an id that never changes; letters, digits, `-`, `_` and `.`.

    ## Why does evaluation run under `torch.no_grad()`?
    <!-- card: id=eval-no-grad -->
"""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, hint
from ptcards.reading import Limits, Reading

OFF = True


def check(note: Reading, _limits: Limits) -> Iterator[Diagnostic]:
    """Point at the heading."""
    if not note.note.id:
        fix = f"add `<!-- card: id={note.note.key} -->` below it"
        yield hint(note.heading.locate(), "missing-id", "a note without an id", fix, len(note.heading.raw))
