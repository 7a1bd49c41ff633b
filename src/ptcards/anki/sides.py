"""The two sides of every card of a note, as Anki's reviewer shows them.

They are rendered from the note type's own templates, so a preview cannot differ from the package. Tests
compare each kind and side with what Anki renders from a package.
"""

import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ptcards.anki.cards import card_ordinals, is_blank, show_deletions
from ptcards.notes import RenderedNote, topic_of
from ptcards.notes.closings import Closings, without
from ptcards.notes.notetypes import NoteType
from ptcards.notes.templates import Part, Section, TemplateError, parse_template

_MAX_SIDE = 8 << 20
_TAG = re.compile("<")
_TAGS = ((re.compile("<!--"), re.compile("-->")), (_TAG, re.compile(">")))
_SOUND = re.compile(r"\[sound:([^\]\"\n]{1,1000}+)\]")
_READING = re.compile(r"\[(?!sound:|\])")
_READING_END = re.compile(r"\]")


@dataclass(frozen=True, slots=True)
class CardSides:
    """The HTML of a card as it is inside Anki's `#qa`.

    `ordinal` counts from 0: the position of the template, or the number of the deletions minus one.
    `template` is the template's name. The hint link has Anki's own `onclick`; a page that forbids inline
    scripts must open `div.hint` itself.
    """

    ordinal: int
    template: str
    front: str
    back: str

    @property
    def body_class(self) -> str:
        """The classes on Anki's `<body>` that tell the cards of a note apart."""
        return f"card card{self.ordinal + 1}"


def card_sides(note: RenderedNote, note_type: NoteType) -> tuple[CardSides, ...]:
    """Return the rendered cards that Anki makes from a note, in the order of their ordinals.

    Deck names are escaped, which Anki does not do. Sounds get the browser's player. A typed answer is an
    empty box on the front; because nothing was typed, the back only shows the text.
    """
    special = {
        "Tags": " ".join(note.tags),
        "Type": note_type.name,
        "Deck": html.escape(note.deck, quote=False),
        "Subdeck": html.escape(topic_of(note.deck), quote=False),
        "CardFlag": "",
        "CardID": "",
    }
    fields = special | dict(zip(note_type.field_names, note.fields, strict=True))
    cards = []
    for ordinal in card_ordinals(note_type, note.fields):
        template = note_type.template(ordinal)
        shown = {"Card": template.name} | fields
        front = _Side(shown, ordinal, is_front=True).render(template.front)
        back = _Side({"FrontSide": front} | shown, ordinal, is_front=False).render(template.back)
        cards.append(CardSides(ordinal, template.name, front, back))
    return tuple(cards)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of a card being rendered."""

    fields: Mapping[str, str]
    ordinal: int
    is_front: bool
    room: list[int] = field(default_factory=lambda: [_MAX_SIDE])
    """how many more characters from fields may be shown: a template may show a field thousands of times"""

    def render(self, template: str) -> str:
        try:
            return _SOUND.sub(r'<audio controls src="\1"></audio>', self._parts(parse_template(template)))
        except TemplateError as failure:
            return f"<div>{html.escape(str(failure))}</div>"

    def _parts(self, parts: Sequence[Part]) -> str:
        return "".join(map(self._part, parts))

    def _part(self, part: Part) -> str:
        if isinstance(part, str):
            return part
        if isinstance(part, Section):
            is_filled = part.name == f"c{self.ordinal + 1}" or not is_blank(self.fields.get(part.name, ""))
            return self._parts(part.parts) if is_filled is not part.inverted else ""
        value = self.fields.get(part.name, "")
        for name in part.filters:
            value = self._filtered(name, part.name, value)
        self.room[0] -= len(value)
        if self.room[0] < 0:
            message = f"this side shows over {_MAX_SIDE >> 20} MB of fields"
            raise TemplateError(message, part.offset)
        return value

    def _filtered(self, name: str, field: str, value: str) -> str:
        """Return a value with a filter applied; unknown filters change nothing."""
        match name.partition(" ")[0]:
            case "cloze" | "cloze-only":
                return show_deletions(value, self.ordinal + 1, blank=self.is_front)
            case "hint":
                return _hint(field, value)
            case "type":
                return _box() if self.is_front else _typed(value)
            case "text":
                return without(value, _TAG, _TAGS)
            case "furigana":
                return _with_readings(value, "<ruby><rb>{}</rb><rt>{}</rt></ruby>")
            case "kanji":
                return _with_readings(value, "{0}")
            case "kana":
                return _with_readings(value, "{1}")
            case "tts" | "tts-voices":
                return ""
            case _:
                return value


def _with_readings(value: str, form: str) -> str:
    """Return a value with each ` word[reading]` in a form; the word has no spaces, tags or brackets."""
    closings = Closings(value)
    shown: list[str] = []
    at = after = 0
    """where the last reading ended, and where the last bracket was"""
    for bracket in _READING.finditer(value):
        if bracket.start() < at:  # inside a reading
            continue
        begin = 1 + max(after - 1, *(value.rfind(char, after, bracket.start()) for char in " >["))
        after = bracket.end()
        end = closings.find(_READING_END, after)
        if end is None:
            break
        if begin < bracket.start():
            word, reading = value[begin : bracket.start()], value[after : end.start()]
            space = begin > at and value[begin - 1] == " "
            shown += value[at : begin - space], form.format(word, reading)
            at = after = end.end()
    return "".join(shown) + value[at:]


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
