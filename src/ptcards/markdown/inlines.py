"""The only inline scanner: finds code spans, maths, raw HTML, links, images, footnotes and deletions.

It follows the precedence of CommonMark 0.31.2 (https://spec.commonmark.org/0.31.2/#inlines) with GitHub's
bare links, footnotes and maths. It makes one pass from left to right, in linear time. Emphasis and email
addresses never overlap these spans, so the renderer finds them in the remaining text.

Emphasis follows CommonMark's delimiter algorithm
(https://spec.commonmark.org/0.31.2/#phase-2-inline-structure) with GitHub's `~`. It runs in linear time: for
each kind of closer, it remembers the position before which there is no opener.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ptcards.markdown import deletions
from ptcards.markdown.links import (
    ADDRESS,
    ENTITY,
    MARKS,
    MAX_LABEL,
    PUNCTUATION,
    address_end,
    decode,
    normalise_label,
    read_destination,
    read_label,
    read_title,
    skip_space,
    unescape,
)
from ptcards.markdown.tree import ATTRIBUTE, NESTING_LIMIT, Inlines, LinkTarget, Span, SpanKind
from ptcards.notes import Problem


@dataclass(slots=True)
class Opener:
    """An unclosed `[`, `![` or `{{c1::`; `mark` is the number of spans before it."""

    start: int
    end: int
    mark: int
    image: bool = False
    number: int = 0
    depth: int = 0
    divider: int = -1


class Brackets:
    """Reads brackets one by one, and keeps the open ones and the spans found so far."""

    def __init__(
        self, text: str, targets: Mapping[str, LinkTarget], footnotes: Collection[str], *, deletions_too: bool
    ) -> None:
        self.text = text
        self.targets = targets
        self.footnotes = footnotes
        self.deletions_too = deletions_too
        self.spans: list[Span] = []
        self.labels: set[str] = set()
        self.problems: list[Problem] = []
        self.lone_math: list[int] = []
        self.lone_footnotes: list[int] = []
        self.openers: list[Opener] = []
        self.links_from = 0
        """Openers below this index cannot begin a link, because links do not nest."""
        self.deletion: int | None = None
        """The index of the open deletion's opener, if there is one."""
        self.last_paren = text.rfind(")")

    def add(self, kind: SpanKind, start: int, end: int, text: str = "", destination: str = "") -> int:
        """Add a span without children; return its end."""
        self.spans.append(Span(kind, start, end, text, destination))
        return end

    def read_open(self, match: re.Match[str]) -> int:
        """Open a link, a picture or a footnote; return the offset to continue at."""
        self.openers.append(Opener(match.start(), match.end(), len(self.spans), image=match[0] == "!["))
        return match.end()

    def read_close(self, match: re.Match[str]) -> int:
        """Close the last open bracket; return the offset to continue at."""
        end = match.end()
        if not self.openers or self.openers[-1].number:
            return end
        opener = self.openers.pop()
        may_link = opener.image or len(self.openers) >= self.links_from
        self.links_from = min(self.links_from, len(self.openers))
        if may_link:
            found = self.link_end(end) or self.reference_end(opener, end)
            if found is not None:
                target, end = found
                if self.add_link(opener, match.start(), end, target):
                    return end
        return self.add_footnote(opener, match) or match.end()

    def add_link(self, opener: Opener, inner_end: int, end: int, target: LinkTarget) -> bool:
        """Add a link or a picture unless it is nested too deeply; return whether it was added."""
        children = tuple(self.spans[opener.mark :])
        if not opener.image:
            children = tuple(span for span in children if span.kind is not SpanKind.BARE_LINK)
            self.links_from = len(self.openers)
        depth = 1 + max((span.depth for span in children), default=0)
        if depth > NESTING_LIMIT:
            return False
        del self.spans[opener.mark :]
        self.spans.append(
            Span(
                SpanKind.IMAGE if opener.image else SpanKind.LINK,
                opener.start,
                end,
                destination=target.destination,
                title=target.title,
                inner=opener.end,
                inner_end=inner_end,
                children=children,
                depth=depth,
            )
        )
        return True

    def link_end(self, at: int) -> tuple[LinkTarget, int] | None:
        """Return the target and the end of the `(address "title")` at this offset, or `None`."""
        text = self.text
        if at > self.last_paren or not text.startswith("(", at):
            return None
        start = skip_space(text, at + 1)
        destination = read_destination(text, start)
        if destination is None:
            return None
        behind = skip_space(text, destination.end)
        title = read_title(text, behind) if behind > destination.end else None
        end = skip_space(text, title.end) if title else behind
        if not text.startswith(")", end):
            return None
        return LinkTarget(destination.text, title.text if title else ""), end + 1

    def reference_end(self, opener: Opener, at: int) -> tuple[LinkTarget, int] | None:
        """Return the target and the end of a reference link, or `None` if its label is not defined."""
        label = read_label(self.text, at)
        end = label.end if label else at + 2 * self.text.startswith("[]", at)
        if label is None:
            label = read_label(self.text, opener.end - 1)
            if label is None or label.end != at:
                return None
        name = normalise_label(label.text)
        self.labels.add(name)
        target = self.targets.get(name)
        return (target, end) if target else None

    def add_footnote(self, opener: Opener, match: re.Match[str]) -> int | None:
        """Add a reference to a footnote and return its end, or `None` if no footnote has this label."""
        if not self.text.startswith("^", opener.end) or not 1 < match.start() - opener.end < MAX_LABEL:
            return None
        written = self.text[opener.end : match.start()]
        label = normalise_label(written[1:])
        self.labels.add(f"^{label}")
        if label not in self.footnotes:
            self.lone_footnotes.append(opener.end - 1)
            return None
        del self.spans[opener.mark :]
        return self.add(SpanKind.FOOTNOTE, opener.end - 1, match.end(), label)

    # Deletions: another kind of bracket, which links cannot cross

    def read_deletion(self, match: re.Match[str]) -> int:
        """Open a deletion, or record what is wrong with it; return the offset to continue at."""
        at = match.start()
        read = deletions.opening(self.text, at) if self.deletions_too else None
        inside = None if self.deletion is None else self.openers[self.deletion]
        if isinstance(read, Problem):
            self.problems.append(read)
        elif read is not None and inside is not None:
            self.problems.append(deletions.nested(at, read[1] - at))
        elif read is not None:
            number, end = read
            self.deletion = len(self.openers)
            self.openers.append(Opener(at, end, len(self.spans), number=number))
            return end
        if inside is not None:
            inside.depth += 2
        return match.end()

    def read_brace(self, match: re.Match[str]) -> int:
        """Count a brace inside a deletion, or close the deletion; return the offset to continue at."""
        if self.deletion is None:
            if self.deletions_too and (single := deletions.SINGLE_BRACES.match(self.text, match.start())):
                self.problems.append(deletions.malformed(match.start(), single[0]))
            return match.end()
        opener = self.openers[self.deletion]
        if match[0] == "{":
            opener.depth += 1
        elif opener.depth:
            opener.depth -= 1
        elif self.text.startswith("}}", match.start()):
            del self.openers[self.deletion :]
            self.links_from = min(self.links_from, self.deletion)
            self.deletion = None
            return self.add_deletion(opener, match.start())
        return match.end()

    def read_divider(self, match: re.Match[str]) -> int:
        """Record where the hint of the open deletion begins; return the offset to continue at."""
        if self.deletion is not None:
            opener = self.openers[self.deletion]
            if not opener.depth and opener.divider < 0:
                opener.divider = match.start()
        return match.end()

    def add_deletion(self, opener: Opener, at: int) -> int:
        """Add a deletion, or record that it is empty; return its end."""
        end = at + 2
        inner_end = opener.divider if opener.divider >= 0 else at
        if not self.text[opener.end : inner_end].strip():
            self.problems.append(deletions.empty(opener.start, end - opener.start))
            return end
        hint = unescape(self.text[opener.divider + 2 : at]) if opener.divider >= 0 else ""
        children = tuple(span for span in self.spans[opener.mark :] if span.end <= inner_end)
        del self.spans[opener.mark :]
        self.spans.append(
            Span(
                SpanKind.DELETION,
                opener.start,
                end,
                hint,
                number=opener.number,
                inner=opener.end,
                inner_end=inner_end,
                children=children,
                depth=1 + max((span.depth for span in children), default=0),
            )
        )
        return end


