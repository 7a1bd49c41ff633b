"""The one inline scanner: code spans, math, raw HTML, links, images, footnotes and deletions of a text.

Follows the precedence of CommonMark 0.31.2 (https://spec.commonmark.org/0.31.2/#inlines) with GitHub's bare links,
footnotes and math, in one pass from left to right; time is linear in the length of the text. Emphasis and mail
addresses are not looked for: they never reach into any of these, and the renderer finds them in what is left.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ptcards.parsing import deletions
from ptcards.parsing.autolinks import ADDRESS, address_end
from ptcards.parsing.flows import Target
from ptcards.parsing.links import (
    ENTITY,
    MAX_LABEL,
    PUNCTUATION,
    decode,
    normalise_label,
    read_destination,
    read_label,
    read_title,
    skip_space,
    unescape,
)
from ptcards.parsing.problems import Problem
from ptcards.parsing.rawhtml import RawHtml, read_autolink
from ptcards.parsing.spans import Inlines, Span, SpanKind
from ptcards.parsing.tree import NESTING_LIMIT

__all__ = ["Span", "SpanKind", "is_plain", "read_inlines"]


@dataclass(slots=True)
class _Opener:
    """`[`, `![` or `{{c1::` whose end is not found yet; `mark`: how many spans stand before it."""

    start: int
    end: int
    mark: int
    image: bool = False
    number: int = 0
    depth: int = 0
    divider: int = -1


_SPECIAL = re.compile(
    rf"""(?P<escape>\\[{PUNCTUATION}\n])|(?P<code>`+)|(?P<entity>{ENTITY})|(?P<html><)|(?P<open>!?\[)|(?P<close>\])"""
    rf"""|(?P<math>\$\$?)|(?P<break>\n)|(?P<deletion>\{{\{{[cC])|(?P<brace>[{{}}])|(?P<divider>::)"""
    rf"""|(?P<address>(?i:{ADDRESS}))"""
)
_SHORT = 1000
_START = re.compile(r"[\\`&<!\[\]$\n{}:]")
_START_OR_ADDRESS = re.compile(r"[\\`&<!\[\]$\n{}:hHfFwW]")
_MARK = re.compile(r"[\\`<&\[\]$\n{}*_~@]|://|www\.")
_TICKS = re.compile(r"`+")
_MATH = re.compile(r"\$(?!\s)((?:[^$`\\]|\\.)++)(?<!\s)\$(?![0-9])", re.DOTALL)
_MATH_TICKS = re.compile(r"\$`([^`]+)`\$")
_DISPLAY = re.compile(r"\$\$((?:[^$\\]|\\.|\$(?!\$))++)\$\$", re.DOTALL)


def is_plain(text: str) -> bool:
    """Say whether a text surely holds no spans, emphasis or mail addresses; most cells and many lines do not."""
    return _MARK.search(text) is None


def read_inlines(
    text: str, targets: Mapping[str, Target], footnotes: Collection[str], *, deletions_too: bool
) -> Inlines:
    """Find the spans of a text; `deletions_too` says whether `{{c1::…}}` outside code means a deletion.

    Nobody changes them afterwards, since those of many short texts are kept for a while: parser, renderer and rules all
    ask for them.
    """
    if "[" not in text and len(text) <= _SHORT:
        # Such a text refers to nothing, so it means the same everywhere.
        return _read_lone(text, deletions_too=deletions_too and "{{" in text)
    return _Reader(text, targets, footnotes, deletions_too=deletions_too).run()


@lru_cache(maxsize=4096)
def _read_lone(text: str, *, deletions_too: bool) -> Inlines:
    return _Reader(text, {}, (), deletions_too=deletions_too).run()


