import re
from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import Passage
from ptcards.lint.registry import Rule
from ptcards.markdown.inlines import Span, SpanKind


class ImageWithoutAlt(Rule, severity="hint"):
    """A picture has no alternative text.

    Why: a screen reader reads out the file name instead, and Anki shows it where the file is missing; the
    list of cards in Anki's browser shows nothing at all.

    For instance:

        ![](strides.png)

    Fix: describe the picture.

        ![A 2×3 tensor and the six numbers of its storage](strides.png)
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the picture."""
        for passage in note.passages:
            for span in passage.all_spans:
                if _is_silent(span, passage):
                    fix = "describe the picture: `![what it shows](file)`"
                    length = span.end - span.start
                    yield self.report(
                        passage.locate(span.start), "a picture without alternative text", fix, length
                    )


def _is_silent(span: Span, passage: Passage) -> bool:
    if span.kind is SpanKind.IMAGE:
        return not passage.raw[span.inner : span.inner_end].strip()
    tag = span.text.lower()
    return span.kind is SpanKind.HTML and tag.startswith("<img") and not re.search(r"\balt\s*=", tag)
