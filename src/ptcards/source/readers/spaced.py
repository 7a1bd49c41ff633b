"""The settings of Obsidian's Spaced Repetition plugin: tags, separators, clozes and folders."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from ptcards.notes import Kind
from ptcards.source.exclude import is_excluded, valid_patterns
from ptcards.source.parts import Page

_DEFAULTS = {"single": "::", "single-reversed": ":::", "multi": "?", "multi-reversed": "??", "end": ""}


@dataclass(frozen=True)
class Settings:
    """The plugin's settings on top of its defaults; `ignored` are path prefixes, or patterns."""

    tags: tuple[str, ...] = ("#flashcards",)
    folders: bool = False
    ignored: tuple[str, ...] = ()
    ignored_tags: tuple[str, ...] = ()
    separators: Mapping[str, str] = field(default_factory=lambda: _DEFAULTS)
    clozes: tuple[str, ...] = ("mark",)

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the settings of a source."""
        said: dict[str, Any] = {
            name.replace("-", "_"): value for name, value in page.reading.options_of("obsidian")
        }
        return cls(**{**said, "separators": {**_DEFAULTS, **dict(said.get("separators", ()))}})

    @cached_property
    def inline(self) -> list[tuple[str, Kind]]:
        """The inline separators with the kinds of their notes, the longest first."""
        found = [(self.separators["single"], Kind.BASIC), (self.separators["single-reversed"], Kind.REVERSED)]
        return sorted((each for each in found if each[0]), key=lambda each: -len(each[0]))

    @cached_property
    def lone(self) -> Mapping[str, Kind]:
        """The separators that are alone on a line, with the kinds of their notes."""
        found = {self.separators["multi-reversed"]: Kind.REVERSED, self.separators["multi"]: Kind.BASIC}
        return {mark: kind for mark, kind in found.items() if mark}

    @cached_property
    def tag(self) -> re.Pattern[str]:
        """A pattern for tags of decks, with the levels in a group."""
        return _pattern(self.tags)

    def tag_levels(self, tag: str) -> tuple[str, ...] | None:
        """Return the levels below the root of a front matter tag, or `None` if it does not name a deck."""
        found = self.tag.fullmatch(_hashed(tag))
        return levels(found) if found else None

    def ignores(self, page: Page) -> bool:
        """Whether the plugin ignores a source because of its path or a tag."""
        if page.name.endswith(".excalidraw.md") or page.name.startswith(self.ignored):
            return True
        if is_excluded(page.name, valid_patterns(self.ignored)):
            return True
        unwanted = _pattern(self.ignored_tags)
        return bool(self.ignored_tags) and bool(
            any(unwanted.fullmatch(_hashed(tag)) for tag in page.defaults.tags)
            or unwanted.search(page.text.markdown)
        )


def levels(found: re.Match[str]) -> tuple[str, ...]:
    """Return the levels below the root of a matched tag."""
    return tuple(filter(None, found["below"].split("/")))


def _hashed(tag: str) -> str:
    return "#" + tag.replace("::", "/")


def _pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    roots = "|".join(re.escape(tag.strip("#")) for tag in tags if tag.strip("#")) or r"(?!)"
    return re.compile(rf"(?<!\S)#(?:{roots})(?P<below>(?:/[^\s#,;.!?]+)*)(?=$|[\s,;.!?#])", re.IGNORECASE)