class _Reader:
    def __init__(
        self, text: str, targets: Mapping[str, Target], footnotes: Collection[str], *, deletions_too: bool
    ) -> None:
        self.text = text
        self.targets = targets
        self.footnotes = footnotes
        self.deletions_too = deletions_too
        self.result = Inlines()
        self.spans = self.result.spans
        self.openers: list[_Opener] = []
        self.links_from = 0
        """Openers below this place in the list begin no link: links hold no links."""
        self.ticks: dict[int, list[int]] = {}
        self.deletion: int | None = None
        """Where in the list the one opener of a deletion is."""
        self.last_paren = text.rfind(")")
        self.html = RawHtml(text)

    def run(self) -> Inlines:
        for run in _TICKS.finditer(self.text):
            self.ticks.setdefault(len(run[0]), []).append(run.start())
        # A class of characters is searched for much faster than an alternation.
        start = _START_OR_ADDRESS if "://" in self.text or "www." in self.text else _START
        at = 0
        while found := start.search(self.text, at):
            match = _SPECIAL.match(self.text, found.start())
            at = getattr(self, f"read_{match.lastgroup}")(match) if match else found.end()
        for opener in self.openers:
            if opener.number:
                self.result.problems.append(deletions.unclosed(opener.start, opener.end - opener.start))
        return self.result

    def add(self, kind: SpanKind, start: int, end: int, text: str = "", destination: str = "") -> int:
        self.spans.append(Span(kind, start, end, text, destination))
        return end

    # Atoms: what no other span can begin or end in

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
                self.result.lone_math.append(match.start())
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
            # GitHub makes no bare link behind an open bracket.
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

    # Brackets

    def read_open(self, match: re.Match[str]) -> int:
        self.openers.append(_Opener(match.start(), match.end(), len(self.spans), image=match[0] == "!["))
        return match.end()

    def read_close(self, match: re.Match[str]) -> int:
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

    def add_link(self, opener: _Opener, inner_end: int, end: int, target: Target) -> bool:
        """Make a link or a picture, unless too many already stand inside each other."""
        children = self.spans[opener.mark :]
        if not opener.image:
            children = [span for span in children if span.kind is not SpanKind.BARE_LINK]
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

    def link_end(self, at: int) -> tuple[Target, int] | None:
        """Read `(address "title")`."""
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
        return Target(destination.text, title.text if title else ""), end + 1

    def reference_end(self, opener: _Opener, at: int) -> tuple[Target, int] | None:
        """Read `[label]`, `[]` or nothing, and look the label up."""
        label = read_label(self.text, at)
        end = label.end if label else at + 2 * self.text.startswith("[]", at)
        if label is None:
            label = read_label(self.text, opener.end - 1)
            if label is None or label.end != at:
                return None
        name = normalise_label(label.text)
        self.result.labels.add(name)
        target = self.targets.get(name)
        return (target, end) if target else None

    def add_footnote(self, opener: _Opener, match: re.Match[str]) -> int | None:
        if not self.text.startswith("^", opener.end) or not 1 < match.start() - opener.end < MAX_LABEL:
            return None
        written = self.text[opener.end : match.start()]
        label = normalise_label(written[1:])
        self.result.labels.add(f"^{label}")
        if label not in self.footnotes:
            self.result.lone_footnotes.append(opener.end - 1)
            return None
        del self.spans[opener.mark :]
        return self.add(SpanKind.FOOTNOTE, opener.end - 1, match.end(), label)

    # Deletions: brackets of their own kind, which links cannot cross

    def read_deletion(self, match: re.Match[str]) -> int:
        at = match.start()
        read = deletions.opening(self.text, at) if self.deletions_too else None
        inside = None if self.deletion is None else self.openers[self.deletion]
        if isinstance(read, Problem):
            self.result.problems.append(read)
        elif read is not None and inside is not None:
            self.result.problems.append(deletions.nested(at, read[1] - at))
        elif read is not None:
            number, end = read
            self.deletion = len(self.openers)
            self.openers.append(_Opener(at, end, len(self.spans), number=number))
            return end
        if inside is not None:
            inside.depth += 2
        return match.end()

    def read_brace(self, match: re.Match[str]) -> int:
        if self.deletion is None:
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
        if self.deletion is not None:
            opener = self.openers[self.deletion]
            if not opener.depth and opener.divider < 0:
                opener.divider = match.start()
        return match.end()

    def add_deletion(self, opener: _Opener, at: int) -> int:
        end = at + 2
        inner_end = opener.divider if opener.divider >= 0 else at
        if not self.text[opener.end : inner_end].strip():
            self.result.problems.append(deletions.empty(opener.start, end - opener.start))
            return end
        hint = unescape(self.text[opener.divider + 2 : at]) if opener.divider >= 0 else ""
        children = [span for span in self.spans[opener.mark :] if span.end <= inner_end]
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
