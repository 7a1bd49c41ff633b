"""Converts inline Markdown to elements: emphasis, code, maths, links, pictures and deletions.

This module also holds the state that the parts of the renderer share while they render a field.

Class names in fields must never change. Those set here are GitHub's `footnote-ref`, `day-only` and
`night-only` on a picture and its dark version, and `unit` on code that does not wrap.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from operator import attrgetter
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from markdown.util import HTML_PLACEHOLDER

from ptcards.diagnostics import Diagnostic, Severity, Trait, warning
from ptcards.markdown.deletions import find_marks
from ptcards.markdown.escaping import begin_deletion, clean, end_deletion, literal
from ptcards.markdown.inlines import Edge, find_edges, is_plain, read_inlines
from ptcards.markdown.links import (
    AUDIO,
    VIDEO,
    dark_version,
    find_mail,
    is_absolute,
    is_unsafe,
    short_address,
)
from ptcards.markdown.macros import expand, uses_macros
from ptcards.markdown.tags import COMMENT, Tag, find_tags, tag_problems
from ptcards.markdown.tree import Block, LinkTarget, Paragraph, Span, SpanKind
from ptcards.notes import Macro, Text

_PASSED_ON = re.compile("\x04([0-9]+)\x05")
"""Matches a placeholder: the number of a passed-on piece between control characters, which no text contains.
"""
_LONG_WORD = re.compile(r"[^\s\x02\x03]{24,}")
"""Matches a word of code or of a link that is too long for a phone with large type, without deletions."""
TOGETHER = 12
"""The number of characters up to which a bracket in code is shown on one line."""
_WORD_BREAKS = re.compile(
    r"(?<=[\w)\]])(?=\.[A-Za-z_])|(?<=[A-Za-z0-9]_)(?=[A-Za-z0-9])"
    rf"|(?<=\w\()(?=[^\s)])(?![^()]{{0,{TOGETHER - 2}}}\))"
)
"""Matches where a long word may end a line: before a dot, after an underscore, or in a longer call."""
WRAPS = re.compile(r"[ /?|-]")
"""Matches a character after which browsers may end a line."""
_IN_BRACKET = r"[^()\[\]{}\x02\x03]"
_SHORT_BRACKET = re.compile(
    rf"[(\[{{](?:{_IN_BRACKET}|[(\[{{]{_IN_BRACKET}{{0,{TOGETHER}}}[)\]}}]){{0,{TOGETHER}}}[)\]}}]"
)
"""Matches a bracket in a code span, without deletions, that is short unless those in it are long."""


class Cloze(StrEnum):
    """Which `{{c1::…}}` are deletions: none, those outside code, or all, even in code (`kind=cloze`)."""

    NONE = "none"
    TEXT = "outside code"
    CODE = "in code too"


class ItemList(NamedTuple):
    """How to show the first list of a text as one whose items are deletions, numbered from 1.

    `name` is its class: `sequence` or `set`. On the card of an item, a sequence shows as many items `before`
    it, or all if that is 0.
    """

    name: str
    before: int = 0


@dataclass(slots=True)
class Citation:
    """A footnote's number in its field, and the number of references to it."""

    number: int
    count: int = 0


