"""The only inline scanner: finds code spans, maths, raw HTML, links, images, footnotes and deletions.

It follows the precedence of CommonMark 0.31.2 (https://spec.commonmark.org/0.31.2/#inlines) with GitHub's
bare links, footnotes and maths. It makes one pass from left to right, in linear time. Emphasis and email
addresses never overlap these spans, so the renderer finds them in the remaining text.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from ptcards.markdown import deletions
from ptcards.markdown.brackets import Brackets
from ptcards.markdown.emphasis import MARKS
from ptcards.markdown.links import ADDRESS, ENTITY, PUNCTUATION, address_end, decode
from ptcards.markdown.paragraphs import LinkTarget
from ptcards.markdown.starts import ATTRIBUTE
from ptcards.markdown.tree import Inlines, Span, SpanKind

_LINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20<>]*)>")
_HOST_PART = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_MAIL = re.compile(rf"<([A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_HOST_PART}(?:\.{_HOST_PART}){{0,100}})>")
_TAG = re.compile(
    rf"<(?:/[A-Za-z][A-Za-z0-9-]*+[ \t\n]*|[A-Za-z][A-Za-z0-9-]*+(?>(?:{ATTRIBUTE}){{0,1000}})[ \t\n]*/?)>"
)
_EMPTY_COMMENT = re.compile(r"<!--?-?>")
_DASHES = re.compile(r"-->|-[^-]|--[^>]")
"""The end of a comment, or what the comment contains."""
_DECLARATION = re.compile(r"<![A-Z]+\s")
_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))


class Autolink(NamedTuple):
    """A link in angle brackets: the shown text, the address and the offset after it."""

    text: str
    destination: str
    end: int


def read_autolink(text: str, start: int) -> Autolink | None:
    """Return the `<scheme:address>` or `<name@host>` at this offset, or `None`."""
    if link := _LINK.match(text, start):
        return Autolink(link[1], link[1], link.end())
    if mail := _MAIL.match(text, start):
        return Autolink(mail[1], f"mailto:{mail[1]}", mail.end())
    return None


class RawHtml:
    """Finds tags, comments and other raw HTML in a text.

    It runs in linear time, because it never searches twice for a missing end.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()

    def end(self, start: int) -> int | None:
        """Return where the HTML that begins at this offset ends, or `None` if none begins here."""
        text = self._text
        if tag := _TAG.match(text, start) or _EMPTY_COMMENT.match(text, start):
            return tag.end()
        for opening, ending in _ENDS:
            if text.startswith(opening, start):
                return None if ending in self._missing else self._find(start, opening, ending)
        return None

    def _find(self, start: int, opening: str, ending: str) -> int | None:
        text = self._text
        if opening == "<!" and not _DECLARATION.match(text, start):
            return None
        if opening == "<!--":
            dashes = _DASHES.finditer(text, start + len(opening))
            end = next((found.end() for found in dashes if found[0] == "-->"), -1)
        else:
            found = text.find(ending, start + len(opening))
            end = found + len(ending) if found >= 0 else -1
        if end < 0:
            self._missing.add(ending)
            return None
        return end


__all__ = ["Span", "SpanKind", "is_plain", "read_inlines"]

_SPECIAL = re.compile(
    rf"""(?P<escape>\\[{PUNCTUATION}\n])|(?P<code>`+)|(?P<entity>{ENTITY})|(?P<html><)|(?P<open>!?\[)"""
    rf"""|(?P<close>\])|(?P<math>\$\$?)|(?P<break>\n)|(?P<deletion>\{{\{{[cC])|(?P<brace>[{{}}])"""
    rf"""|(?P<divider>::)|(?P<address>(?i:{ADDRESS}))"""
)
_SHORT = 1000
_START = re.compile(r"[\\`&<!\[\]$\n{}:]")
_START_OR_ADDRESS = re.compile(r"[\\`&<!\[\]$\n{}:hHfFwW]")
_MARK = re.compile(rf"[\\`<&\[\]$\n{{}}{MARKS}@]")
_TICKS = re.compile(r"``*")  # searching for a first character is faster than for a repeat
_MATH = re.compile(r"\$(?!\s)((?>(?:[^$`\\]|\\.){1,100000}))(?<!\s)\$(?![0-9])", re.DOTALL)
_MATH_TICKS = re.compile(r"\$`([^`]+)`\$")
_DISPLAY = re.compile(r"\$\$((?>(?:[^$\\]|\\.|\$(?!\$)){1,100000}))\$\$", re.DOTALL)


def is_plain(text: str) -> bool:
    """Whether a text certainly has no spans, emphasis or email addresses, like most cells of tables."""
    return _MARK.search(text) is None and "://" not in text and "www." not in text


def read_inlines(
    text: str, targets: Mapping[str, LinkTarget], footnotes: Collection[str], *, deletions_too: bool
) -> Inlines:
    """Return the spans of a text; with `deletions_too`, `{{c1::…}}` outside code is a deletion.

    The spans of short texts are cached, because the parser, the renderer and the rules all ask for them.
    """
    if "[" not in text and len(text) <= _SHORT:
        # Without `[`, a text refers to nothing, so its spans are the same everywhere.
        return _read_lone(text, deletions_too=deletions_too and "{{" in text)
    return _Reader(text, targets, footnotes, deletions_too=deletions_too).run()


