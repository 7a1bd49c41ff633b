"""The two sides of every card of a note, as Anki's reviewer shows them.

It renders the note type's own templates, so that a preview cannot differ from the package; the tests compare
each kind and side with what the real Anki makes of the package.
"""

import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ptcards.anki.cards import card_ordinals, is_blank, show_deletions
from ptcards.anki.notetypes import FIELDS, NoteType
from ptcards.notes import RenderedNote

_SECTION = re.compile(r"\{\{#([^{}]+)\}\}((?:(?!\{\{#\1\}\}).)*?)\{\{/\1\}\}", re.DOTALL)
_FIELD = re.compile(r"\{\{(?:([a-z]+):)?([^{}#/:]+)\}\}")


@dataclass(frozen=True, slots=True)
class CardSides:
    """A card's HTML, as it stands inside Anki's `#qa`.

    `ordinal` counts from 0: the template's place, or the number of the deletions less one. `template` is the
    template's name. The hint link has Anki's own `onclick`; a page that forbids inline scripts opens
    `div.hint` itself.
    """

    ordinal: int
    template: str
    front: str
    back: str

    @property
    def body_class(self) -> str:
        """The classes by which Anki's `<body>` tells the cards of a note apart."""
        return f"card card{self.ordinal + 1}"


def card_sides(note: RenderedNote, note_type: NoteType) -> tuple[CardSides, ...]:
    """Render the cards that Anki makes of a note, in the order of their ordinals.

    A typed answer has an empty box on the front and, as nothing was typed, the text alone on the back.
    """
    fields = dict(zip(FIELDS, note.fields, strict=True))
    cards = []
    for ordinal in card_ordinals(note.note_type, note.fields):
        template = note_type.templates[0 if note.note_type == "cloze" else ordinal]
        front = _render(template.front, fields, ordinal, is_front=True)
        back = _render(template.back, fields, ordinal, is_front=False)
        cards.append(CardSides(ordinal, template.name, front, back))
    return tuple(cards)


def _render(template: str, fields: Mapping[str, str], ordinal: int, *, is_front: bool) -> str:
    def section(match: re.Match[str]) -> str:
        return "" if is_blank(fields[match[1]]) else _SECTION.sub(section, match[2])

    def field(match: re.Match[str]) -> str:
        name = match[2]
        value = fields[name]
        match match[1]:
            case None:
                return value
            case "cloze":
                return show_deletions(value, ordinal + 1, blank=is_front)
            case "hint":
                return _hint(name, value)
            case "type":
                return _box() if is_front else _typed(value)
        message = f"no filter `{match[1]}` is known"
        raise ValueError(message)

    # In one pass, so that braces inside a field stay text.
    return _FIELD.sub(field, _SECTION.sub(section, template))


def _hint(name: str, value: str) -> str:
    if not value.strip():
        return value
    element = f"hint{hashlib.sha256(value.encode()).hexdigest()[:16]}"
    return (
        f'\n<a class=hint href="#"\nonclick="this.style.display=\'none\';\n'
        f"document.getElementById('{element}').style.display='block';\n"
        f'return false;" draggable=false>\n{name}</a>\n'
        f'<div id="{element}" class=hint style="display: none">{value}</div>\n'
    )


def _box() -> str:
    return '<center><input type=text id=typeans aria-label="Your answer"></center>'


def _typed(value: str) -> str:
    return f"<code id=typeans>{html.escape(html.unescape(value))}</code>"
