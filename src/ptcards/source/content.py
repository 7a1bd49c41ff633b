"""Finds a text's contents without rendering it: files, links, deletions, and what would not render on a card.

The source parser calls `inspect` for each field of a note. It reads the same blocks and spans as the
renderer, so both always see the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ptcards.diagnostics import Diagnostic, Location, Severity, warning
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.markdown import deletions, starts
from ptcards.markdown.blocks import NESTING_LIMIT, scan
from ptcards.markdown.fences import (
    DIAGRAMS,
    MATH,
    FenceInfo,
    files_in,
    html_of,
    is_active,
    is_verbatim,
    read_info,
    whole_verbatim,
)
from ptcards.markdown.links import normalise_label
from ptcards.markdown.paragraphs import footnotes, paragraph_of, paragraphs, targets
from ptcards.markdown.starts import ALERTS
from ptcards.markdown.tables import split_row
from ptcards.markdown.tags import OpenTags, find_tags
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Line, Problem, Text
from ptcards.source.findings import Deletion, ParagraphInspector, Reference

__all__ = [
    "MAX_FIELD_BYTES",
    "NOTHING",
    "Content",
    "Deletion",
    "Reference",
    "Verbatim",
    "inspect",
    "normalise_label",
]

MAX_FIELD_BYTES = 64 * 1024
"""The maximum size of a field; beyond it, rendering and Anki are slow."""
MAX_VERBATIM_BYTES = 1 << 20
"""The maximum size of a field that is only passed on."""

_GLUED_HEADING = re.compile(r"#{2,6}(?=[^#\s])")
_CONTAINER_MARK = re.compile(r"[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ \t])")
_OTHER_BOX = re.compile(r"\[[xX]\]")


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A fence of HTML that is passed on: the files that it names in Anki, and whether it may run code."""

    location: Location
    length: int
    files: tuple[str, ...]
    is_active: bool