@dataclass(slots=True)
class Rendering:
    """The field being rendered.

    `names` maps addresses as written to names of media. `stored` is finished HTML, which the tree has
    placeholders for. `footnotes` are the text's footnotes by label, and `cited` are those with
    references, in order of the first reference.
    """

    text: Text
    names: Mapping[str, str]
    prefix: str
    cloze: Cloze
    targets: Mapping[str, LinkTarget] = field(default_factory=dict)
    footnotes: Mapping[str, Block] = field(default_factory=dict)
    cited: dict[str, Citation] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    passes_on: bool = False
    """whether HTML fences are passed on and sounds use Anki's syntax, as in fields written in Anki"""
    plain_code: bool = False
    """whether code has no classes, for cards without our style sheet"""
    passed_on: list[str] = field(default_factory=list)
    breaks: bool = False
    """whether code spans say where a line may break: inside long names, and not in short brackets"""
    short_links: bool = False
    """whether a long address that is a link is shown shortened"""
    macros: Mapping[str, Macro] = field(default_factory=dict)
    """the macros to expand in formulas, by name"""
    items: ItemList | None = None
    """how to show the first list of the text, until it has been rendered"""

    def store(self, html: str) -> str:
        """Keep finished HTML; return its placeholder for the tree."""
        self.stored.append(html)
        return HTML_PLACEHOLDER % (len(self.stored) - 1)

    def pass_on(self, html: str) -> str:
        """Keep HTML that nothing may change; return its placeholder for the tree."""
        self.passed_on.append(html)
        return self.store(f"\x04{len(self.passed_on) - 1}\x05")

    def with_passed_on(self, html: str) -> str:
        """Return the finished HTML with its placeholders replaced by the HTML that was kept."""
        if not self.passed_on:
            return html
        return _PASSED_ON.sub(lambda mark: self.passed_on[int(mark[1])], html)

    def warn(self, block: Block, rule: str, message: str, fix: str, traits: Trait = Trait.NONE) -> None:
        """Add a warning at the first line of a block of code."""
        place, length = self.text.location(block.start, block.column), len(block.marker) + len(block.info)
        self.diagnostics.append(warning(place, rule, message, fix, length, traits=traits))

    def cite(self, label: str) -> Citation:
        """Count a reference to a footnote; return the footnote's citation."""
        citation = self.cited.setdefault(label, Citation(len(self.cited) + 1))
        citation.count += 1
        return citation

    def element_id(self, kind: str, number: int, count: int = 1) -> str:
        """Return the id, unique across fields, of a footnote (`fn`) or of a reference to it (`fnref`)."""
        return f"{self.prefix}-{kind}{number}" + (f"-{count}" if count > 1 else "")

    def pictures(self, address: str, alt: str, title: str) -> Iterator[dict[str, str]]:
        """Yield the attributes of a picture and of its dark version, or nothing if it is missing."""
        names = [self.names[each] for each in (address, dark_version(address)) if each in self.names]
        for name, when in zip(names, ("day-only", "night-only"), strict=False):
            shown = {"class": when} if len(names) > 1 else {}
            yield {**shown, "alt": alt, "src": name, **({"title": title} if title else {})}

    def raw(self, html: str) -> str:
        """Return raw HTML in a form that is safe on a card.

        It removes comments, replaces addresses with names in Anki, and turns forbidden tags into text.
        """
        html = COMMENT.sub("", html)
        tags, problems = find_tags(html)
        parts: list[str] = []
        at = 0
        for tag in tags:
            parts += [html[at : tag.start], self._tag(html, tag)]
            at = tag.end
        # Browsers may read what follows a malformed tag differently, so the rest becomes text.
        rest = html[at:]
        return "".join(parts) + (escape(rest, quote=False) if problems else rest)

    def _tag(self, html: str, tag: Tag) -> str:
        written = html[tag.start : tag.end]
        if any(problem.severity is Severity.ERROR for problem in tag_problems(tag)):
            return escape(written, quote=False)
        for attribute in reversed(tag.attributes):
            new = None
            if attribute in tag.media():
                name = self.names.get(attribute.value)
                new = f'{attribute.name}="{escape(name)}"' if name else ""
            elif attribute.name == "href" and not is_link(attribute.value):
                new = ""
            if new is not None:
                start, end = attribute.start - tag.start, attribute.end - tag.start
                before = written[:start] if new else written[:start].rstrip()
                written = before + new + written[end:]
        if tag.name == "summary" and not tag.closing and not tag.attributes:
            # Without this class, AnkiMobile flips the card when the summary is tapped.
            return '<summary class="tappable">'
        return written


def is_link(destination: str) -> bool:
    """Whether an address may be a link on a card."""
    return is_absolute(destination) and not is_unsafe(destination)


def fill(element: Element, paragraph: Paragraph, rendering: Rendering) -> None:
    """Append the contents of a paragraph to an element."""
    if is_plain(paragraph.text):
        append_text(element, literal(paragraph.text))
        return
    inlines = read_inlines(
        paragraph.text,
        rendering.targets,
        rendering.footnotes,
        deletions_too=rendering.cloze is not Cloze.NONE,
    )
    filler = _Filler(element, paragraph.text, rendering)
    filler.run(0, len(paragraph.text), inlines.spans)
    filler.flush()


