"""Finds a text's contents without rendering it: files, links, deletions, and what would not render on a card.

The source parser calls `inspect` for each field of a note. `inspect` reads the same blocks and spans as the
renderer, so the two always agree.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.markdown import deletions
from ptcards.markdown.blocks import scan
from ptcards.markdown.fences import (
    MATH,
    files_in,
    html_of,
    is_active,
    is_verbatim,
    read_info,
    whole_verbatim,
)
from ptcards.markdown.links import normalise_label
from ptcards.markdown.paragraphs import footnotes, paragraph_of, paragraphs, targets
from ptcards.markdown.tags import OpenTags, find_tags
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Line, Problem, Text
from ptcards.source.block_checks import (
    Positioned,
    check_alert,
    check_box,
    check_depth,
    check_end,
    check_headings,
    check_rows,
    check_words,
)
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
"""The maximum size of a field; larger fields slow down rendering and Anki."""
MAX_VERBATIM_BYTES = 1 << 20
"""The maximum size of a field of HTML that is passed on unchanged."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A fence of HTML that is passed on: its media files, and whether it may run code."""

    location: Location
    length: int
    files: tuple[str, ...]
    is_active: bool


class Content(NamedTuple):
    """The contents of a text.

    `labels` are the normalised labels of all reference links and footnotes (`^label`) that the text may use,
    defined or not. `deletions` are outside code; `code_deletions` are in code spans, fences and indented
    code. `deletion_problems` only matter in the text of a cloze, and `code_deletion_problems` only in the
    text of a note with `kind=cloze`.
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
    """Return the contents of a field, or of some of its top-level blocks.

    With `heading`, the first line is the text of a heading, so no block begins there. Definitions of links
    and footnotes count wherever they are in the text. It runs in linear time.
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
        # The text of a heading is followed by the definitions that it uses.
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
            message = f"this field is {size // 1024} KB; the maximum is {most // 1024} KB"
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

    def report_each(self, found: Iterable[Positioned]) -> None:
        for each in found:
            self.report(*each)

    def visit_all(self, block: Block, depth: int) -> None:
        """Inspect a container; HTML tags opened in it must be closed in it."""
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
                self.visit_list(block, depth)
            case BlockKind.QUOTE:
                self.visit_all(block, depth + 1)
                self.report_each(check_alert(block, depth))
            case BlockKind.FOOTNOTE:
                self.visit_footnote(block, depth)
            case BlockKind.HTML:
                self.visit_html(block, tags)
            case BlockKind.CODE:
                self.visit_code(block)
            case BlockKind.DOCUMENT | BlockKind.ITEM | BlockKind.RULE | BlockKind.DEFINITION:
                pass  # nothing to inspect, or inspected with their container

    def visit_list(self, block: Block, depth: int) -> None:
        for item in block.children:
            self.report_each(check_box(item))
            self.visit_all(item, depth + 1)

    def visit_footnote(self, block: Block, depth: int) -> None:
        """Inspect a footnote; a reference from the footnote to itself does not count."""
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
                f"an unclosed `{raw.text[:2]}` hides the rest of the field",
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
        info, verbatim = read_info(block.info), is_verbatim(block)
        words = () if verbatim else check_words(block, info, length)
        place = self.text.location(block.start, block.column)
        self.report_each([*words, *check_end(block, depth, self.lines, following, place.line)])
        if verbatim:
            html = html_of(block)
            self.verbatim.append(Verbatim(place, length, files_in(html), is_active(html)))
        elif info.language == MATH:
            self.visit_math(paragraph_of(block.lines))
        else:
            self.visit_code(block)

    def visit_code(self, block: Block) -> None:
        if not block.lines:
            return
        code = paragraph_of(block.lines)
        marks, problems = deletions.find_marks(code.text, hints=False)
        self.keep_marks(code, 0, marks, self.code_deletions)
        for problem in problems:
            self.report_in(code, problem, self.code_deletion_problems)

    def visit_text(self, block: Block, depth: int) -> None:
        self.report_each(check_depth(block, depth))
        if block.kind is BlockKind.PARAGRAPH:
            self.report_each(check_headings(block))
        if block.kind is BlockKind.TABLE:
            self.report_each(check_rows(block))
        for paragraph in paragraphs(block):
            self.visit_paragraph(paragraph)


_HTML_ENDS = {3: "?>", 4: ">", 5: "]]>"}