_RUN = re.compile(rf"([{MARKS}])\1*")  # searching for a character class is faster than for an alternation
_MAX_TILDES = 2


class Edge(NamedTuple):
    """Where an element (`em`, `strong` or `del`) begins or ends: the offsets of its marks."""

    start: int
    end: int
    tag: str
    opening: bool


@dataclass(slots=True, eq=False)
class _Run:
    """A run of marks in a linked list; those from `start` to `end` are unused."""

    mark: str
    start: int
    end: int
    length: int
    opens: bool
    closes: bool
    place: int
    before: "_Run | None" = None
    after: "_Run | None" = None


class Leftover(NamedTuple):
    """Marks that are shown as text.

    `opens` is whether they could only open emphasis, and `used` whether other marks of their run are paired.
    """

    start: int
    end: int
    opens: bool
    used: bool


def find_edges(text: str, gaps: Iterable[tuple[int, int]]) -> list[Edge]:
    """Return the emphasis in these parts of a text, in order; marks between the parts are ignored."""
    return _pair(text, gaps)[1] if _RUN.search(text) else []


def find_leftovers(text: str, gaps: Iterable[tuple[int, int]]) -> list[Leftover]:
    """Return the runs of `*` and `_` in these parts of a text that emphasis does not use completely."""
    return [
        Leftover(run.start, run.end, run.opens and not run.closes, run.end - run.start < run.length)
        for run in _pair(text, gaps)[0]
        if run.mark != "~" and run.start < run.end
    ]


