"""Finds a text's contents without rendering it: files, links, deletions, and what would not render on a card.

It also adds link and footnote definitions to the texts that use them but do not contain them.

The source parser calls `inspect` for each field of a note. `inspect` reads the same blocks and spans as the
renderer, so the two always agree.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait, counted, warning
from ptcards.diagnostics.suggest import one_of
from ptcards.markdown import deletions, tree
from ptcards.markdown.blocks import scan
from ptcards.markdown.fences import (
    DIAGRAMS,
    MATH,
    FenceInfo,
    drawing_of,
    files_in,
    html_of,
    is_active,
    is_verbatim,
    read_info,
    whole_verbatim,
)
from ptcards.markdown.inlines import is_plain, read_inlines
from ptcards.markdown.links import dark_version, is_absolute, is_unsafe, with_right_scheme
from ptcards.markdown.tags import OpenTags, Tag, find_tags, is_refused, tag_problems
from ptcards.markdown.tree import (
    ALERTS,
    NESTING_LIMIT,
    Block,
    BlockKind,
    LinkTarget,
    Paragraph,
    Span,
    SpanKind,
    definitions,
    footnotes,
    paragraph_of,
    paragraphs,
    split_row,
    targets,
)
from ptcards.notes import Line, Problem, Text
from ptcards.source.macros import FormulaPlace
from ptcards.source.media import Reference
from ptcards.source.page import Page, cut_blocks

_SUFFIX = r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp3|wav|m4a|ogg|flac|webm|mp4|ogv|mov)"
_NO_PICTURE = re.compile(
    rf"!\[\[(?P<embedded>[^\[\]|\n]+{_SUFFIX})(?:\|(?P<size>[^\[\]\n]*))?\]\]"
    rf"|!\[(?P<alt>[^\[\]\n]*)\]\((?P<path>[^()<>\s][^()<>\n]*{_SUFFIX})\)",
    re.IGNORECASE,
)
"""Matches what other programs treat as a picture; if it is one in Markdown too, it is already a span."""
_FOOTNOTE = re.compile(r"\[\^\w+\]")
_NO_TAGS = OpenTags()
"""the tags of a text without `<`, which stay as they are"""


class Deletion(NamedTuple):
    """A well-formed cloze deletion: its number (1 to 99), its location, and its length on its first line."""

    number: int
    location: Location
    length: int


class ParagraphInspector:
    """Walks through paragraphs and collects their contents.

    Methods with a parameter `into` add to that list instead of `diagnostics`.
    """

    def __init__(
        self, text: Text, targets: Mapping[str, LinkTarget], footnotes: Collection[str], *, heading: bool
    ) -> None:
        self.text = text
        self.targets = targets
        self.footnotes = footnotes
        self.heading = heading
        self.references: list[Reference] = []
        self.labels: set[str] = set()
        self.deletions: list[Deletion] = []
        self.code_deletions: list[Deletion] = []
        self.formulas: list[FormulaPlace] = []
        self.deletion_problems: list[Diagnostic] = []
        self.code_deletion_problems: list[Diagnostic] = []
        self.diagnostics: list[Diagnostic] = []

    def report(
        self,
        problem: Problem,
        index: int,
        column: int,
        into: list[Diagnostic] | None = None,
        length: int | None = None,
    ) -> None:
        """Record a problem at a position in the text."""
        where = self.text.location(index, column)
        problem = problem._replace(length=length or problem.length)
        (self.diagnostics if into is None else into).append(problem.at(where))

    def report_in(self, paragraph: Paragraph, problem: Problem, into: list[Diagnostic] | None = None) -> None:
        """Record a problem at an offset of a paragraph; only the part on its first line is underlined."""
        index, column = paragraph.place(problem.start)
        self.report(problem, index, column, into, line_length(paragraph.text, problem.start, problem.length))

    def find_deletions(self, paragraph: Paragraph, start: int, end: int, *, in_code: bool) -> None:
        """Record the deletions in code or in a formula, which is between two offsets of a paragraph."""
        into, wrong = self.deletions, self.deletion_problems
        if in_code:
            into, wrong = self.code_deletions, self.code_deletion_problems
        marks, problems = deletions.find_marks(paragraph.text[start:end], hints=not in_code)
        for mark in marks:
            self.keep_deletion(paragraph, mark.number, start + mark.start, start + mark.end, into)
        for problem in problems:
            self.report_in(paragraph, problem._replace(start=problem.start + start), wrong)

    def keep_deletion(
        self, paragraph: Paragraph, number: int, start: int, end: int, into: list[Deletion]
    ) -> None:
        """Record a deletion between two offsets of a paragraph."""
        index, column = paragraph.place(start)
        length = line_length(paragraph.text, start, end - start)
        into.append(Deletion(number, self.text.location(index, column), length))

    def visit_paragraph(self, paragraph: Paragraph) -> None:
        """Inspect a paragraph; HTML tags opened in it must be closed in it."""
        if is_plain(paragraph.text):
            return
        inlines = read_inlines(paragraph.text, self.targets, self.footnotes, deletions_too=True)
        self.labels |= inlines.labels
        for problem in inlines.problems:
            self.report_in(paragraph, problem, self.deletion_problems)
        for offset in inlines.lone_math:
            fix = "close it with `$$` in the same paragraph, or write `\\$\\$`"
            message = "an unclosed `$$` is shown as text"
            self.report_in(paragraph, Problem(offset, 2, "unclosed-math", message, fix, Severity.WARNING))
        for offset in inlines.lone_footnotes:
            if label := _FOOTNOTE.match(paragraph.text, offset):
                fix = f"add `{label[0]}: …` to the file, or put `{label[0]}` in backticks to show it"
                message = f"the footnote `{label[0]}` is not defined"
                problem = Problem(offset, len(label[0]), "unknown-footnote", message, fix, Severity.WARNING)
                self.report_in(paragraph, problem)
        if "![" in paragraph.text:
            self.check_pictures(paragraph, inlines.spans)
        if not inlines.spans:
            return
        tags = OpenTags() if "<" in paragraph.text else _NO_TAGS
        self.visit_spans(paragraph, inlines.spans, tags)
        for problem, _ in tags.rest() if tags is not _NO_TAGS else ():
            self.report_in(paragraph, problem)

    def check_pictures(self, paragraph: Paragraph, spans: Sequence[Span]) -> None:
        """Report what is meant to be a picture but is not one: Obsidian embeds, and paths with spaces."""
        for found in _NO_PICTURE.finditer(paragraph.text):
            if any(span.start < found.end() and found.start() < span.end for span in spans):
                continue
            if found["embedded"]:
                message = f"`{found[0]}` does not show a picture"
                fix = "write `![](path)` with the path of the file"
                problem = Problem(found.start(), len(found[0]), "wiki-embed", message, fix)
            else:
                message = "this is not a picture: its path has spaces"
                fix = f"write `![{found['alt']}](<{found['path']}>)`"
                problem = Problem(found.start(), len(found[0]), "path-with-spaces", message, fix)
            self.report_in(paragraph, problem)

    def visit_spans(self, paragraph: Paragraph, spans: Iterable[Span], tags: OpenTags) -> None:
        """Inspect spans."""
        for span in spans:
            self.visit_span(paragraph, span, tags)

    def visit_span(self, paragraph: Paragraph, span: Span, tags: OpenTags) -> None:
        """Inspect a span and the spans inside it."""
        match span.kind:
            case SpanKind.CODE if "{{" in span.text:
                self.find_deletions(paragraph, span.inner, span.inner_end, in_code=True)
            case SpanKind.MATH | SpanKind.DISPLAY_MATH:
                self.visit_math(paragraph, span.inner, span.inner_end)
            case SpanKind.HTML:
                found, _ = find_tags(span.text)
                moved_tags = [_moved(tag, span.start) for tag in found]
                self.visit_tags(paragraph, moved_tags, tags)
            case SpanKind.LINK | SpanKind.AUTOLINK:
                self.check_link(paragraph, span.destination, span.start, span.end)
            case SpanKind.IMAGE:
                self.keep_picture(paragraph, span)
            case SpanKind.FOOTNOTE if self.heading:
                fix, message = "move it into the text below", "a footnote in a heading is not shown"
                problem = _warning(span.end - span.start, "footnote-in-heading", message, fix, span.start)
                self.report_in(paragraph, problem)
            case SpanKind.DELETION:
                self.keep_deletion(paragraph, span.number, span.start, span.end, self.deletions)
            case SpanKind.TEXT | SpanKind.BREAK | SpanKind.BARE_LINK | SpanKind.FOOTNOTE | SpanKind.CODE:
                pass
        if span.children and span.kind is not SpanKind.IMAGE:  # a picture has only its alternative text
            self.visit_spans(paragraph, span.children, tags)

    def keep_picture(self, paragraph: Paragraph, span: Span) -> None:
        """Record the files of a picture."""
        place = self.text.location(*paragraph.place(span.start))
        length = line_length(paragraph.text, span.start, span.end - span.start)
        self.keep_file(Reference(span.destination, place, length))

    def keep_file(self, picture: Reference) -> None:
        """Record the file of a picture, and its dark version if there is one."""
        self.references.append(picture)
        if twin := dark_version(picture.address):
            self.references.append(Reference(twin, picture.location, picture.length, optional=True))

    def visit_math(self, paragraph: Paragraph, start: int, end: int) -> None:
        """Inspect a formula, which may contain deletions."""
        self.formulas.append(FormulaPlace(paragraph, start, end))
        self.find_deletions(paragraph, start, end, in_code=False)

    def check_link(self, paragraph: Paragraph, destination: str, start: int, end: int) -> None:
        """Report a link that leads nowhere or somewhere unsafe."""
        if is_unsafe(destination):
            scheme = destination.partition(":")[0]
            message = f"`{scheme}:` links are not allowed on a card: only the link text is shown"
            fix = "use an address with `https://`"
            problem = Problem(start, end - start, "unsafe-link", message, fix, Severity.WARNING)
        elif right := with_right_scheme(destination):
            message = f"`{destination}` does not begin with `{right.partition('//')[0]}//`"
            fix = f"write `{right}`"
            problem = Problem(start, end - start, "misspelt-scheme", message, fix, Severity.WARNING)
        elif not is_absolute(destination):
            what = (
                f"`{destination}` leads nowhere from a card" if destination else "a link without an address"
            )
            message = f"{what}: only the link text is shown"
            fix = "use an absolute URL, `https://…`"
            problem = Problem(
                start, end - start, "relative-link", message, fix, Severity.WARNING, Trait.RELATIVE
            )
        else:
            return
        self.report_in(paragraph, problem)

    def visit_tags(self, paragraph: Paragraph, found: Iterable[Tag], tags: OpenTags) -> None:
        """Inspect raw HTML tags: whether they are allowed and closed, and which files they name."""
        for tag in found:
            if tag.closing and tag.name in tags.refused:
                continue  # already reported at its opening tag
            problems = tag_problems(tag)
            for problem in problems:
                self.report_in(paragraph, problem)
            if is_refused(tag):
                tags.refused.add(tag.name)
            else:
                for problem, where in tags.pair(tag, paragraph):
                    self.report_in(where, problem)
            for attribute in tag.media():
                index, column = paragraph.place(attribute.start)
                self.references.append(
                    Reference(
                        attribute.value, self.text.location(index, column), attribute.end - attribute.start
                    )
                )
            for attribute in tag.attributes:
                # Unsafe addresses are already among the tag's problems.
                if (tag.name, attribute.name) == ("a", "href") and not is_unsafe(attribute.value):
                    self.check_link(paragraph, attribute.value, attribute.start, attribute.end)


def _moved(tag: Tag, by: int) -> Tag:
    attributes = tuple(
        attribute._replace(start=attribute.start + by, end=attribute.end + by) for attribute in tag.attributes
    )
    return Tag(tag.name, tag.written, tag.closing, tag.start + by, tag.end + by, attributes)


def line_length(text: str, start: int, length: int) -> int:
    """Return how many of `length` characters from `start` are on the first line, at least 1."""
    line_end = text.find("\n", start, start + length)
    return max(1, (line_end if line_end >= 0 else start + length) - start)


Positioned = tuple[Problem, int, int]
"""A problem, the index of its line, and its column."""

_GLUED_HEADING = re.compile(r"#{2,6}(?=[^#\s])")
_CONTAINER_MARK = re.compile(r"[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ \t])")
_OTHER_BOX = re.compile(r"\[[xX]\]")


def check_depth(block: Block) -> Iterator[Positioned]:
    """Yield an error for a block inside the most nested lists and quotes, if it would begin another one."""
    first = block.lines[0]
    if _CONTAINER_MARK.match(first.text):
        fix = "remove some levels: from here on, list and quote marks are shown as text"
        message = f"lists and quotes nested more than {NESTING_LIMIT} deep"
        yield Problem(0, 1, "nested-too-deep", message, fix), first.index, first.column


def check_headings(paragraph: Block) -> Iterator[Positioned]:
    """Yield a warning for each line that is not a heading only because a space is missing after its `#`."""
    for line in paragraph.lines:
        if marks := _GLUED_HEADING.match(line.text):
            message = f"`{line.text.split()[0]}` is text: a heading needs a space after `#`"
            fix = f"write `{marks[0]} {line.text[marks.end() :].strip()}`, or `\\{marks[0]}` if it is text"
            yield _warning(len(marks[0]), "heading-without-space", message, fix), line.index, line.column


def check_rows(table: Block) -> Iterator[Positioned]:
    """Yield a warning for each row with more cells than its table has columns; GitHub drops the rest."""
    columns = len(table.alignments)
    for row in table.lines[2:]:
        cells = split_row(row)
        if len(cells) > columns:
            extra = cells[columns]
            fix = r"write `\|` for a `|` inside a cell, even in backticks"
            message = f"this row has {len(cells)} cells, but the table has only {counted(columns, 'column')}"
            problem = _warning(len(extra.text) or 1, "table-row-too-long", message, fix)
            yield problem, extra.index, extra.column


def check_alert(quote: Block, depth: int) -> Iterator[Positioned]:
    """Yield a warning if a quote looks like an alert but is not one on GitHub."""
    name = quote.alert
    if not name:
        return
    first = quote.children[0]
    if name.upper() not in ALERTS:
        fix = one_of(name.upper(), ALERTS)
    elif depth:
        fix = "move it out of its list or quote"
    else:
        return
    problem = _warning(len(name) + 3, "unknown-alert", f"`[!{name}]` is not an alert here", fix)
    yield problem, first.lines[0].index, first.lines[0].column


def check_box(item: Block) -> Iterator[Positioned]:
    """Yield a warning for a box that GitHub shows as checked because of an `[x]` later on its line."""
    first = item.children[0].lines[0] if item.children and item.children[0].lines else None
    if item.task is not False or first is None or first.index != item.start:
        return
    if box := _OTHER_BOX.search(first.text):
        fix = r"write `[x\]`, or put it in backticks on a separate line"
        message = "this `[x]` makes GitHub show the option's box as checked"
        yield _warning(3, "second-box", message, fix), first.index, first.column + box.start()


def check_words(fence: Block, info: FenceInfo, length: int) -> Iterator[Positioned]:
    """Yield warnings about the words after the marks of a fence; `length` is the length of the whole line."""
    complaints = [*info.complaints]
    if info.highlighted and max(info.highlighted) > len(fence.lines):
        message = f"`hl_lines` goes beyond the code, which has {counted(len(fence.lines), 'line')}"
        complaints.append((message, "correct the line numbers; the first line of the code is 1"))
    if info.language in DIAGRAMS:
        message = f"GitHub draws `{info.language}` as a diagram, but a card shows its source"
        complaints.append((message, "use a picture of the diagram instead"))
    for message, fix in complaints:
        yield _warning(length, "unknown-fence-word", message, fix), fence.start, fence.column


def check_end(
    fence: Block, depth: int, lines: Sequence[str], following: Block | None, number: int
) -> Iterator[Positioned]:
    """Yield an error for an unclosed fence.

    In a list or quote, the error is at the line outside it that ends the fence. `number` is the number of the
    fence's line in its file.
    """
    if fence.closed:
        return
    out = next((index for index in range(fence.end, len(lines)) if lines[index].strip()), None)
    if depth and following is None and out is not None:
        message = "this line is outside the list item or quote of its code block"
        fix = f"indent it like the fence on line {number}, or close that fence"
        problem = Problem(
            0, len(lines[out].strip()), "line-left-of-fence", message, fix, traits=Trait.MISLEADING
        )
        yield problem, out, len(lines[out]) - len(lines[out].lstrip()) + 1
    else:
        fix = f"close it with the line {fence.marker}"
        if depth:
            fix += ", and indent every line of the code at least as far as the fence"
        message = "a code block that is not closed"
        problem = Problem(0, len(fence.marker), "unclosed-fence", message, fix, traits=Trait.MISLEADING)
        yield problem, fence.start, fence.column


def _warning(length: int, rule: str, message: str, fix: str, start: int = 0) -> Problem:
    return Problem(start, length, rule, message, fix, Severity.WARNING)


MAX_FIELD_BYTES = 64 * 1024
"""The maximum size of a field; larger fields slow down rendering and Anki."""
MAX_VERBATIM_BYTES = 1 << 20
"""The maximum size of a field of HTML that is passed on unchanged."""


class Verbatim(NamedTuple):
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
    formulas: tuple[FormulaPlace, ...] = ()


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
        self.has_hashes = "#" in text.markdown
        self.has_tags = "<" in text.markdown
        self.has_marks = "{{" in text.markdown
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
            tuple(self.formulas),
        )

    def run(self) -> None:
        markdown = self.text.markdown
        # No character has more than four bytes, so most texts need not be encoded.
        size = len(markdown.encode(errors="surrogatepass")) if len(markdown) > MAX_FIELD_BYTES // 4 else 0
        most = MAX_FIELD_BYTES
        if size > most and whole_verbatim(markdown) is not None:
            most = MAX_VERBATIM_BYTES
        if size > most:
            message = f"this field is {size // 1024} KB; the maximum is {most // 1024} KB"
            fix = "split the note, or move data into a file"
            problem = Problem(0, 1, "field-too-large", message, fix, traits=Trait.MISLEADING)
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
        tags = OpenTags() if self.has_tags else _NO_TAGS
        for child, following in zip_longest(block.children, block.children[1:]):
            self.visit(child, tags, depth, following)
        for problem, where in tags.rest() if self.has_tags else ():
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
            self.report_in(raw, Problem(0, 2, "unclosed-comment", message, fix, traits=Trait.MISLEADING))
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
            if block.lines:
                formula = paragraph_of(block.lines)
                self.visit_math(formula, 0, len(formula.text))
        else:
            self.visit_code(block)
        if address := drawing_of(block):
            message = f"this `{info.language}` block has no drawing, so the card shows its source"
            fix = 'run `ptcards draw`; to show the source, add `no-run="shows the source"`'
            absent = warning(place, "not-drawn", message, fix, length)
            self.keep_file(Reference(address, place, length, optional=True, absent=absent))

    def visit_code(self, block: Block) -> None:
        if not self.has_marks or not block.lines:
            return
        code = paragraph_of(block.lines)
        self.find_deletions(code, 0, len(code.text), in_code=True)

    def visit_text(self, block: Block, depth: int) -> None:
        if depth >= NESTING_LIMIT:
            self.report_each(check_depth(block))
        if self.has_hashes and block.kind is tree.PARAGRAPH:
            self.report_each(check_headings(block))
        if block.kind is tree.TABLE:
            self.report_each(check_rows(block))
        for paragraph in paragraphs(block):
            self.visit_paragraph(paragraph)


_HTML_ENDS = {3: "?>", 4: ">", 5: "]]>"}


def _label(block: Block) -> str:
    return f"^{block.label}" if block.kind is BlockKind.FOOTNOTE else block.label


class Definitions:
    """Adds definitions to texts; `cited` are the labels used so far, with `^` before those of footnotes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._blocks: dict[str, Block] = {}
        self.repeated: list[tuple[Block, Block]] = []
        """pairs of a definition and a later one with the same label, which is not used"""
        for block in definitions(page.document) if "]:" in page.text.markdown else ():
            # In CommonMark, the first definition of a label counts, wherever it is.
            first = self._blocks.setdefault(_label(block), block)
            if first is not block:
                self.repeated.append((first, block))
        self.cited: set[str] = set()
        self._inspected: dict[tuple[object, ...], Content] = {}
        """the contents of the current note's texts, kept because some are inspected twice"""

    def forget(self) -> None:
        """Forget the contents of inspected texts."""
        self._inspected.clear()

    def added(self, text: Text) -> Text:
        """Return a text followed by the definitions that it uses."""
        if not self._blocks or "[" not in text.markdown:
            return text
        needed: dict[str, Block] = {}
        labels = list(self.inspect(text).labels)
        while labels:
            label = labels.pop()
            block = self._blocks.get(label)
            if block is not None and label not in needed:
                needed[label] = block
                if block.kind is BlockKind.FOOTNOTE:
                    labels += inspect(cut_blocks(self._page, block.children)).labels
        self.cited |= needed.keys()
        if not needed:
            return text
        below: list[Line] = []
        for block in sorted(needed.values(), key=lambda block: block.start):
            below += [Line("", block.start - 1 if block.start else 0)]
            below += [Line(self._page.lines[index], index) for index in range(block.start, block.end)]
        tail = self._page.text.cut(below)
        height = text.markdown.count("\n") + 1
        runs = tuple(run._replace(index=run.index + height) for run in tail.runs)
        return Text(f"{text.markdown}\n{tail.markdown}", text.path, text.runs + runs)

    def repeats(self) -> Iterator[Diagnostic]:
        """Yield a warning for each definition that is not used because its label is already defined."""
        for first, block in self.repeated:
            same = (first.destination, first.title) == (block.destination, block.title)
            if block.kind is BlockKind.FOOTNOTE or not same:
                label = _label(block)
                message = (
                    f"`[{label}]` is already defined at {self._page.place(first)}, so this "
                    "definition is not used"
                )
                fix = "give one of them another label, or remove it"
                place = self._page.place(block)
                yield warning(place, "definition-twice", message, fix, len(label) + 2)

    def inspect(self, text: Text, *, heading: bool = False) -> Content:
        """Return the contents of a text."""
        if not text:
            return NOTHING
        key = text.markdown, text.runs, heading  # all that differs in a page
        content = self._inspected.get(key)
        if content is None:
            content = self._inspected[key] = inspect(text, heading=heading)
        return content

    def formulas(self, text: Text, *, heading: bool = False) -> Sequence[FormulaPlace]:
        """Return the formulas in a text."""
        return self.inspect(text, heading=heading).formulas
