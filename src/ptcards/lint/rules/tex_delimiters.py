import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.markdown.inlines import SpanKind

_TEX = re.compile(r"\\[A-Za-z]+|[_^=]")
_CLOSING = {r"\(": r"\)", r"\[": r"\]"}


class TexDelimiters(Rule, severity="warning"):
    r"""A formula is written between `\(` and `\)` or `\[` and `\]`.

    Why: in Markdown, a backslash before a bracket only removes the bracket's special meaning, so GitHub and
    the card show `(x_1)` as text.

    For instance:

        The loss is \(L = -\log p\).

    Fix: write it between dollar signs.

        The loss is $L = -\log p$.

    `--fix` does so if the formula is on one line.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each formula written this way."""
        for passage in note.passages:
            for start, end, formula in _formulas(passage):
                message = f"`{passage.raw[start : start + 2]}` does not begin a formula in Markdown"
                yield self.report(passage.locate(start), message, f"write `{formula}`", end - start)

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write dollar signs where a formula is on one line and contains none."""
        for note in draft.notes:
            for passage in note.passages:
                for start, end, formula in _formulas(passage):
                    written = passage.raw[start:end]
                    if not re.search(r"[\n$`]", written):
                        place = passage.locate(start)
                        yield Edit(place.line, place.column, written, formula)


def _formulas(passage: Passage) -> Iterator[tuple[int, int, str]]:
    """Yield where each formula in a passage begins and ends, and how to write it in Markdown."""
    opening = None
    for span in (span for span in passage.all_spans if span.kind is SpanKind.TEXT):
        mark = passage.raw[span.start : span.end]
        if mark in _CLOSING:
            opening = span
        elif opening and mark == _CLOSING[passage.raw[opening.start : opening.end]]:
            inside = passage.raw[opening.end : span.start]
            if mark == r"\)" or _TEX.search(inside):
                dollars = "$" if mark == r"\)" else "$$"
                yield opening.start, span.end, f"{dollars}{' '.join(inside.split())}{dollars}"
            opening = None