def _pair(text: str, gaps: Iterable[tuple[int, int]]) -> tuple[list[_Run], list[Edge]]:
    """Return the runs of marks in these parts of a text, and the emphasis that they make, both in order."""
    # Search only the parts, because this function is called for each link and deletion of a text.
    runs = [
        run
        for start, end in gaps
        for match in _RUN.finditer(text, start, end)
        if (run := _classify(text, match)) is not None
    ]
    if len(runs) < 2:
        return runs, []
    for place, run in enumerate(runs):
        run.place = place
    for left, right in pairwise(runs):
        left.after, right.before = right, left
    edges: list[Edge] = []
    bottoms: dict[tuple[str, int], int] = {}
    closer: _Run | None = runs[0]
    while closer is not None:
        if not closer.closes:
            closer = closer.after
            continue
        kind = closer.mark, closer.length % 3
        opener = _opener(closer, bottoms.get(kind, -1))
        if opener is not None:
            closer = (
                _strike(opener, closer, edges) if closer.mark == "~" else _emphasise(opener, closer, edges)
            )
            continue
        bottoms[kind] = closer.place - 1
        if not closer.opens:
            _remove(closer)
        closer = closer.after
    return runs, sorted(edges)


def _classify(text: str, match: re.Match[str]) -> _Run | None:
    """Return a run if the characters around the marks allow it to open or close, otherwise `None`."""
    start, end = match.span()
    mark = match[0][0]
    before, after = start - 1, end
    if mark != "~":
        # As on GitHub, the character that counts is the one beyond the tildes.
        while before >= 0 and text[before] == "~":
            before -= 1
        while after < len(text) and text[after] == "~":
            after += 1
    space_before, punctuation_before = _kind(text[before] if before >= 0 else "\n")
    space_after, punctuation_after = _kind(text[after] if after < len(text) else "\n")
    left = not space_after and (not punctuation_after or space_before or punctuation_before)
    right = not space_before and (not punctuation_before or space_after or punctuation_after)
    if mark == "_":
        left, right = left and (not right or punctuation_before), right and (not left or punctuation_after)
    if not (left or right) or (mark == "~" and end - start > _MAX_TILDES):
        return None
    return _Run(mark, start, end, end - start, left, right, 0)


@lru_cache(maxsize=256)
def _kind(character: str) -> tuple[bool, bool]:
    """Return whether a character is white space, and whether it is punctuation."""
    if character.isalnum():
        return False, False
    if character.isascii():
        return character.isspace(), character.isprintable() and character != " "
    category = unicodedata.category(character)
    return category == "Zs", category[0] == "P"


def _opener(closer: _Run, bottom: int) -> _Run | None:
    """Return the nearest run that `closer` can close, if there is one after `bottom`."""
    opener = closer.before
    while opener is not None and opener.place > bottom:
        if opener.opens and opener.mark == closer.mark:
            both_ways = closer.opens or opener.closes
            if not (both_ways and closer.length % 3 and (opener.length + closer.length) % 3 == 0):
                return opener
        opener = opener.before
    return None


def _emphasise(opener: _Run, closer: _Run, edges: list[Edge]) -> _Run | None:
    """Pair one or two marks of each run; return the run to continue with."""
    width = 2 if opener.end - opener.start > 1 and closer.end - closer.start > 1 else 1
    tag = "strong" if width > 1 else "em"
    edges += [
        Edge(opener.end - width, opener.end, tag, opening=True),
        Edge(closer.start, closer.start + width, tag, opening=False),
    ]
    opener.end -= width
    closer.start += width
    opener.after, closer.before = closer, opener
    if opener.start == opener.end:
        _remove(opener)
    if closer.start == closer.end:
        _remove(closer)
        return closer.after
    return closer