def append_text(element: Element, text: str) -> None:
    """Append text after everything in an element."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


class _Filler:
    """Appends to the innermost open element.

    With `plain`, it appends only text, as for a picture's `alt`.
    """

    def __init__(self, element: Element, text: str, rendering: Rendering, *, plain: bool = False) -> None:
        self.open = [element]
        self.text = text
        self.rendering = rendering
        self.plain = plain
        self.pending: list[str] = []

    def write(self, text: str) -> None:
        """Append text, turning email addresses into links."""
        self.pending.append(text)

    def write_exactly(self, text: str) -> None:
        """Append text as it is."""
        self.flush()
        append_text(self.open[-1], text)

    def flush(self) -> None:
        if not self.pending:
            return
        text = "".join(self.pending)
        self.pending.clear()
        at = 0
        if "@" in text and not self.plain and all(element.tag != "a" for element in self.open):
            for start, end in find_mail(text):
                append_text(self.open[-1], text[at:start])
                address = text[start:end]
                link = SubElement(self.open[-1], "a", href=f"mailto:{address.removeprefix('mailto:')}")
                link.text = address
                at = end
        if at < len(text):
            append_text(self.open[-1], text[at:])

    def begin(self, tag: str, **attributes: str) -> None:
        self.flush()
        self.open.append(SubElement(self.open[-1], tag, attributes))

    def end(self) -> None:
        self.flush()
        self.open.pop()

    def add(self, tag: str, text: str = "", **attributes: str) -> None:
        self.flush()
        SubElement(self.open[-1], tag, attributes).text = text

    def run(self, start: int, end: int, spans: Sequence[Span]) -> None:
        """Append a part of the text and the spans in it."""
        parts: Sequence[Span | Edge] = spans
        if edges := find_edges(self.text, _between(spans, start, end)):
            parts = sorted([*spans, *edges], key=attrgetter("start"))
        at = start
        for part in parts:
            if at < part.start:
                self.write(literal(self.text[at : part.start]))
            if isinstance(part, Edge):
                self.edge(part)
            else:
                self.span(part)
            at = part.end
        self.write(literal(self.text[at:end]))

    def edge(self, edge: Edge) -> None:
        if not edge.opening:
            self.end()
        elif edge.tag == self.open[-1].tag == "strong":
            # As on GitHub, `strong` elements do not nest.
            self.flush()
            self.open.append(self.open[-1])
        else:
            self.begin(edge.tag)

    def span(self, span: Span) -> None:
        """Append one span."""
        match span.kind:
            case SpanKind.TEXT:
                self.write_text(span)
            case SpanKind.CODE:
                marked = self.rendering.cloze is Cloze.CODE
                self.add("code", self.with_breaks(code_text(span.text) if marked else literal(span.text)))
            case SpanKind.MATH | SpanKind.DISPLAY_MATH:
                self.write_math(span)
            case SpanKind.BREAK:
                self.add("br")
                self.write("\n")
            case SpanKind.HTML:
                self.write_html(span)
            case SpanKind.LINK | SpanKind.AUTOLINK | SpanKind.BARE_LINK:
                self.write_link(span)
            case SpanKind.FOOTNOTE:
                self.write_footnote(span.text)
            case SpanKind.IMAGE:
                self.write_image(span)
            case SpanKind.DELETION:
                self.write(begin_deletion(span.number))
                self.run(span.inner, span.inner_end, span.children)
                self.write(end_deletion(literal(span.text)))

    def with_breaks(self, code: str) -> str:
        """Return the text of a code span: short brackets stay together, and phones may break long words."""
        if self.plain or not self.rendering.breaks:
            return code
        return self.break_words(_SHORT_BRACKET.sub(self.unit, code))

    def break_words(self, text: str) -> str:
        """Return the text of a code span or link, where phones may break long words."""
        if not self.rendering.breaks or not _LONG_WORD.search(text):
            return text
        wbr = self.rendering.store("<wbr>")
        return _LONG_WORD.sub(lambda word: _WORD_BREAKS.sub(wbr, word[0]), text)

    def unit(self, found: re.Match[str]) -> str:
        """Return a bracket in code, as one unit if it is short."""
        bracket = found[0]
        if len(bracket) > TOGETHER:
            return bracket[0] + _SHORT_BRACKET.sub(self.unit, bracket[1:])
        if not WRAPS.search(bracket):
            return bracket
        begin, end = map(self.rendering.store, ('<span class="unit">', "</span>"))
        return f"{begin}{bracket}{end}"

    def write_text(self, span: Span) -> None:
        self.write(literal(span.text))
        if span.text == "\\" and self.text[span.end : span.end + 1] in ("(", "["):
            # MathJax does not find `\(` if the two characters are in different elements.
            self.add("span")

    def write_math(self, span: Span) -> None:
        """Append TeX between the delimiters that Anki's MathJax supports (docs/anki.md, Formulas)."""
        opening, closing = ("\\(", "\\)") if span.kind is SpanKind.MATH else ("\\[", "\\]")
        # MathJax does not read the text that represents a picture.
        shown = literal(span.text) if self.plain else formula_text(span.text, self.rendering)
        self.write_exactly(opening + shown + closing)

    def write_html(self, span: Span) -> None:
        if self.plain:
            self.write(literal(span.text))
        elif raw := self.rendering.raw(clean(span.text)):
            self.write(self.rendering.store(raw))

    def write_link(self, span: Span) -> None:
        linked = not self.plain and is_link(span.destination)
        if linked:
            title = {"title": literal(span.title)} if span.title else {}
            self.begin("a", href=literal(span.destination), **title)
        if span.kind is SpanKind.LINK:
            self.run(span.inner, span.inner_end, span.children)
        else:
            is_short = linked and self.rendering.short_links and span.text == span.destination
            self.write_exactly(literal(short_address(span.text) if is_short else span.text))
        if linked:
            self.flush()
            link = self.open[-1]
            if link.text and span.kind is SpanKind.LINK:
                link.text = self.break_words(link.text)
            self.end()

    def write_footnote(self, label: str) -> None:
        if self.plain:
            return
        rendering = self.rendering
        citation = rendering.cite(label)
        self.begin("sup", **{"class": "footnote-ref"})
        own = rendering.element_id("fnref", citation.number, citation.count)
        self.add("a", str(citation.number), href=f"#{rendering.element_id('fn', citation.number)}", id=own)
        self.end()

    def write_image(self, span: Span) -> None:
        """Append a picture, or a player for a sound or a video; for a missing file, append its text."""
        alt = Element("alt")
        filler = _Filler(alt, self.text, self.rendering, plain=True)
        filler.run(span.inner, span.inner_end, span.children)
        filler.flush()
        text = re.sub(r"(?:(?<! ) ++)?\n *", " ", "".join(alt.itertext()))
        name = self.rendering.names.get(span.destination)
        if self.plain or name is None:
            self.write(text)
            return
        suffix = name.rpartition(".")[2].lower()
        title = {"title": literal(span.title)} if span.title else {}
        if (suffix in AUDIO or suffix in VIDEO) and self.rendering.passes_on:
            self.write(self.rendering.pass_on(f"[sound:{escape(name, quote=False)}]"))
        elif suffix in AUDIO or suffix in VIDEO:
            self.add("audio" if suffix in AUDIO else "video", text, controls="controls", src=name, **title)
        else:
            for picture in self.rendering.pictures(span.destination, text, literal(span.title or "")):
                self.add("img", **picture)


