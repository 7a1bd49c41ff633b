"""A note that will be written to a source: its heading, its settings and its text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ptcards.importing.problems import quoted
from ptcards.source.anki_names import bad_tag

_FENCE = re.compile(r"`{3,}")
_DELETION = re.compile(r"(\{\{c\d+::|\}\})")


@dataclass(frozen=True, slots=True)
class Origin:
    """What identifies a note for learners of the old deck."""

    guid: str
    mod: int
    nid: int


class LeftOut(NamedTuple):
    """A note that was changed or left out: the cause, its place and its title.

    The place is empty for a note from a package.
    """

    cause: str
    place: str
    title: str


@dataclass(slots=True)
class Draft:
    """A note to write; `title` is its name in messages.

    `place` is where it was read, or empty for a note from a package. `written` lists the fields that Markdown
    reproduces, `lost` those that lost formatting, and `verbatim` those kept as HTML.
    """

    deck: str
    title: str
    heading: str
    body: str
    question: str = ""
    """the text between the heading and the answer"""
    settings: Mapping[str, str] = field(default_factory=dict)
    tags: Sequence[str] = ()
    """the tags as they were read"""
    origin: Origin | None = None
    place: str = ""
    written: Sequence[str] = ()
    verbatim: Sequence[str] = ()
    lost: Sequence[str] = ()
    changed: str = ""
    """what the author should know about the note"""
    key: int = 0
    """identifies the note within one import"""

    @property
    def asked(self) -> tuple[str, str, str]:
        """The values that no other note in its deck may share."""
        return self.deck.casefold(), self.heading, self.question

    def markdown(self) -> str:
        """Return the note as Markdown for a source."""
        values = {**self.settings, "tags": ",".join(filter(None, map(usable_tag, self.tags)))}
        settings = " ".join(f"{key}={_value(value)}" for key, value in values.items() if value)
        comment = f"<!-- card: {settings} -->\n" if settings else ""
        return (
            f"## {self.heading}\n{comment}\n{self.body}\n" if self.body else f"## {self.heading}\n{comment}"
        )


class Questions:
    """The questions of a collection, used to detect duplicates."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, str, str], list[str]] = {}

    def is_new(self, draft: Draft) -> bool:
        """Whether no other note is identical; if only the question is the same, a number is added to it."""
        bodies = self._bodies.setdefault(draft.asked, [])
        if draft.body in bodies:
            return False
        bodies.append(draft.body)
        if len(bodies) > 1:
            draft.heading += f" ({len(bodies)})"
            draft.changed = "with a number, because another note asks the same question"
        return True


def _value(text: str) -> str:
    return text if re.fullmatch(r"[^\s\"]+", text) and not text.endswith("--") else f'"{text}"'


def one_line(markdown: str | None) -> str | None:
    """Return a paragraph as heading text, or `None` if it cannot be a heading."""
    if (
        markdown is None
        or "\n\n" in markdown
        or "\\\n" in markdown
        or markdown.startswith(("```", "|", "> ", "- ", "#"))
    ):
        return None
    text = " ".join(markdown.split())
    # A trailing `#` is not part of a heading's text.
    return None if re.match(r"\d+[.)] |<!--", text) or text.endswith(("#", "\\")) else text or None


def as_heading(text: str) -> str:
    """Return a heading for a note that has none: the first words of its text."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    words = _without_deletions(line).strip()
    return quoted(words)[1:-1] if words else ""


def _without_deletions(line: str) -> str:
    """Return a line with `…` instead of each deletion, even if the deletion ends on a later line."""
    parts, depth = [], 0
    for part in _DELETION.split(line):
        is_begin = part.startswith("{{") and _DELETION.fullmatch(part) is not None
        if depth == 0:
            parts.append("…" if is_begin else part)
        depth += 1 if is_begin else -1 if part == "}}" and depth else 0
    return "".join(parts)


def verbatim(html: str) -> str:
    """Return a fence that keeps a field as HTML."""
    ticks = "`" * max(3, max(map(len, _FENCE.findall(html)), default=0) + 1)
    return f"{ticks}{{=html}}\n{html}\n{ticks}"


def usable_tag(tag: str) -> str:
    """Return a tag as it appears in a card comment, or an empty string if it cannot be a tag there."""
    # A tag must not end the comment.
    written = re.sub("[,>]", "_", tag.replace('"', "")).strip(":")
    return "" if bad_tag(written) else written
