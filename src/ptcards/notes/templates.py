"""Card templates as Anki reads them.

They consist of text, fields with filters, and sections that depend on whether a field is filled. The rules
were derived from Anki's output, and tests compare ours with it; no code was copied.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ptcards.notes.closings import Closings

_DEEPEST = 100
_MARK = re.compile(r"<!--|\{\{")
_COMMENT_END = re.compile("-->")
_TAG_END = re.compile(r"\}\}")


class TemplateError(Exception):
    """A template for which Anki shows an error; `offset` is the position of the error."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Shown:
    """A field in a template: its name, and its filters from the innermost outwards."""

    name: str
    filters: tuple[str, ...]
    offset: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part that is shown if a field is filled or, with `inverted`, if it is blank."""

    name: str
    inverted: bool
    parts: tuple["Part", ...]
    offset: int


Part = str | Shown | Section


@lru_cache(maxsize=256)
def parse_template(text: str) -> tuple[Part, ...]:
    """Return the parts of a template.

    Raises TemplateError for a section that is not closed, or that is closed without being open.
    """
    levels: list[list[Part]] = [[]]
    opened: list[tuple[str, bool, int]] = []
    at = 0
    for start, end in _tags(text):
        if start > at:
            levels[-1].append(text[at:start])
        at = end
        inner = text[start + 2 : end - 2].lstrip("{").strip()
        mark, name = inner[:1], inner[1:].lstrip()
        if mark in ("#", "^") and name:
            if len(opened) == _DEEPEST:
                message = f"sections are nested more than {_DEEPEST} deep"
                raise TemplateError(message, start)
            opened.append((name, mark == "^", start))
            levels.append([])
        elif mark == "/" and name:
            if not opened or opened[-1][0] != name:
                message = f"`{{{{/{name}}}}}` does not close an open section"
                raise TemplateError(message, start)
            section, inverted, offset = opened.pop()
            levels[-2].append(Section(section, inverted, tuple(levels.pop()), offset))
        else:
            *filters, shown = inner.split(":")
            levels[-1].append(Shown(shown, tuple(reversed(filters)), start))
    if opened:
        message = f"the section `{opened[-1][0]}` is not closed"
        raise TemplateError(message, opened[-1][2])
    if text[at:]:
        levels[-1].append(text[at:])
    return tuple(levels[0])


def _tags(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of `{{…}}` outside comments; a mark that is not closed is text."""
    closings = Closings(text)
    at = 0
    while mark := _MARK.search(text, at):
        is_comment = mark[0] == "<!--"
        closing = closings.find(_COMMENT_END if is_comment else _TAG_END, mark.end())
        if closing is None:
            at = mark.start() + 1
            continue
        at = closing.end()
        if not is_comment:  # braces in a comment mean nothing
            yield mark.start(), at


def shows_a_field(parts: tuple[Part, ...], filled: Container[str], *, behind_filters: bool = True) -> bool:
    """Whether parts of a template show any of the `filled` fields; only then does Anki make a card."""
    for part in parts:
        if isinstance(part, Section):
            if (part.name in filled) is not part.inverted and shows_a_field(
                part.parts, filled, behind_filters=behind_filters
            ):
                return True
        elif isinstance(part, Shown) and part.name in filled and (behind_filters or not part.filters):
            return True
    return False


def names_in(parts: tuple[Part, ...]) -> Iterator[Shown | Section]:
    """Yield everything in parts of a template that names a field, each section before its content."""
    for part in parts:
        if not isinstance(part, str):
            yield part
        if isinstance(part, Section):
            yield from names_in(part.parts)
