from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class DeepDeck(Rule, severity="hint", limits={"deck-levels": 6}):
    """A deck has many levels.

    Why: deep trees are hard to read on a phone, and learners open each level by hand. More than `deck-levels`
    (6) levels, including the collection's name, is a hint.

    For instance:

        cards/vault/areas/work/cloud/aws/s3.md

    Fix: use fewer folders, or set the levels in the front matter.

        ---
        deck: Cloud::S3
        ---
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note of each such deck."""
        first: dict[str, Overview] = {}
        for note in notes:
            first.setdefault(note.deck, note)
        for deck, note in first.items():
            levels = deck.count("::") + 1
            if levels > self.limits["deck-levels"]:
                fix = "use fewer folders, or `deck:` in the front matter"
                yield self.report(note.location, f"`{deck}` has {levels} levels", fix, 2)
