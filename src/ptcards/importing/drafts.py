"""A note on its way into a source: its heading, what is set for it, and the text below."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ptcards.importing.problems import quoted
from ptcards.source.config import bad_tag

_FENCE = re.compile(r"`{3,}")
_DELETION = re.compile(r"(\{\{c\d+::|\}\})")


@dataclass(frozen=True, slots=True)
class Origin:
    """What learners of the old deck know a note by."""

    guid: str
    mod: int
    nid: int


class LeftOut(NamedTuple):
    """A note that was not written as it was.

    Why, where it stands (empty for a package), what it is called.
    """

    cause: str
    place: str
    title: str


@dataclass(slots=True)
class Draft:
    """A note to write; `title` is what messages call it.

    `place` is where it was read, empty for a package. `written` are the fields that are Markdown now, `lost`
    those of them whose look is gone, `verbatim` those kept as HTML.
    """

    deck: str
    title: str
    heading: str
    body: str
    question: str = ""
    """what stands between heading and answer"""
    settings: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = None
    place: str = ""
    written: Sequence[str] = ()
    verbatim: Sequence[str] = ()
    lost: Sequence[str] = ()
    changed: str = ""
    """what an author should know of it"""
    key: int = 0
    """tells it from the others of one import"""

    @property
    def asked(self) -> tuple[str, str, str]:
        """What no other note of its deck may ask."""
        return self.deck.casefold(), self.heading, self.question

    def markdown(self) -> str:
        """Return the note as it stands in a source."""
        settings = " ".join(f"{key}={_value(value)}" for key, value in self.settings.items() if value)
        comment = f"<!-- card: {settings} -->\n" if settings else ""
        return (
            f"## {self.heading}\n{comment}\n{self.body}\n" if self.body else f"## {self.heading}\n{comment}"
        )


class Questions:
    """What the notes of a collection ask, to tell those that ask the same."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[str, str, str], list[str]] = {}

    def is_new(self, draft: Draft) -> bool:
        """Whether no other note is the same; one that asks the same as another gets a number."""
        bodies = self._bodies.setdefault(draft.asked, [])
        if draft.body in bodies:
            return False
        bodies.append(draft.body)
        if len(bodies) > 1:
            draft.heading += f" ({len(bodies)})"
            draft.changed = "with a number, for another asks the same"
        return True


def _value(text: str) -> str:
    return text if re.fullmatch(r"[^\s\"]+", text) and not text.endswith("--") else f'"{text}"'


def one_line(markdown: str | None) -> str | None:
    """Return a paragraph as a heading can have it; None for anything else, which no heading can hold."""
    if (
        markdown is None
        or "\n\n" in markdown
        or "\\\n" in markdown
        or markdown.startswith(("```", "|", "> ", "- ", "#"))
    ):
        return None
    text = " ".join(markdown.split())
    # A `#` at the end would be cut off.
    return None if re.match(r"\d+[.)] |<!--", text) or text.endswith(("#", "\\")) else text or None


def as_heading(text: str) -> str:
    """Return what a note without a heading of its own is called by: the first words of its text."""
    line = next((line for line in text.split("\n") if line.strip()), "")
    words = _without_deletions(line).strip()
    return quoted(words)[1:-1] if words else ""


def _without_deletions(line: str) -> str:
    """Return a line with `…` for each deletion, also for one that ends on a later line."""
    parts, depth = [], 0
    for part in _DELETION.split(line):
        is_begin = part.startswith("{{") and _DELETION.fullmatch(part) is not None
        if depth == 0:
            parts.append("…" if is_begin else part)
        depth += 1 if is_begin else -1 if part == "}}" and depth else 0
    return "".join(parts)


def verbatim(html: str) -> str:
    """Return the fence that keeps a field as HTML."""
    ticks = "`" * max(3, max(map(len, _FENCE.findall(html)), default=0) + 1)
    return f"{ticks}{{=html}}\n{html}\n{ticks}"


def usable_tags(tags: Sequence[str]) -> str:
    """Return tags as a card comment lists them; those that Anki keeps for itself are left out."""
    # Nothing in a tag ends the comment.
    kept = (re.sub("[,>]", "_", tag.replace('"', "")).strip(":") for tag in tags)
    return ",".join(tag for tag in kept if not bad_tag(tag))
