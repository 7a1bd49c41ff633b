"""A note type as a value: fields, appearance, and templates and text as Anki reads them.

The two built-in ones are in `anki.built_in_notetypes`.

Templates consist of text, fields with filters, and sections that depend on whether a field is filled. The
rules were derived from Anki's output, and tests compare ours with it; no code was copied.
"""

import hashlib
import json
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from html import unescape
from typing import NamedTuple, Self

from ptcards.notes.closings import Closings

IMPORTS_OURS = re.compile(r"""@import\s+["']ptcards["']\s*;?[ \t]*\n?""")
"""The CSS rule that adds our style for code to a note type's style."""


LATEX_HEADER = (
    "\\documentclass[12pt]{article}\n\\special{papersize=3in,5in}\n\\usepackage[utf8]{inputenc}\n"
    "\\usepackage{amssymb,amsmath}\n\\pagestyle{empty}\n\\setlength{\\parindent}{0in}\n\\begin{document}\n"
)
LATEX_FOOTER = "\\end{document}"


class AnkiExtras(NamedTuple):
    """What Anki stores with a note type besides fields, templates and style.

    Header and footer surround the TeX between `[latex]` and `[/latex]`, which Anki draws as PNG files, or as
    SVG files with `latex_svg`. `stock_kind` is Anki's number for the built-in note type that this one was
    made from, or 0.
    """

    latex_header: str = LATEX_HEADER
    latex_footer: str = LATEX_FOOTER
    latex_svg: bool = False
    stock_kind: int = 0


USUAL_EXTRAS = AnkiExtras()


class Field(NamedTuple):
    """A field of a note type; with an id, it can be renamed without a conflict.

    `tag` is the number by which Anki finds the fields of its image occlusions. With `is_kept`, Anki's editor
    does not let people delete the field.
    """

    name: str
    id: int | None = None
    tag: int | None = None
    is_kept: bool = False


class Template(NamedTuple):
    """A card template: the two sides for studying, and their versions for Anki's browser."""

    name: str
    id: int | None
    front: str
    back: str
    browser_front: str = ""
    browser_back: str = ""
    file: str = ""
    """the name of its files, if the note type is the collection's own"""


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type: `key` is its name in the lock and in notes, `name` its name in Anki.

    A cloze has a card for each deletion number, all with its only template; any other note has a card for
    each template whose front shows one of its filled fields. `guid_field` is the field that shows the GUID,
    or empty. `is_own` means that the collection contains the note type, so its author chooses the fields; its
    id is 0 until one is assigned.
    """

    key: str
    id: int
    name: str
    fields: tuple[Field, ...]
    templates: tuple[Template, ...]
    css: str
    is_cloze: bool = False
    guid_field: str = ""
    is_own: bool = False
    is_plain: bool = False
    """whether its style lacks our rules for code"""
    extras: AnkiExtras = USUAL_EXTRAS

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of its fields, in stored order; Anki sorts by the first one."""
        return tuple(field.name for field in self.fields)

    def template(self, ordinal: int) -> Template:
        """Return the template of a card."""
        return self.templates[0 if self.is_cloze else ordinal]

    @property
    def bare(self) -> Self:
        """The note type without its appearance: only what affects the fields and cards of its notes."""
        templates = tuple(Template(template.name, None, template.front, "") for template in self.templates)
        return replace(self, id=0, name="", templates=templates, css="", extras=USUAL_EXTRAS)

    @property
    def digest(self) -> str:
        """A hash (12 hex digits) of everything that learners get with an update.

        For one of the collection's own note types, 12 more digits follow: a hash of what must never change.
        """
        look: list[object] = [
            self.name,
            [(field.name, field.id) for field in self.fields],
            [
                [template.name, template.front, template.back, template.browser_front, template.browser_back]
                for template in self.templates
            ],
            self.css,
        ]
        # What few note types have is added only to theirs: all other hashes stay as they were.
        look += [self.extras] if self.extras != USUAL_EXTRAS else []
        marked = [field for field in self.fields if field.tag is not None or field.is_kept]
        look += [[field.name, field.tag, field.is_kept] for field in marked]
        return _hash(look) + self.shape

    @property
    def shape(self) -> str:
        """A hash (12 hex digits) of the parts that must never change for learners.

        It is empty for the two built-in note types, which tests keep unchanged.
        """
        names = [template.name for template in self.templates]
        return _hash([self.is_cloze, self.field_names, names]) if self.is_own else ""

    @property
    def lock_columns(self) -> tuple[int, str]:
        """The id and name to write to the lock: 0 and empty for the built-in note types.

        Built-in note types derive theirs from the collection's id and name.
        """
        return (self.id, self.name) if self.is_own else (0, "")


def _hash(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


_DEEPEST = 100
_MARK = re.compile(r"<!--|\{\{")
_COMMENT_END = re.compile("-->")
_TAG_END = re.compile(r"\}\}")


class TemplateError(Exception):
    """A template for which Anki shows an error; `offset` is the position of the error."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class FieldTag(NamedTuple):
    """A field in a template: its name, and its filters from the innermost outwards."""

    name: str
    filters: tuple[str, ...]
    offset: int


class TemplateSection(NamedTuple):
    """A part that is shown if a field is filled or, with `inverted`, if it is blank."""

    name: str
    inverted: bool
    parts: tuple["Part", ...]
    offset: int


Part = str | FieldTag | TemplateSection


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
                raise TemplateError(f"sections are nested more than {_DEEPEST} deep", start)
            opened.append((name, mark == "^", start))
            levels.append([])
        elif mark == "/" and name:
            if not opened or opened[-1][0] != name:
                raise TemplateError(f"`{{{{/{name}}}}}` does not close an open section", start)
            section, inverted, offset = opened.pop()
            levels[-2].append(TemplateSection(section, inverted, tuple(levels.pop()), offset))
        else:
            *filters, shown = inner.split(":")
            levels[-1].append(FieldTag(shown, tuple(reversed(filters)), start))
    if opened:
        raise TemplateError(f"the section `{opened[-1][0]}` is not closed", opened[-1][2])
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


def shows_a_field(parts: tuple[Part, ...], filled: Container[str]) -> bool:
    """Whether parts of a template show any of the `filled` fields; only then does Anki make a card."""
    for part in parts:
        if isinstance(part, TemplateSection):
            if (part.name in filled) is not part.inverted and shows_a_field(part.parts, filled):
                return True
        elif isinstance(part, FieldTag) and part.name in filled:
            return True
    return False


def names_in(parts: tuple[Part, ...]) -> Iterator[FieldTag | TemplateSection]:
    """Yield everything in parts of a template that names a field, each section before its content."""
    for part in parts:
        if not isinstance(part, str):
            yield part
        if isinstance(part, TemplateSection):
            yield from names_in(part.parts)


BRACKET = re.compile(r"\[(?=sound:|/?\$|/?latex\]|\[type:|anki:)", re.IGNORECASE)
"""Matches a bracket that Anki interprets."""
_LIKE_A_TAG = re.compile(r"<[A-Za-z/!?]|<.*>")


def is_literal(text: str) -> bool:
    """Whether Anki shows a text as it is where it does not escape it.

    It must not contain anything like a tag, a character reference, or a bracket that Anki interprets.
    """
    return not _LIKE_A_TAG.search(text) and not BRACKET.search(text) and unescape(text) == text
