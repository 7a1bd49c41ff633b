"""The state that the parts of the renderer share while they render a field."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape

from ptcards.diagnostics import Diagnostic, warning
from ptcards.markdown.links import is_absolute, is_unsafe
from ptcards.markdown.paragraphs import LinkTarget
from ptcards.markdown.tags import COMMENT, Tag, find_tags, tag_problems
from ptcards.markdown.tree import Block
from ptcards.notes import Text

_PASSED_ON = re.compile("\x04([0-9]+)\x05")
"""Matches a placeholder: the number of a passed-on piece between control characters, which no text contains.
"""


class Cloze(StrEnum):
    """Which `{{c1::…}}` are deletions: none, those outside code, or all, even in code (`kind=cloze`)."""

    NONE = "none"
    TEXT = "outside code"
    CODE = "in code too"


@dataclass(slots=True)
class Citation:
    """A footnote's number in its field, and the number of references to it."""

    number: int
    count: int = 0


@dataclass(slots=True)
class Rendering:
    """The field being rendered.

    `names` maps addresses as written to names of media. `store` keeps finished HTML, and returns a
    placeholder for the tree. `footnotes` are the text's footnotes by label, and `cited` are those with
    references, in order of the first reference.
    """

    text: Text
    names: Mapping[str, str]
    prefix: str
    cloze: Cloze
    store: Callable[[str], str]
    targets: Mapping[str, LinkTarget] = field(default_factory=dict)
    footnotes: Mapping[str, Block] = field(default_factory=dict)
    cited: dict[str, Citation] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    passes_on: bool = False
    """whether HTML fences are passed on and sounds use Anki's syntax, as in fields written in Anki"""
    plain_code: bool = False
    """whether code has no classes, for cards without our style sheet"""
    passed_on: list[str] = field(default_factory=list)

    def pass_on(self, html: str) -> str:
        """Keep HTML that nothing may change; return its placeholder for the tree."""
        self.passed_on.append(html)
        return self.store(f"\x04{len(self.passed_on) - 1}\x05")

    def with_passed_on(self, html: str) -> str:
        """Return the finished HTML with its placeholders replaced by the HTML that was kept."""
        if not self.passed_on:
            return html
        return _PASSED_ON.sub(lambda mark: self.passed_on[int(mark[1])], html)

    def warn(self, block: Block, rule: str, message: str, fix: str, length: int) -> None:
        """Add a warning at the start of a block."""
        place = self.text.location(block.start, block.column)
        self.diagnostics.append(warning(place, rule, message, fix, length))

    def cite(self, label: str) -> Citation:
        """Count a reference to a footnote; return the footnote's citation."""
        citation = self.cited.setdefault(label, Citation(len(self.cited) + 1))
        citation.count += 1
        return citation

    def element_id(self, kind: str, number: int, count: int = 1) -> str:
        """Return the id, unique across fields, of a footnote (`fn`) or of a reference to it (`fnref`)."""
        return f"{self.prefix}-{kind}{number}" + (f"-{count}" if count > 1 else "")

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
        if any(problem.rule != "unusual-tag" for problem in tag_problems(tag)):
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
