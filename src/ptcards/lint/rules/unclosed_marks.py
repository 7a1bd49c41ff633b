"""Bold text, code spans and tables that were begun but are shown as text."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.note import Reading
from ptcards.lint.passage import FILLER, Passage
from ptcards.lint.registry import Rule
from ptcards.markdown.emphasis import Leftover, find_leftovers
from ptcards.markdown.inlines import Span, SpanKind

_BOLD = re.compile(r"\*\*\*?|__")
_MEANT = re.compile(rf"[\w{FILLER}“„«「『（《【]|[\"'(\[<]\w")
"""Matches what follows marks that were meant to begin bold text."""
_UNPACKING = re.compile(
    r"(?:kw|kwargs|args|\w*_(?:kw|kwargs|args)|options|params|[A-Za-z_][\w.]*[)\]},])(?!\w)"
)
"""Matches the name of a dictionary that Python unpacks, as in `**kwargs` without backticks."""
_SIGNIFICANCE = re.compile(r"\w+ *[<≤=]")
"""Matches a legend below a table of statistics, as in `**p < 0.01`."""


class UnclosedEmphasis(Rule, severity="warning"):
    r"""Bold text is not closed.

    Why: GitHub and the card show the asterisks or underscores as text. Bold text ends in the paragraph where
    it begins, with as many marks, and there is no space before the closing marks.

    For instance:

        A leaf **has no children. It has `requires_grad=True`.

    Fix: close it, or write `\*\*` for two asterisks.

        A leaf **has no children**. It has `requires_grad=True`.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report marks of bold text without a partner, and those of which only one was closed."""
        if not _BOLD.search(note.prose):
            return
        for passage in note.passages:
            if not _BOLD.search(passage.plain):
                continue
            for start, end in _unclosed(passage):
                marks = passage.raw[start:end]
                message = f"`{marks}` has no partner, so it is shown as text"
                escaped = "".join(f"\\{mark}" for mark in marks)
                fix = f"add its partner in the same paragraph, or write `{escaped}`"
                yield self.report(passage.locate(start), message, fix, end - start)


def _unclosed(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the start and end of marks that were meant to begin or end bold text."""
    for gaps in _regions(passage.spans, 0, len(passage.raw)):
        for each in find_leftovers(passage.raw, gaps):
            if each.used or _is_meant(passage, each):
                yield each.start, each.end


def _is_meant(passage: Passage, marks: Leftover) -> bool:
    """Whether unpaired marks were meant to begin bold text, instead of a name, a power or a legend."""
    before = passage.raw[: marks.start]
    return (
        marks.opens
        and passage.raw[marks.start] == "*"
        and 1 < marks.end - marks.start < 4
        and not before.endswith("{")
        and not (before.rstrip()[-1:].isalnum() and passage.raw[marks.end].isdigit())
        and _MEANT.match(passage.plain, marks.end) is not None
        and not _UNPACKING.match(passage.raw, marks.end)
        and not _SIGNIFICANCE.match(passage.raw, marks.end)
    )


def _regions(spans: Sequence[Span], start: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the parts of a text in which marks find their partners: outside all spans, and inside each."""
    gaps = []
    for span in spans:
        gaps.append((start, span.start))
        start = span.end
        if span.kind in (SpanKind.LINK, SpanKind.DELETION):
            yield from _regions(span.children, span.inner, span.inner_end)
    yield [*gaps, (start, end)]


_TICKS = re.compile(r"\\.|(?P<ticks>`+)", re.DOTALL)
_BEFORE = frozenset(" \t([{\"'“‘„«—–/|:,=")
_AFTER = re.compile(rf"[\w{FILLER}<(\[{{@$#%&+~\\/-]|[.*:\"]\w")
_ENDING = re.compile(r"[\s.,;:!?)\]}\"'”’»—–|]|\Z")
_QUOTE = {1: re.compile(r"'(?!\w)"), 2: re.compile("''|\"")}
"""How a quotation ends that begins with one or two backticks, as in TeX."""


class UnclosedCode(Rule, severity="warning"):
    r"""A backtick has no partner.

    Why: GitHub and the card show it as text, and what was meant as code looks like the text around it.
    A code span ends in the paragraph where it begins, with as many backticks.

    For instance:

        Call `loss.backward() before the step.

    Fix: close the code, or write ``\` `` for a visible backtick.

        Call `loss.backward()` before the step.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report backticks that begin no code although they look as if they did."""
        if "`" not in note.prose:
            return
        for passage in note.passages:
            if "`" not in passage.plain:
                continue
            for start, end in _lone_ticks(passage):
                ticks = passage.raw[start:end]
                message = (
                    f"{'a backtick' if end - start == 1 else 'backticks'} without a partner in this paragraph"
                )
                fix = "close the code with as many backticks, or write " + "".join("\\`" for _ in ticks)
                yield self.report(passage.locate(start), message, fix, end - start)


def _lone_ticks(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the start and end of backticks that were meant as one half of a code span."""
    text = passage.plain
    code = next((span.start for span in passage.all_spans if span.kind is SpanKind.CODE), len(text))
    for found in _TICKS.finditer(text):
        start, end = found.span()
        quote = _QUOTE.get(end - start)
        if found["ticks"] is None or quote is None:
            continue
        opening = (not start or text[start - 1] in _BEFORE) and _AFTER.match(text, end)
        # If the first half of one span is missing, the wrong backticks pair up, and the last one is left.
        closing = code < start and not text[start - 1].isspace() and _ENDING.match(text, end)
        if (opening and not quote.search(text, end)) or closing:
            yield start, end
