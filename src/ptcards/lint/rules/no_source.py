from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule


class NoSource(Rule, severity="hint", off=True):
    """The note names no source.

    Off unless `enable` names it: authors who write from their own knowledge have no sources.

    Why: learners who doubt an answer want to look it up, and maintainers who update it need to. "Provide
    sources", rule 18 of Wozniak's Twenty rules
    (https://www.supermemo.com/en/blog/twenty-rules-of-formulating-knowledge).

    For instance:

        ## Which dtype does `torch.tensor([1, 2])` have?

        `torch.int64`: Python integers become 64-bit integers.

    Fix: add a `### Sources` section, or a link anywhere in the note.

        ### Sources

        - <https://docs.pytorch.org/docs/stable/generated/torch.tensor.html>
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the heading."""
        if not note.part("sources").blocks and not any("://" in part.text.markdown for part in note.parts):
            fix = "add `### Sources` with a link"
            yield self.report_passage(note.heading, "a note without a source", fix)
