"""A note type as a value: fields, templates and appearance.

The two built-in ones are in `anki.notetypes`.
"""

import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import Self

IMPORTS_OURS = re.compile(r"""@import\s+["']ptcards["']\s*;?[ \t]*\n?""")
"""The CSS rule that adds our style for code to a note type's style."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a note type; with an id, it can be renamed without a conflict."""

    name: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Template:
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
        templates = tuple(Template(each.name, None, each.front, "") for each in self.templates)
        return replace(self, id=0, name="", templates=templates, css="")

    @property
    def digest(self) -> str:
        """A hash (12 hex digits) of everything that learners get with an update.

        For one of the collection's own note types, 12 more digits follow: a hash of what must never change.
        """
        look = [
            self.name,
            [(field.name, field.id) for field in self.fields],
            [
                [template.name, template.front, template.back, template.browser_front, template.browser_back]
                for template in self.templates
            ],
            self.css,
        ]
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
