"""What a text holds, without rendering it: files, links, deletions, and what would not come out on a card.

`inspect` is what the parser of sources asks about each field of a note. It reads the same blocks and spans as the
renderer, so that neither can see what the other does not.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.notes import Line, Text
from ptcards.parsing import deletions
from ptcards.parsing.blocks import NESTING_LIMIT, scan
from ptcards.parsing.fences import FenceInfo, read_info
from ptcards.parsing.flows import Flow, flow, flows, footnotes, targets
from ptcards.parsing.inlines import Span, SpanKind, is_plain, read_inlines
from ptcards.parsing.links import is_absolute, is_unsafe, normalise_label
from ptcards.parsing.problems import Problem
from ptcards.parsing.tables import split_row
from ptcards.parsing.tags import OpenTags, Tag, find_tags, tag_problems
from ptcards.parsing.tree import Block, BlockKind
from ptcards.suggest import did_you_mean

__all__ = ["MAX_FIELD_BYTES", "Content", "Deletion", "Reference", "inspect", "normalise_label"]

MAX_FIELD_BYTES = 64 * 1024
"""What a field may hold; beyond it neither rendering nor Anki is quick."""

ALERTS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")

DIAGRAMS = frozenset({"geojson", "mermaid", "stl", "topojson"})
"""Fences that GitHub draws."""

_ALERT = re.compile(r"\[!([A-Za-z]+)\][ \t]*\Z")
_GLUED_HEADING = re.compile(r"#{2,6}(?=[^#\s])")
_CONTAINER_MARK = re.compile(r"[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])[ \t])")
_OTHER_BOX = re.compile(r"\[[xX]\]")
_FOOTNOTE = re.compile(r"\[\^\w+\]")
_MATH_INFO = "math"


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that the text shows: its address, escapes resolved, and where (`length` characters)."""

    address: str
    location: Location
    length: int


@dataclass(frozen=True, slots=True)
class Deletion:
    """A well-formed cloze deletion (`length` characters, cut at the line's end) and its number, 1 to 99."""

    number: int
    location: Location
    length: int