@dataclass(frozen=True, slots=True)
class Content:
    """The contents of a text.

    `labels` are the normalised labels of all reference links and footnotes (`^label`) that the text may use,
    defined or not. `deletions` are outside code, `code_deletions` in code spans, fences and indented code.
    The two lists of problems are errors only where deletions are intended: outside code in the text of a
    cloze, and in code in the text of a note with `kind=cloze`.
    """

    references: tuple[Reference, ...] = ()
    labels: frozenset[str] = frozenset()
    deletions: tuple[Deletion, ...] = ()
    code_deletions: tuple[Deletion, ...] = ()
    deletion_problems: tuple[Diagnostic, ...] = ()
    code_deletion_problems: tuple[Diagnostic, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    verbatim: tuple[Verbatim, ...] = ()


NOTHING = Content()
"""The content of an empty text."""


def inspect(text: Text, *, heading: bool = False) -> Content:
    """Return the contents of a field, or of a part of it that begins and ends between top-level blocks.

    With `heading`, the first line is a heading's text, where no blocks begin. The time is linear in the
    text's length. Definitions of links and footnotes count wherever they are in the text.
    """
    if not text:
        return NOTHING
    inspector = _Inspector(text, heading=heading)
    inspector.run()
    return inspector.content()


class _Inspector(ParagraphInspector):
    """Walks through the blocks of a text once."""

    def __init__(self, text: Text, *, heading: bool) -> None:
        self.lines = text.markdown.split("\n")
        # Below a heading's text are the definitions that it uses.
        self.document = scan("\n".join(["", *self.lines[1:]]) if heading else text.markdown)
        defines = "]:" in text.markdown
        self.verbatim: list[Verbatim] = []
        self.footnote_blocks = footnotes(self.document) if defines else {}
        known = targets(self.document) if defines else {}
        super().__init__(text, known, self.footnote_blocks.keys(), heading=heading)

    def content(self) -> Content:
        return Content(
            tuple(self.references),
            frozenset(self.labels),
            tuple(self.deletions),
            tuple(self.code_deletions),
            tuple(self.deletion_problems),
            tuple(self.code_deletion_problems),
            tuple(sorted(self.diagnostics, key=lambda each: each.location)),
            tuple(self.verbatim),
        )

    def run(self) -> None:
        size = len(self.text.markdown.encode(errors="surrogatepass"))
        most = MAX_FIELD_BYTES if whole_verbatim(self.text.markdown) is None else MAX_VERBATIM_BYTES
        if size > most:
            message = f"{size // 1024} KB in one field, at most {most // 1024} are allowed"
            problem = Problem(0, 1, "field-too-large", message, "split the note, or move data into a file")
            self.report(problem, 0, 1)
            return
        if self.heading:
            self.visit_paragraph(paragraph_of([Line(self.lines[0], 0)]))
        self.visit_all(self.document, 0)
        for label, block in self.footnote_blocks.items():
            if f"^{label}" not in self.labels:
                message, fix = (
                    f"nothing refers to the footnote `[^{label}]`, so it is not shown",
                    "refer to it, or remove it",
                )
                problem = Problem(0, len(label) + 4, "unused-footnote", message, fix, Severity.WARNING)
                self.report(problem, block.start, block.column)

    # Blocks

    def visit_all(self, block: Block, depth: int) -> None:
        """Inspect a container: HTML opened in it must be closed in it."""
        tags = OpenTags()
        for position, child in enumerate(block.children):
            following = block.children[position + 1] if position + 1 < len(block.children) else None
            self.visit(child, tags, depth, following)
        for problem, where in tags.rest():
            self.report_in(where, problem)

    def visit(self, block: Block, tags: OpenTags, depth: int, following: Block | None) -> None:
        match block.kind:
            case BlockKind.PARAGRAPH | BlockKind.HEADING | BlockKind.TABLE:
                self.visit_text(block, depth)
            case BlockKind.FENCE:
                self.visit_fence(block, depth, following)
            case BlockKind.LIST:
                for item in block.children:
                    if box := second_box(item, self.text):
                        self.diagnostics.append(box)
                    self.visit_all(item, depth + 1)
            case BlockKind.QUOTE:
                self.visit_all(block, depth + 1)
                self.check_alert(block, depth)
            case BlockKind.FOOTNOTE:
                self.visit_footnote(block, depth)
            case BlockKind.HTML:
                self.visit_html(block, tags)
            case BlockKind.CODE:
                self.visit_code(block)

    def visit_footnote(self, block: Block, depth: int) -> None:
        """Inspect a footnote; a reference to itself does not make it shown."""
        label = f"^{block.label}"
        referred = label in self.labels
        self.visit_all(block, depth + 1)
        if not referred:
            self.labels.discard(label)

    def visit_html(self, block: Block, tags: OpenTags) -> None:
        raw = paragraph_of(block.lines)
        ending = _HTML_ENDS.get(block.html, "")
        if ending not in raw.text:
            message, fix = (
                f"`{raw.text[:2]}` without its end hides the rest of the field",
                f"close it with `{ending}`",
            )
            self.report_in(raw, Problem(0, 2, "unclosed-comment", message, fix))
            return
        found, problems = find_tags(raw.text)
        for problem in problems:
            self.report_in(raw, problem)
        self.visit_tags(raw, found, tags)

    def visit_fence(self, block: Block, depth: int, following: Block | None) -> None:
        length = len(self.lines[block.start][block.column - 1 :].rstrip())
        if is_verbatim(block):
            html, place = html_of(block), self.text.location(block.start, block.column)
            self.verbatim.append(Verbatim(place, length, files_in(html), is_active(html)))
            if not block.closed:
                self.report_unclosed(block, depth, following)
            return
        info = read_info(block.info)
        for message, fix in self.complaints(block, info):
            problem = Problem(0, length, "unknown-fence-word", message, fix, Severity.WARNING)
            self.report(problem, block.start, block.column)
        if not block.closed:
            self.report_unclosed(block, depth, following)
        if info.language == MATH:
            self.visit_math(paragraph_of(block.lines))
        else:
            self.visit_code(block)

    @staticmethod
    def complaints(block: Block, info: FenceInfo) -> Iterator[tuple[str, str]]:
        """Yield problems with the words of a fence, with fixes."""
        yield from info.complaints
        if info.highlighted and max(info.highlighted) > len(block.lines):
            yield (
                f"`hl_lines` goes beyond the {len(block.lines)} lines of the code",
                "count from 1 below the fence",
            )
        if info.language in DIAGRAMS:
            yield (
                f"GitHub draws `{info.language}`, but a card shows its source",
                "show a picture of the diagram",
            )

    def report_unclosed(self, block: Block, depth: int, following: Block | None) -> None:
        """Report an unclosed fence or, in a list or quote, the line that ends it by being outside."""
        lines = self.lines
        out = next((index for index in range(block.end, len(lines)) if lines[index].strip()), None)
        if depth and following is None and out is not None:
            message = "this line is outside the list item or quote of its code block"
            fix = (
                f"indent it like the fence of line {self.text.location(block.start).line}, or close "
                "that fence"
            )
            column = len(lines[out]) - len(lines[out].lstrip()) + 1
            self.report(Problem(0, len(lines[out].strip()), "line-left-of-fence", message, fix), out, column)
        else:
            fix = f"close it with the line {block.marker}"
            if depth:
                fix += ", and indent every line of the code at least as far as the fence"
            problem = Problem(0, len(block.marker), "unclosed-fence", "a code block that is not closed", fix)
            self.report(problem, block.start, block.column)

    def visit_code(self, block: Block) -> None:
        if not block.lines:
            return
        code = paragraph_of(block.lines)
        marks, problems = deletions.find_marks(code.text, hints=False)
        self.keep_marks(code, 0, marks, self.code_deletions)
        for problem in problems:
            self.report_in(code, problem, self.code_deletion_problems)

    # Text

    def visit_text(self, block: Block, depth: int) -> None:
        if depth >= NESTING_LIMIT and _CONTAINER_MARK.match(block.lines[0].text):
            fix = "remove levels: from here on the marks are shown as text"
            message = f"lists and quotes nested more than {NESTING_LIMIT} deep"
            self.report(
                Problem(0, 1, "nested-too-deep", message, fix), block.lines[0].index, block.lines[0].column
            )
        if block.kind is BlockKind.PARAGRAPH:
            for line in block.lines:
                self.check_heading(line)
        if block.kind is BlockKind.TABLE:
            self.check_rows(block)
        for paragraph in paragraphs(block):
            self.visit_paragraph(paragraph)

    def check_heading(self, line: Line) -> None:
        if marks := _GLUED_HEADING.match(line.text):
            message = f"`{line.text.split()[0]}` is text: a heading needs a space after `#`"
            fix = f"write `{marks[0]} {line.text[marks.end() :].strip()}`, or `\\{marks[0]}` if it is text"
            problem = Problem(0, len(marks[0]), "heading-without-space", message, fix, Severity.WARNING)
            self.report(problem, line.index, line.column)

    def check_rows(self, table: Block) -> None:
        """Report cells beyond a table's last column, which GitHub drops."""
        columns = len(table.alignments)
        for row in table.lines[2:]:
            cells = split_row(row)
            if len(cells) > columns:
                extra = cells[columns]
                message = (
                    f"a row of {len(cells)} cells in a table of {columns} columns: the extra ones "
                    "are not shown"
                )
                fix = r"write `\|` for a `|` inside a cell, even in backticks"
                problem = Problem(
                    0, len(extra.text) or 1, "table-row-too-long", message, fix, Severity.WARNING
                )
                self.report(problem, extra.index, extra.column)

    def check_alert(self, quote: Block, depth: int) -> None:
        """Report what looks like an alert but is not one on GitHub."""
        first = quote.children[0] if quote.children else None
        name = starts.alert(first.lines[0].text) if first and first.kind is BlockKind.PARAGRAPH else ""
        if not first or not name:
            return
        if name.upper() not in ALERTS:
            fix = did_you_mean(name.upper(), ALERTS, f"use one of `{'`, `'.join(ALERTS)}`")
        elif depth:
            fix = "move it out of its list or quote"
        else:
            return
        message = f"`[!{name}]` is not an alert here"
        problem = Problem(0, len(name) + 3, "unknown-alert", message, fix, Severity.WARNING)
        self.report(problem, first.lines[0].index, first.lines[0].column)


_HTML_ENDS = {3: "?>", 4: ">", 5: "]]>"}


def second_box(item: Block, text: Text) -> Diagnostic | None:
    """Return a warning for a box that GitHub shows as checked only because of an `[x]` later in its line."""
    first = item.children[0].lines[0] if item.children and item.children[0].lines else None
    if item.task is not False or first is None or first.index != item.start:
        return None
    if box := _OTHER_BOX.search(first.text):
        fix = r"write `\[x]`, or put it in backticks on a separate line"
        message = "GitHub shows this option's box as checked because of this"
        place = text.location(first.index, first.column + box.start())
        return warning(place, "second-box", message, fix, 3)
    return None
