"""What a note type is: fields, templates and look, as a value that every room understands.

Our own two are made in `anki.notetypes`.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a note type; one with an id may be renamed without a conflict."""

    name: str
    id: int | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """How a card of a note looks: fronts and backs for studying and for the two columns of Anki's browser."""

    name: str
    id: int | None
    front: str
    back: str
    browser_front: str = ""
    browser_back: str = ""
    file: str = ""
    """what its files are called, of a note type of the collection's own"""


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type: `key` is what lock and notes call it, `name` what Anki calls it.

    The cards of a cloze are told by its deletions and all look like its one template; any other note has a
    card for each template whose front shows one of its fields. `guid_field` is the field that shows the GUID,
    empty if none does. `is_own` says that the collection itself holds it, so that the author decides on its
    fields; its id is 0 until it has one.
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

    @property
    def field_names(self) -> tuple[str, ...]:
        """The names of its fields, in the order they are stored; the first one is what Anki sorts by."""
        return tuple(field.name for field in self.fields)

    def template(self, ordinal: int) -> Template:
        """Return the template of a card."""
        return self.templates[0 if self.is_cloze else ordinal]

    @property
    def bare(self) -> Self:
        """It, without its look: all that the fields and cards of its notes rest on."""
        templates = tuple(Template(each.name, None, each.front, "") for each in self.templates)
        return replace(self, id=0, name="", templates=templates, css="")

    @property
    def digest(self) -> str:
        """12 hex digits that change with anything of the note type that an update changes for learners.

        Of one of the collection's own 12 more follow, which change with what may never change.
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
        """12 hex digits that change with what must not change for learners.

        Empty of our own two, which tests freeze.
        """
        names = [template.name for template in self.templates]
        return _hash([self.is_cloze, self.field_names, names]) if self.is_own else ""

    @property
    def lock_columns(self) -> tuple[int, str]:
        """Id and name in the lock, which holds those of the collection's own alone.

        Ours follow from its id and name.
        """
        return (self.id, self.name) if self.is_own else (0, "")


def _hash(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]
