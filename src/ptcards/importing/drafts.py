"""A note on its way into a source: its heading, what is set for it, and the text below."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ptcards.importing.problems import quoted
from ptcards.source.config import bad_tag

_FENCE = re.compile(r"`{3,}")


@dataclass(frozen=True, slots=True)
class Origin:
    """What learners of the old deck know a note by."""

    guid: str
    mod: int
    nid: int


@dataclass(slots=True)
class Draft:
    """A note to write; `title` is what messages call it.

    `place` is where it was read, empty for a package. `written` are the fields that are Markdown now, `lost` those of them
    whose look is gone, `verbatim` those kept as HTML.
    """

    deck: str
    title: str
    heading: str
    body: str
    settings: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = None
    place: str = ""
    written: Sequence[str] = ()
    verbatim: Sequence[str] = ()
    lost: Sequence[str] = ()
    key: int = 0
    """tells it from the others of one import"""

    @property
    def asked(self) -> tuple[str, str, str]:
        """What no other note of its deck may ask."""
        question, mark, _ = self.body.partition("\n\n### Answer\n")
        return self.deck.casefold(), self.heading, question if mark else ""

    def markdown(self) -> str:
        """Return the note as it stands in a source."""
        settings = " ".join(f"{key}={_value(value)}" for key, value in self.settings.items() if value)
        comment = f"<!-- card: {settings} -->\n" if settings else ""
        return (
            f"## {self.heading}\n{comment}\n{self.body}\n" if self.body else f"## {self.heading}\n{comment}"
        )


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
    words = re.sub(r"\{\{c\d+::(.*?)(?:::[^{}]*)?\}\}", "…", line).strip()
    return quoted(words)[1:-1] if words else ""


def verbatim(html: str) -> str:
    """Return the fence that keeps a field as HTML."""
    ticks = "`" * max(3, max(map(len, _FENCE.findall(html)), default=0) + 1)
    return f"{ticks}{{=html}}\n{html}\n{ticks}"


def usable_tags(tags: Sequence[str]) -> str:
    """Return tags as a card comment lists them; those that Anki keeps for itself are left out."""
    kept = (tag.replace(",", "_").replace('"', "").strip(":") for tag in tags)
    return ",".join(tag for tag in kept if not bad_tag(tag))