@lru_cache(maxsize=1024)
def _read_lone(text: str, *, deletions_too: bool) -> Inlines:
    return _Reader(text, {}, (), deletions_too=deletions_too).run()


def without_code(text: str) -> str:
    """Return a text with its code spans replaced by spaces."""
    spans = [*read_inlines(text, {}, (), deletions_too=False).spans]
    while spans:
        span = spans.pop()
        spans += span.children
        if span.kind is SpanKind.CODE:
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


class _Reader(Brackets):
    def __init__(
        self, text: str, targets: Mapping[str, LinkTarget], footnotes: Collection[str], *, deletions_too: bool
    ) -> None:
        super().__init__(text, targets, footnotes, deletions_too=deletions_too)
        self.ticks: dict[int, list[int]] = {}
        self.html = RawHtml(text)

    def run(self) -> Inlines:
        for run in _TICKS.finditer(self.text):
            self.ticks.setdefault(len(run[0]), []).append(run.start())
        # Searching for a character class is much faster than searching for an alternation.
        readers = _READERS
        start = _START_OR_ADDRESS if "://" in self.text or "www." in self.text else _START
        at = 0
        while found := start.search(self.text, at):
            match = _SPECIAL.match(self.text, found.start())
            at = readers[match.lastgroup](self, match) if match else found.end()
        for opener in self.openers:
            if opener.number:
                self.problems.append(deletions.unclosed(opener.start, opener.end - opener.start))
        return Inlines(
            tuple(self.spans),
            frozenset(self.labels),
            tuple(self.problems),
            tuple(self.lone_math),
            tuple(self.lone_footnotes),
        )

    # Atoms: no other span can begin or end inside them

    def read_escape(self, match: re.Match[str]) -> int:
        if match[0] == "\\\n":
            return self.add(SpanKind.BREAK, match.start(), match.end())
        return self.add(SpanKind.TEXT, match.start(), match.end(), match[0][1])

    def read_entity(self, match: re.Match[str]) -> int:
        characters = decode(match[0])
        return self.add(
            SpanKind.TEXT, match.start(), match.end(), match[0] if characters is None else characters
        )

    def read_break(self, match: re.Match[str]) -> int:
        start = match.start()
        while start and self.text[start - 1] == " ":
            start -= 1
        if match.start() - start > 1:
            self.add(SpanKind.BREAK, start, match.end())
        return match.end()

    def read_code(self, match: re.Match[str]) -> int:
        width = len(match[0])
        starts = self.ticks.get(width, [])
        following = bisect_left(starts, match.end())
        if following == len(starts):
            return match.end()
        return self.add_code(match.start(), match.end(), starts[following], starts[following] + width)

    def add_code(self, start: int, inner: int, inner_end: int, end: int) -> int:
        content = self.text[inner:inner_end].replace("\n", " ")
        if content[0] == content[-1] == " " and content.strip(" "):
            content, inner, inner_end = content[1:-1], inner + 1, inner_end - 1
        self.spans.append(Span(SpanKind.CODE, start, end, content, inner=inner, inner_end=inner_end))
        return end

    def read_math(self, match: re.Match[str]) -> int:
        display = match[0] == "$$"
        pattern = _DISPLAY if display else _MATH
        found = pattern.match(self.text, match.start()) or (
            None if display else _MATH_TICKS.match(self.text, match.start())
        )
        if found is None or not found[1].strip():
            if display:
                self.lone_math.append(match.start())
            return match.end()
        kind = SpanKind.DISPLAY_MATH if display else SpanKind.MATH
        span = Span(kind, found.start(), found.end(), found[1], inner=found.start(1), inner_end=found.end(1))
        self.spans.append(span)
        return found.end()

    def read_html(self, match: re.Match[str]) -> int:
        start = match.start()
        if link := read_autolink(self.text, start):
            return self.add(SpanKind.AUTOLINK, start, link.end, link.text, link.destination)
        end = self.html.end(start)
        return match.end() if end is None else self.add(SpanKind.HTML, start, end, self.text[start:end])

    # Bare links

    def read_address(self, match: re.Match[str]) -> int:
        start, limit = match.start(), len(self.text)
        scheme = "http://" if match[0] == "www." else ""
        if len(self.openers) > (self.deletion is not None):
            # GitHub does not make bare links after an open bracket.
            return match.end()
        if not scheme and self.text[start - 1 : start].isalpha() and self.text[start - 1 : start].isascii():
            return match.end()
        if self.deletion is not None:
            closing = self.text.find("}}", start)
            limit = closing if closing >= 0 else limit
        end = address_end(self.text, start, start if scheme else match.end(), limit)
        if end is None:
            return match.end()
        shown = self.text[start:end]
        return self.add(SpanKind.BARE_LINK, start, end, shown, scheme + shown)


_READERS: Mapping[str | None, Callable[[_Reader, re.Match[str]], int]] = {
    name: getattr(_Reader, f"read_{name}") for name in _SPECIAL.groupindex
}
