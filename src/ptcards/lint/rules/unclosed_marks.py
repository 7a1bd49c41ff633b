"""Bold text, code spans and tables that were begun but are shown as text."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, counted
from ptcards.lint.note import FILLER, Part, Passage, Reading
from ptcards.lint.registry import LineEdit, Rule, SourceToFix
from ptcards.markdown.inlines import Leftover, find_leftovers
from ptcards.markdown.tree import BlockKind, Span, SpanKind, is_delimiter_row, split_row
from ptcards.notes import Line

_BOLD = re.compile(r"\*\*\*?|__")
_PAIRED = re.compile(rf"[^*_~\\]*(?:\*\*[^\W_](?:[^*_~\\{FILLER}]*[^\W_])?\*\*[^*_~\\]*)*")
"""Matches a whole text whose only marks are pairs around plain words, such as `**never**`."""
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
            if not _BOLD.search(passage.plain) or _PAIRED.fullmatch(passage.plain):
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
        for leftover in find_leftovers(passage.raw, gaps):
            if leftover.used or _is_meant(passage, leftover):
                yield leftover.start, leftover.end


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


_ROW = re.compile(r"\|.*\S.*(?<!\\)\|[ \t]*\Z")
_ORG_DELIMITER = re.compile(r"\|[ \t]*:?-+:?[ \t]*(?:[+|][ \t]*:?-+:?[ \t]*)*\|[ \t]*\Z")
"""Matches a delimiter row, also that of Org mode, as in `|---+---|`."""
_COLUMN = " --- "
_ABOVE = re.compile(r"[ \t>]*\Z")
"""Matches what can be repeated before a new line: the indentation and the marks of quotes."""


class _Broken(NamedTuple):
    """Rows that were meant as a table, what to report, and the row that they lack if it is certain."""

    header: Line
    line: Line
    length: int
    message: str
    delimiter: str


class BrokenTable(Rule, severity="warning"):
    """The rows of a table are shown as text.

    Why: GitHub and the card recognise a table by the row below its header, which must have as many columns
    as the header. Without such a row, they show every `|` and `-`.

    For instance:

        | layer  | parameters |
        |---|
        | conv1  | 448        |

    Fix: write a delimiter row with a `---` for each column.

        | layer  | parameters |
        | ------ | ---------- |
        | conv1  | 448        |

    `--fix` does this if no row has another number of cells than the header.
    """

    def check(self, note: Reading) -> Iterator[Diagnostic]:
        """Report the header or the delimiter row of each broken table."""
        if "|" not in note.prose:
            return
        for part in note.parts:
            for broken in _broken_tables(part):
                place = part.text.location(broken.line.index, broken.line.column)
                yield self.report(place, broken.message, _advice(broken), broken.length)

    def fix(self, draft: SourceToFix) -> Iterator[LineEdit]:
        """Write the delimiter row, where only one is possible."""
        for note in draft.notes:
            if "|" not in note.prose:
                continue
            for part in note.parts:
                for broken in _broken_tables(part):
                    place = part.text.location(broken.line.index, broken.line.column)
                    if not broken.delimiter or not place.column:
                        continue
                    before = draft.lines[place.line - 1][: place.column - 1]
                    if broken.line is not broken.header:
                        yield LineEdit(place.line, place.column, broken.line.text, broken.delimiter)
                    elif _ABOVE.match(before):
                        new = f"{broken.line.text}\n{before}{broken.delimiter}"
                        yield LineEdit(place.line, place.column, broken.line.text, new)


def _advice(broken: _Broken) -> str:
    delimiter = f"|{'|'.join([_COLUMN] * len(split_row(broken.header)))}|"
    return f"write `{delimiter}` below the header" if len(delimiter) < 60 else "write one `---` per column"


def _broken_tables(part: Part) -> Iterator[_Broken]:
    """Yield what was meant as a table in the paragraphs of a part; each paragraph has at most one."""
    for block in part.blocks:
        if block.kind is BlockKind.PARAGRAPH and (broken := _find(block.lines)):
            yield broken


def _find(lines: tuple[Line, ...]) -> _Broken | None:
    for at, (header, line) in enumerate(pairwise(lines)):
        if "|" not in header.text:
            continue
        cells = split_row(header)
        text = line.text.strip()
        if "|" in text and (is_delimiter_row(text) or _ORG_DELIMITER.match(text)):
            columns = split_row(Line(text.replace("+", "|"), 0, 1))
            if len(columns) == len(cells) and "+" not in text:
                continue
            rows = [split_row(row) for row in lines[at + 2 :] if "|" in row.text]
            sure = len(cells) > 1 and all(len(row) == len(cells) for row in rows)
            kept = [f" {column.text} " for column in columns][: len(cells)]
            delimiter = f"|{'|'.join(kept + [_COLUMN] * (len(cells) - len(kept)))}|"
            message = "not a table: its delimiter row has `+` instead of `|`"
            if len(columns) != len(cells):
                header_columns = counted(len(cells), "column")
                message = f"not a table: {header_columns} in its header, {len(columns)} in its delimiter row"
            return _Broken(header, line, len(text), message, delimiter if sure else "")
        if _ROW.match(header.text) and _ROW.match(line.text) and len(cells) == len(split_row(line)) > 1:
            sure = not at and all(len(split_row(row)) == len(cells) and _ROW.match(row.text) for row in lines)
            delimiter = f"|{'|'.join([_COLUMN] * len(cells))}|"
            message = "not a table: it has no row such as `|---|---|` below its header"
            return _Broken(header, header, len(header.text.rstrip()), message, delimiter if sure else "")
    return None
