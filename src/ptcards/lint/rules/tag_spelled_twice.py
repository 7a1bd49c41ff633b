from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule


class TagSpelledTwice(Rule, severity="hint"):
    """A tag is spelt in two ways.

    Why: if tags differ only in case, Anki keeps whichever spelling the learner had first, and its browser
    treats them as one. Two spellings are either a slip, or two tags that nobody can distinguish.

    For instance:

        <!-- card: tags=Memory -->
        <!-- card: tags=memory -->

    Fix: spell it the same way everywhere.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note with the second spelling."""
        first: dict[str, tuple[str, Overview]] = {}
        told: set[str] = set()
        for note in notes:
            for tag in note.tags:
                spelled, original = first.setdefault(tag.casefold(), (tag, note))
                if spelled != tag and tag not in told:
                    told.add(tag)
                    message = f"the tag `{tag}` is spelt `{spelled}` at {original.location}"
                    fix = "spell it the same way everywhere"
                    yield self.report_heading(note, message, fix)