def _between(spans: Sequence[Span], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text between `start` and `end` that no span covers."""
    for span in spans:
        yield start, span.start
        start = span.end
    yield start, end


def formula_text(tex: str, rendering: Rendering) -> str:
    """Return the text of a formula, with its macros expanded and its deletions marked."""
    has_deletions = rendering.cloze is not Cloze.NONE
    if not uses_macros(tex, rendering.macros):
        return _with_marks(tex, hints=True) if has_deletions else literal(tex)
    parts: list[str] = []
    for token in expand(tex, rendering.macros, deletions=has_deletions).tokens:
        if token.begins:
            parts.append(begin_deletion(token.begins))
        else:
            parts.append(end_deletion(literal(token.hint)) if token.ends else literal(token.text))
    return "".join(parts)


def code_text(code: str) -> str:
    """Return the text of a code span with its deletions marked."""
    return _with_marks(code, hints=False)


def _with_marks(text: str, *, hints: bool) -> str:
    marks, _ = find_marks(text, hints=hints)
    parts: list[str] = []
    at = 0
    for mark in marks:
        parts += [literal(text[at : mark.start]), begin_deletion(mark.number)]
        parts += [literal(text[mark.inner : mark.inner_end]), end_deletion(literal(mark.hint))]
        at = mark.end
    return "".join([*parts, literal(text[at:])])