def _strike(opener: _Run, closer: _Run, edges: list[Edge]) -> _Run | None:
    """Pair runs of tildes with equal length; return the run to continue with.

    If the lengths differ, the tildes and everything between them are text, as on GitHub.
    """
    if opener.length == closer.length:
        edges += [
            Edge(opener.start, opener.end, "del", opening=True),
            Edge(closer.start, closer.end, "del", opening=False),
        ]
    opener.after, closer.before = closer, opener
    _remove(opener)
    _remove(closer)
    return closer.after


def _remove(run: _Run) -> None:
    if run.before is not None:
        run.before.after = run.after
    if run.after is not None:
        run.after.before = run.before


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


_SPECIAL = re.compile(
    rf"""(?P<escape>\\[{PUNCTUATION}\n])|(?P<code>`+)|(?P<entity>{ENTITY})|(?P<html><)|(?P<open>!?\[)"""
    rf"""|(?P<close>\])|(?P<math>\$\$?)|(?P<break>\n)|(?P<deletion>\{{\{{[cC])|(?P<brace>[{{}}])"""
    rf"""|(?P<divider>::)|(?P<address>(?i:{ADDRESS}))"""
)
_SHORT = 1000
_MARK = re.compile(rf"[\\`<&\[\]$\n{{}}{MARKS}@]")
_TICKS = re.compile(r"``*")  # searching for a first character is faster than for a repeat
_MATH = re.compile(r"\$(?!\s)((?>(?:[^$`\\]|\\.){1,100000}))(?<!\s)\$(?![0-9])", re.DOTALL)
_MATH_TICKS = re.compile(r"\$`([^`]+)`\$")
_DISPLAY = re.compile(r"\$\$((?>(?:[^$\\]|\\.|\$(?!\$)){1,100000}))\$\$", re.DOTALL)


@cache
def _starts(addresses: bool, breaks: bool, deletions: bool) -> re.Pattern[str]:  # noqa: FBT001 - what a text has
    """Return what spans may begin with: searching for a class is much faster than for an alternation."""
    more = "hHfFwW" * addresses + "\n" * breaks + "{}:" * deletions
    return re.compile(rf"[\\`&<!\[\]${more}]")


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
        return _read_lone(text, deletions_too=deletions_too and ("{{" in text or "{c" in text))
    return _InlineReader(text, targets, footnotes, deletions_too=deletions_too).run()


@lru_cache(maxsize=1024)
def _read_lone(text: str, *, deletions_too: bool) -> Inlines:
    return _InlineReader(text, {}, (), deletions_too=deletions_too).run()


def without_code(text: str) -> str:
    """Return a text with its code spans replaced by spaces."""
    spans = [*read_inlines(text, {}, (), deletions_too=False).spans]
    while spans:
        span = spans.pop()
        spans += span.children
        if span.kind is SpanKind.CODE:
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


class _InlineReader(Brackets):
    def __init__(
        self, text: str, targets: Mapping[str, LinkTarget], footnotes: Collection[str], *, deletions_too: bool
    ) -> None:
        super().__init__(text, targets, footnotes, deletions_too=deletions_too)
        self.ticks: dict[int, list[int]] = {}

    @cached_property
    def html(self) -> RawHtml:
        return RawHtml(self.text)

    def run(self) -> Inlines:
        for run in _TICKS.finditer(self.text):
            self.ticks.setdefault(len(run[0]), []).append(run.start())
        readers, text = _READERS, self.text
        start = _starts("://" in text or "www." in text, "  \n" in text, self.deletions_too)
        at = 0
        while found := start.search(text, at):
            match = _SPECIAL.match(text, found.start())
            at = readers[match.lastgroup](self, match) if match else found.end()
        for opener in self.openers:
            if opener.number:  # everything below it only seems to be inside it
                self.problems = [
                    each
                    for each in self.problems
                    if each.start < opener.start or each != deletions.nested(each.start, each.length)
                ]
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


_READERS: Mapping[str | None, Callable[[_InlineReader, re.Match[str]], int]] = {
    name: getattr(_InlineReader, f"read_{name}") for name in _SPECIAL.groupindex
}
