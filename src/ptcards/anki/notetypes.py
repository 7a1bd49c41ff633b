"""The two note types of a collection: fields, templates and CSS, as learners have them.

Everything here is identity: a field or template that is added, removed or reordered makes every note a
conflict for those who already have the deck (measured), and a class name that changes takes the look from
notes that are not sent again. The templates are the `*.html` files of this folder, `<template>.front.html`
and `<template>.back.html`; the look is `card.css`, then `code.css`, then the author's own.
"""

import hashlib
import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from ptcards.labels import labels_of

FIELDS = (
    "Question",
    "Answer",
    "Choices",
    "Typed",
    "Reversed",
    "Hint",
    "Details",
    "Sources",
    "Topic",
    "Difficulty",
    "GUID",
    "Extra 1",
    "Extra 2",
)
"""The fields of both note types, in the order they are stored; the first one is what Anki sorts by."""


@dataclass(frozen=True, slots=True)
class Template:
    """How a card of a note looks: fronts and backs for studying and for the two columns of Anki's browser."""

    name: str
    id: int
    front: str
    back: str
    browser_front: str
    browser_back: str


@dataclass(frozen=True, slots=True)
class NoteType:
    """One of a collection's two note types; `key` is `qa` or `cloze`, `field_ids` go with `FIELDS`."""

    key: str
    id: int
    name: str
    field_ids: tuple[int, ...]
    templates: tuple[Template, ...]
    css: str

    @property
    def digest(self) -> str:
        """12 hex digits that change with anything of the note type that an update changes for learners."""
        parts = [
            self.name,
            list(zip(FIELDS, self.field_ids, strict=True)),
            [
                [template.name, template.front, template.back, template.browser_front, template.browser_back]
                for template in self.templates
            ],
            self.css,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def note_types(
    collection_id: str, name: str, extra_css: str, report: str = "", language: str = ""
) -> tuple[NoteType, NoteType]:
    """Make the note types of the collection with this id and name: `qa`, then `cloze`.

    `extra_css` comes after ours; `report` is the address that mistakes are reported to, with `{guid}` in it;
    `language` is that of the cards, empty if it is not known.

    Ids depend on `collection_id` alone, so that renaming a collection renames its note types in place.
    """
    labels = labels_of(language)
    slots = {
        "[lang]": f' lang="{language}"' if language else "",
        "[details]": labels["details"],
        "[report]\n": _report_link(report, labels["report"]),
    }
    css = "\n".join(part for part in (_read("card.css"), _read("code.css"), extra_css) if part)
    return (
        NoteType(
            key="qa",
            id=_id(collection_id, "qa"),
            name=name,
            field_ids=tuple(range(1000, 1000 + len(FIELDS))),
            templates=(
                _template("Question", 501, "{{Question}}", "{{Answer}}", slots),
                _template("Reversed", 502, "{{Answer}}", "{{Question}}", slots),
            ),
            css=css,
        ),
        NoteType(
            key="cloze",
            id=_id(collection_id, "cloze"),
            name=f"{name} (cloze)",
            field_ids=tuple(range(2000, 2000 + len(FIELDS))),
            templates=(_template("Cloze", 503, "{{cloze:Answer}}", "{{cloze:Answer}}", slots),),
            css=css,
        ),
    )


def _id(collection_id: str, key: str) -> int:
    seed = hashlib.sha256(f"{collection_id}:{key}".encode()).hexdigest()
    return 10**12 + int(seed[:10], 16) % 10**12


def _template(
    name: str, number: int, browser_front: str, browser_back: str, slots: Mapping[str, str]
) -> Template:
    front, back = (_filled(_read(f"{name.lower()}.{side}.html"), slots) for side in ("front", "back"))
    return Template(name, number, front, back, browser_front, browser_back)


def _filled(template: str, slots: Mapping[str, str]) -> str:
    for slot, text in slots.items():
        template = template.replace(slot, text)
    return template


def _report_link(report: str, label: str) -> str:
    if not report:
        return ""
    address = html.escape(report).replace("{guid}", "{{GUID}}")
    return f'<div class="report"><a href="{address}">{label}</a></div>\n'


def _read(name: str) -> str:
    return resources.files("ptcards.anki").joinpath(name).read_text(encoding="utf-8")
