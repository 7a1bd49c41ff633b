"""Reads brackets in inline Markdown: links, pictures, footnotes and deletions."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ptcards.markdown import deletions
from ptcards.markdown.links import (
    MAX_LABEL,
    normalise_label,
    read_destination,
    read_label,
    read_title,
    skip_space,
    unescape,
)
from ptcards.markdown.paragraphs import LinkTarget
from ptcards.markdown.tree import NESTING_LIMIT, Span, SpanKind
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
