import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.registry import Rule
from ptcards.markdown.inlines import SpanKind

_TEX = re.compile(r"\\[A-Za-z]+|[_^=]")
_CLOSING = {r"\(": r"\)", r"\[": r"\]"}


class TexDelimiters(Rule, severity="warning"):
    r"""A formula is written between `\(` and `\)` or `\[` and `\]`.

    Why: in Markdown a backslash in front of a bracket only keeps the bracket from meaning something, so
    GitHub and the card show `(x_1)` as text.

    For instance:

        The loss is \(L = -\log p\).

    Fix: write it between dollars.

        The loss is $L = -\log p$.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report each formula so written."""
        for passage in note.passages:
            escapes = [span for span in passage.all_spans if span.kind is SpanKind.TEXT]
            opening = None
            for span in escapes:
                mark = passage.raw[span.start : span.end]
                if mark in _CLOSING:
                    opening = span
                elif opening and mark == _CLOSING[passage.raw[opening.start : opening.end]]:
                    inside = passage.raw[opening.end : span.start]
                    if mark == r"\)" or _TEX.search(inside):
                        dollars = "$" if mark == r"\)" else "$$"
                        opened = passage.raw[opening.start : opening.end]
                        message = f"`{opened}` begins no formula in Markdown"
                        fix = f"write `{dollars}{' '.join(inside.split())}{dollars}`"
                        place, length = passage.locate(opening.start), span.end - opening.start
                        yield self.report(place, message, fix, length)
                    opening = None