@dataclass(frozen=True, slots=True)
class Content:
    """What a text holds.

    `labels` are those of all reference links and footnotes (`^label`) the text may mean, defined or not, normalised.
    `deletions` stand outside code, `code_deletions` in code spans, fences and indented code. The two lists of
    problems are errors only where deletions are meant: those outside code in the text of a cloze, those in code in the
    text of a note with `kind=cloze`.
    """

    references: tuple[Reference, ...] = ()
    labels: frozenset[str] = frozenset()
    deletions: tuple[Deletion, ...] = ()
    code_deletions: tuple[Deletion, ...] = ()
    deletion_problems: tuple[Diagnostic, ...] = ()
    code_deletion_problems: tuple[Diagnostic, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def inspect(text: Text, *, heading: bool = False) -> Content:
    """Read the Markdown of one field, or of a part of it that begins and ends between top-level blocks.

    `heading`: the first line is what a heading says, in which no blocks begin. Takes time linear in the text's length.
    Definitions of links and footnotes count where they stand in the text.
    """
    if not text:
        return Content()
    inspector = _Inspector(text, heading=heading)
    inspector.run()
    return inspector.content()


class _Inspector:
    """Goes through the blocks of a text once and gathers what `Content` holds."""

    def __init__(self, text: Text, *, heading: bool) -> None:
        self.text = text
        self.lines = text.markdown.split("\n")
        self.heading = Line(self.lines[0], 0) if heading else None
        self.document = scan("\n".join(["", *self.lines[1:]]) if heading else text.markdown)
        self.targets = targets(self.document)
        self.footnotes = footnotes(self.document)
        self.references: list[Reference] = []
        self.labels: set[str] = set()
        self.deletions: list[Deletion] = []
        self.code_deletions: list[Deletion] = []
        self.deletion_problems: list[Diagnostic] = []
        self.code_deletion_problems: list[Diagnostic] = []
        self.diagnostics: list[Diagnostic] = []

    def content(self) -> Content:
        return Content(
            tuple(self.references),
            frozenset(self.labels),
            tuple(self.deletions),
            tuple(self.code_deletions),
            tuple(self.deletion_problems),
            tuple(self.code_deletion_problems),
            tuple(sorted(self.diagnostics, key=lambda each: each.location)),
        )

    def run(self) -> None:
        size = len(self.text.markdown.encode(errors="surrogatepass"))
        if size > MAX_FIELD_BYTES:
            message = f"{size // 1024} KB in one field, at most {MAX_FIELD_BYTES // 1024} are allowed"
            problem = Problem(0, 1, "field-too-large", message, "split the note, or move data into a file")
            self.report(problem, 0, 1)
            return
        if self.heading is not None:
            self.visit_flow(flow([self.heading]))
        self.visit_all(self.document, 0)
        for label, block in self.footnotes.items():
            if f"^{label}" not in self.labels:
                message, fix = (
                    f"nothing refers to the footnote `[^{label}]`: it is not shown",
                    "refer to it, or delete it",
                )
                problem = Problem(0, len(label) + 4, "unused-footnote", message, fix, Severity.WARNING)
                self.report(problem, block.start, block.column)

    def report(
        self,
        problem: Problem,
        index: int,
        column: int,
        into: list[Diagnostic] | None = None,
        length: int | None = None,
    ) -> None:
        """Keep what is wrong at a place of the text."""
        where = self.text.location(index, column)
        diagnostic = Diagnostic(
            where, problem.rule, problem.severity, problem.message, problem.help, length or problem.length
        )
        (self.diagnostics if into is None else into).append(diagnostic)

    def report_in(self, flowing: Flow, problem: Problem, into: list[Diagnostic] | None = None) -> None:
        """Keep what is wrong at an offset of a flow; the caret stays on its line."""
        index, column = flowing.place(problem.start)
        self.report(problem, index, column, into, line_length(flowing.text, problem.start, problem.length))

    # Blocks

    def visit_all(self, block: Block, depth: int) -> None:
        """Look into a container: what HTML opens in it must be closed in it."""
        tags = OpenTags()
        for position, child in enumerate(block.children):
            following = block.children[position + 1] if position + 1 < len(block.children) else None
            self.visit(child, tags, depth, following)
        for problem, where in tags.rest():
            self.report_in(where, problem)

    def visit(self, block: Block, tags: OpenTags, depth: int, following: Block | None) -> None:
        match block.kind:
            case BlockKind.LIST:
                for item in block.children:
                    self.visit_item(item)
                    self.visit_all(item, depth + 1)
            case BlockKind.QUOTE:
                self.visit_all(block, depth + 1)
                self.check_alert(block, depth)
            case BlockKind.FOOTNOTE:
                self.visit_footnote(block, depth)
            case BlockKind.HTML:
                self.visit_html(block, tags)
            case BlockKind.FENCE:
                self.visit_fence(block, depth, following)
            case BlockKind.CODE:
                self.visit_code(block)
            case BlockKind.PARAGRAPH | BlockKind.HEADING | BlockKind.TABLE:
                self.visit_text(block, depth)

    def visit_footnote(self, block: Block, depth: int) -> None:
        """Look into a footnote; that it refers to itself does not make it shown."""
        label = f"^{block.label}"
        referred = label in self.labels
        self.visit_all(block, depth + 1)
        if not referred:
            self.labels.discard(label)

    def visit_item(self, item: Block) -> None:
        """Name a box that GitHub shows as checked only because `[x]` stands elsewhere in its line."""
        first = item.children[0].lines[0] if item.children and item.children[0].lines else None
        if (
            item.task is False
            and first
            and first.index == item.start
            and (box := _OTHER_BOX.search(first.text))
        ):
            fix = r"write `\[x]`, or put it in backticks on a line of its own"
            message = "GitHub shows the box of this line as checked because of this"
            problem = Problem(0, 3, "second-box", message, fix, Severity.WARNING)
            self.report(problem, first.index, first.column + box.start())

    def visit_html(self, block: Block, tags: OpenTags) -> None:
        raw = flow(block.lines)
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

    def visit_tags(self, flowing: Flow, found: Iterable[Tag], tags: OpenTags) -> None:
        for tag in found:
            problems = tag_problems(tag)
            for problem in problems:
                self.report_in(flowing, problem)
            if not any(problem.rule in ("forbidden-tag", "unknown-tag") for problem in problems):
                for problem, where in tags.pair(tag, flowing):
                    self.report_in(where, problem)
            for attribute in tag.media():
                index, column = flowing.place(attribute.start)
                self.references.append(
                    Reference(
                        attribute.value, self.text.location(index, column), attribute.end - attribute.start
                    )
                )
            for attribute in tag.attributes:
                if (tag.name, attribute.name) == ("a", "href"):
                    self.check_link(flowing, attribute.value, attribute.start, attribute.end)

    def visit_fence(self, block: Block, depth: int, following: Block | None) -> None:
        info = read_info(block.info)
        length = len(block.marker) + len(block.info) + bool(block.info)
        for message, fix in self.complaints(block, info):
            problem = Problem(0, length, "unknown-fence-word", message, fix, Severity.WARNING)
            self.report(problem, block.start, block.column)
        if not block.closed:
            self.report_unclosed(block, depth, following)
        if info.language == _MATH_INFO:
            self.visit_math(flow(block.lines) if block.lines else None)
        else:
            self.visit_code(block)

    @staticmethod
    def complaints(block: Block, info: FenceInfo) -> Iterator[tuple[str, str]]:
        """Give what is wrong with the words of a fence, with the cure."""
        yield from info.complaints
        if info.highlighted and max(info.highlighted) > len(block.lines):
            yield (
                f"`hl_lines` goes beyond the {len(block.lines)} lines of the code",
                "count from 1 below the fence",
            )
        if info.language.lower() in DIAGRAMS:
            yield f"GitHub draws `{info.language}`, a card shows its source", "show a picture of the diagram"

    def report_unclosed(self, block: Block, depth: int, following: Block | None) -> None:
        """Name a fence without an end; inside a list or quote, the line that fell out of it."""
        lines = self.lines
        out = next((index for index in range(block.end, len(lines)) if lines[index].strip()), None)
        if depth and following is None and out is not None:
            message = (
                "this line is not part of the code: it stands left of the list item or outside the quote"
            )
            fix = f"indent it like the fence of line {self.text.location(block.start).line}, or close that fence"
            column = len(lines[out]) - len(lines[out].lstrip()) + 1
            self.report(Problem(0, len(lines[out].strip()), "line-left-of-fence", message, fix), out, column)
        else:
            fix = f"close it with a line {block.marker}"
            if depth:
                fix += ", and indent every line of the code at least as far as the fence"
            problem = Problem(0, len(block.marker), "unclosed-fence", "a code block without an end", fix)
            self.report(problem, block.start, block.column)

    def visit_code(self, block: Block) -> None:
        if not block.lines:
            return
        code = flow(block.lines)
        marks, problems = deletions.find_marks(code.text, hints=False)
        self.keep_marks(code, 0, marks, self.code_deletions)
        for problem in problems:
            self.report_in(code, problem, self.code_deletion_problems)

    def keep_marks(self, flowing: Flow, base: int, marks: list[deletions.Mark], into: list[Deletion]) -> None:
        for mark in marks:
            self.keep_deletion(flowing, mark.number, base + mark.start, base + mark.end, into)

    def keep_deletion(self, flowing: Flow, number: int, start: int, end: int, into: list[Deletion]) -> None:
        index, column = flowing.place(start)
        length = line_length(flowing.text, start, end - start)
        into.append(Deletion(number, self.text.location(index, column), length))

    # Inline Markdown

    def visit_text(self, block: Block, depth: int) -> None:
        if depth >= NESTING_LIMIT and _CONTAINER_MARK.match(block.lines[0].text):
            fix = "nest less; here the marks are shown as text"
            message = f"more than {NESTING_LIMIT} lists and quotes inside each other"
            self.report(
                Problem(0, 1, "nested-too-deep", message, fix), block.lines[0].index, block.lines[0].column
            )
        if block.kind is BlockKind.PARAGRAPH:
            for line in block.lines:
                self.check_heading(line)
        if block.kind is BlockKind.TABLE:
            self.check_rows(block)
        for flowing in flows(block):
            self.visit_flow(flowing)

    def check_heading(self, line: Line) -> None:
        if marks := _GLUED_HEADING.match(line.text):
            message = f"`{line.text.split()[0]}` is text: a heading has a space behind its `#`"
            fix = f"write `{marks[0]} {line.text[marks.end() :].strip()}`, or `\\{marks[0]}` if it is text"
            problem = Problem(0, len(marks[0]), "heading-without-space", message, fix, Severity.WARNING)
            self.report(problem, line.index, line.column)

    def check_rows(self, table: Block) -> None:
        """Name cells that a table has no column for: GitHub drops them."""
        columns = len(table.alignments)
        for row in table.lines[2:]:
            cells = split_row(row)
            if len(cells) > columns:
                extra = cells[columns]
                message = (
                    f"a row of {len(cells)} cells in a table of {columns} columns: the rest is not shown"
                )
                fix = r"write `\|` for a `|` inside a cell, even in backticks"
                problem = Problem(
                    0, len(extra.text) or 1, "table-row-too-long", message, fix, Severity.WARNING
                )
                self.report(problem, extra.index, extra.column)

    def check_alert(self, quote: Block, depth: int) -> None:
        """Name what looks like an alert and is none on GitHub."""
        first = quote.children[0] if quote.children else None
        found = first and first.kind is BlockKind.PARAGRAPH and _ALERT.match(first.lines[0].text)
        if not first or not found:
            return
        if found[1].upper() not in ALERTS:
            fix = did_you_mean(found[1].upper(), ALERTS, f"known are `{'`, `'.join(ALERTS)}`")
        elif depth:
            fix = "move it out of the list or quote that it stands in"
        else:
            return
        message = f"`{found[0].strip()}` is no alert here"
        problem = Problem(0, len(found[0].strip()), "unknown-alert", message, fix, Severity.WARNING)
        self.report(problem, first.lines[0].index, first.lines[0].column)

    def visit_flow(self, flowing: Flow) -> None:
        if is_plain(flowing.text):
            return
        found = read_inlines(flowing.text, self.targets, self.footnotes, deletions_too=True)
        self.labels |= found.labels
        for problem in found.problems:
            self.report_in(flowing, problem, self.deletion_problems)
        for offset in found.lone_math:
            fix = "close it with `$$` in the same paragraph, or write `\\$\\$`"
            message = "`$$` without its end is shown as text"
            self.report_in(flowing, Problem(offset, 2, "unclosed-math", message, fix, Severity.WARNING))
        for offset in found.lone_footnotes:
            if label := _FOOTNOTE.match(flowing.text, offset):
                fix = f"add `{label[0]}: …` to the file, or put it in backticks if no footnote is meant"
                message = f"the footnote `{label[0]}` is not defined"
                problem = Problem(offset, len(label[0]), "unknown-footnote", message, fix, Severity.WARNING)
                self.report_in(flowing, problem)
        tags = OpenTags()
        self.visit_spans(flowing, found.spans, tags)
        for problem, _ in tags.rest():
            self.report_in(flowing, problem)

    def visit_spans(self, flowing: Flow, spans: Iterable[Span], tags: OpenTags) -> None:
        for span in spans:
            match span.kind:
                case SpanKind.CODE:
                    marks, problems = deletions.find_marks(
                        flowing.text[span.inner : span.inner_end], hints=False
                    )
                    self.keep_marks(flowing, span.inner, marks, self.code_deletions)
                    for problem in problems:
                        moved = problem._replace(start=problem.start + span.inner)
                        self.report_in(flowing, moved, self.code_deletion_problems)
                case SpanKind.MATH | SpanKind.DISPLAY_MATH:
                    self.visit_math(flowing, span.inner, span.inner_end)
                case SpanKind.HTML:
                    found, _ = find_tags(span.text)
                    moved_tags = [_moved(tag, span.start) for tag in found]
                    self.visit_tags(flowing, moved_tags, tags)
                case SpanKind.LINK | SpanKind.AUTOLINK:
                    self.check_link(flowing, span.destination, span.start, span.end)
                case SpanKind.IMAGE:
                    index, column = flowing.place(span.start)
                    length = line_length(flowing.text, span.start, span.end - span.start)
                    self.references.append(
                        Reference(span.destination, self.text.location(index, column), length)
                    )
                case SpanKind.FOOTNOTE if self.heading is not None:
                    fix, message = "move it into the text below", "a footnote in a heading is not shown"
                    problem = Problem(span.start, span.end - span.start, "footnote-in-heading", message, fix)
                    self.report_in(flowing, problem)
                case SpanKind.DELETION:
                    self.keep_deletion(flowing, span.number, span.start, span.end, self.deletions)
            self.visit_spans(flowing, span.children, tags)

    def visit_math(self, flowing: Flow | None, start: int = 0, end: int | None = None) -> None:
        if flowing is None:
            return
        tex = flowing.text[start:end]
        marks, problems = deletions.find_marks(tex, hints=True)
        self.keep_marks(flowing, start, marks, self.deletions)
        for problem in problems:
            self.report_in(flowing, problem._replace(start=problem.start + start), self.deletion_problems)
        plain = re.sub(r"\\.", "", tex, flags=re.DOTALL)
        if plain.count("{") != plain.count("}"):
            fix = r"close each `{` with `}`; a brace to be shown is `\{`"
            message = "the braces of this formula are not balanced"
            problem = Problem(start, len(tex) or 1, "unbalanced-math", message, fix, Severity.WARNING)
            self.report_in(flowing, problem)

    def check_link(self, flowing: Flow, destination: str, start: int, end: int) -> None:
        if is_unsafe(destination):
            message = f"`{destination.partition(':')[0]}:` links do not belong on a card"
            problem = Problem(start, end - start, "unsafe-link", message, "use an address with `https://`")
        elif not is_absolute(destination):
            message = f"`{destination}` leads nowhere from a card: only the link's text is shown"
            fix = "write the whole address, `https://…`"
            problem = Problem(start, end - start, "relative-link", message, fix, Severity.WARNING)
        else:
            return
        self.report_in(flowing, problem)


_HTML_ENDS = {3: "?>", 4: ">", 5: "]]>"}


def _moved(tag: Tag, by: int) -> Tag:
    attributes = tuple(each._replace(start=each.start + by, end=each.end + by) for each in tag.attributes)
    return Tag(tag.name, tag.written, tag.closing, tag.start + by, tag.end + by, attributes)


def line_length(text: str, start: int, length: int) -> int:
    """Say how many of these characters stand on the first line, at least 1."""
    line_end = text.find("\n", start, start + length)
    return max(1, (line_end if line_end >= 0 else start + length) - start)
