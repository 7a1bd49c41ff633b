import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import FILLER
from ptcards.lint.registry import Rule

# Indexing, as in x[0][1], is left alone: a label has a letter.
_REFERENCE = re.compile(
    rf"!?\[[^\[\]{FILLER}][^\[\]]*\]\[(?P<label>[^\[\]{FILLER}]*[^\W\d_][^\[\]{FILLER}]*)\]"
)


class UndefinedReference(Rule, severity="warning"):
    """A link or picture refers to a definition that is not in the file.

    Why: the card shows the brackets instead of the link or picture.

    For instance:

        See [the manual][docs].

    Fix: define it anywhere in the file, or write the address in place. If you want to show the brackets, put
    them in backticks.

        [docs]: https://docs.pytorch.org/docs/stable/
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the reference."""
        if not _REFERENCE.search(note.prose):
            return
        for passage in note.passages:
            for found in _REFERENCE.finditer(passage.plain):
                label = found["label"]
                cure = f"add a line `[{label}]: address` to the file"
                fix = f"{cure}, or put it in backticks to show the brackets"
                place = passage.locate(found.start())
                yield self.report(place, f"`[{label}]` is not defined", fix, len(found[0]))
