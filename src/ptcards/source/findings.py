"""Finds the contents of a text's paragraphs: the inline half of `content.inspect`."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ptcards.diagnostics import Diagnostic, Location, Severity
from ptcards.markdown import deletions
from ptcards.markdown.inlines import is_plain, read_inlines
from ptcards.markdown.links import dark_twin, is_absolute, is_unsafe
from ptcards.markdown.paragraphs import LinkTarget, Paragraph
from ptcards.markdown.tags import OpenTags, Tag, find_tags, tag_problems
from ptcards.markdown.tree import Span, SpanKind
from ptcards.notes import Problem, Text

_SUFFIX = r"\.(?:png|jpe?g|gif|svg|webp|bmp|avif|mp3|wav|m4a|ogg|flac|webm|mp4|ogv|mov)"
_NO_PICTURE = re.compile(
    rf"!\[\[(?P<embedded>[^\[\]|\n]+{_SUFFIX})(?:\|(?P<size>[^\[\]\n]*))?\]\]"
    rf"|!\[(?P<alt>[^\[\]\n]*)\]\((?P<path>[^()<>\s][^()<>\n]*{_SUFFIX})\)",
    re.IGNORECASE,
)
"""Matches what other programs treat as a picture; if it is one in Markdown too, it is already a span."""
_FOOTNOTE = re.compile(r"\[\^\w+\]")


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that a text shows: its address with escapes resolved, and the location of the link.

    An `optional` file, such as the dark version of a picture, need not exist.
    """

    address: str
    location: Location
    length: int
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Deletion:
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

    def keep_marks(
        self, paragraph: Paragraph, base: int, marks: list[deletions.Mark], into: list[Deletion]
    ) -> None:
        """Record the deletions in a part of a paragraph that begins at `base`."""
        for mark in marks:
            self.keep_deletion(paragraph, mark.number, base + mark.start, base + mark.end, into)

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
        found = read_inlines(paragraph.text, self.targets, self.footnotes, deletions_too=True)
        self.labels |= found.labels
        for problem in found.problems:
            self.report_in(paragraph, problem, self.deletion_problems)
        for offset in found.lone_math:
            fix = "close it with `$$` in the same paragraph, or write `\\$\\$`"
            message = "an unclosed `$$` is shown as text"
            self.report_in(paragraph, Problem(offset, 2, "unclosed-math", message, fix, Severity.WARNING))
        for offset in found.lone_footnotes:
            if label := _FOOTNOTE.match(paragraph.text, offset):
                fix = f"add `{label[0]}: …` to the file, or put `{label[0]}` in backticks to show it"
                message = f"the footnote `{label[0]}` is not defined"
                problem = Problem(offset, len(label[0]), "unknown-footnote", message, fix, Severity.WARNING)
                self.report_in(paragraph, problem)
        if "![" in paragraph.text:
            self.check_pictures(paragraph, found.spans)
        tags = OpenTags()
        self.visit_spans(paragraph, found.spans, tags)
        for problem, _ in tags.rest():
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
            case SpanKind.CODE:
                self.visit_code_span(paragraph, span)
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
                problem = Problem(span.start, span.end - span.start, "footnote-in-heading", message, fix)
                self.report_in(paragraph, problem)
            case SpanKind.DELETION:
                self.keep_deletion(paragraph, span.number, span.start, span.end, self.deletions)
            case SpanKind.TEXT | SpanKind.BREAK | SpanKind.BARE_LINK | SpanKind.FOOTNOTE:
                pass
        if span.kind is not SpanKind.IMAGE:  # the content of a picture is only its alternative text
            self.visit_spans(paragraph, span.children, tags)

    def keep_picture(self, paragraph: Paragraph, span: Span) -> None:
        """Record a picture's file, and its dark version if there is one."""
        place = self.text.location(*paragraph.place(span.start))
        length = line_length(paragraph.text, span.start, span.end - span.start)
        self.references.append(Reference(span.destination, place, length))
        if twin := dark_twin(span.destination):
            self.references.append(Reference(twin, place, length, optional=True))

    def visit_code_span(self, paragraph: Paragraph, span: Span) -> None:
        """Inspect a code span for deletions."""
        marks, problems = deletions.find_marks(paragraph.text[span.inner : span.inner_end], hints=False)
        self.keep_marks(paragraph, span.inner, marks, self.code_deletions)
        for problem in problems:
            moved = problem._replace(start=problem.start + span.inner)
            self.report_in(paragraph, moved, self.code_deletion_problems)

    def visit_math(self, paragraph: Paragraph, start: int = 0, end: int | None = None) -> None:
        """Inspect a formula, which may contain deletions."""
        tex = paragraph.text[start:end]
        marks, problems = deletions.find_marks(tex, hints=True)
        self.keep_marks(paragraph, start, marks, self.deletions)
        for problem in problems:
            self.report_in(paragraph, problem._replace(start=problem.start + start), self.deletion_problems)
        plain = re.sub(r"\\.", "", tex, flags=re.DOTALL)
        if plain.count("{") != plain.count("}"):
            fix = r"close each `{` with `}`; write `\{` for a visible brace"
            message = "the braces in this formula are not balanced"
            problem = Problem(start, len(tex), "unbalanced-math", message, fix, Severity.WARNING)
            self.report_in(paragraph, problem)

    def check_link(self, paragraph: Paragraph, destination: str, start: int, end: int) -> None:
        """Report a link that leads nowhere or somewhere unsafe."""
        if is_unsafe(destination):
            message = f"`{destination.partition(':')[0]}:` links are not allowed on a card"
            problem = Problem(start, end - start, "unsafe-link", message, "use an address with `https://`")
        elif not is_absolute(destination):
            message = f"`{destination}` leads nowhere from a card: only the link text is shown"
            fix = "use an absolute URL, `https://…`"
            problem = Problem(start, end - start, "relative-link", message, fix, Severity.WARNING)
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
            if any(problem.rule in ("forbidden-tag", "unknown-tag") for problem in problems):
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
    attributes = tuple(each._replace(start=each.start + by, end=each.end + by) for each in tag.attributes)
    return Tag(tag.name, tag.written, tag.closing, tag.start + by, tag.end + by, attributes)


def line_length(text: str, start: int, length: int) -> int:
    """Return how many of `length` characters from `start` are on the first line, at least 1."""
    line_end = text.find("\n", start, start + length)
    return max(1, (line_end if line_end >= 0 else start + length) - start)
