"""Deletions as Anki reads them, the cards that it makes from a note, and the two sides of each card.

In Anki, a deletion may have several numbers, contain another deletion, and be in any field; we never write
such deletions. The rules were derived from Anki's output, and tests compare ours with it; no code was copied.
genanki's rules are different (`<br>` counts as content, and nested deletions lose a card), and Anki's
importer never adds a card that a package lacks.

The sides are rendered from the note type's own templates, so a preview cannot differ from the package. Tests
compare each kind and side with what Anki renders from a package.
"""

import hashlib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from ptcards.anki.occlusion import shape_attributes
from ptcards.markdown.deletions import numbers
from ptcards.notes import Kind, Note, topic_of
from ptcards.notes.closings import Closings, without
from ptcards.notes.notetypes import (
    NoteType,
    Part,
    TemplateError,
    TemplateSection,
    parse_template,
    shows_a_field,
)
from ptcards.notes.rendered import RenderedNote

ANKIS_MARK = re.compile(r"\{\{c([0-9,]{1,99})::|\}\}")
"""The start of a deletion with its numbers, or its end, as Anki reads them."""
_HIGHEST_NUMBER = 0xFFFF
_DEEPEST = 10
_LONGEST = 1 << 20
"""The maximum number of characters in a deletion; each deletion around it triples its length."""
_MATH = re.compile(r"\\[(\[]")
_MATH_END = re.compile(r"\\[\])]")
_TAG = re.compile("<")
_TAG_END = re.compile(">")
_TAGS = (
    (re.compile("<!--"), re.compile("-->")),
    (re.compile("<style", re.IGNORECASE), _TAG_END, re.compile("</style>", re.IGNORECASE)),
    (re.compile("<script", re.IGNORECASE), _TAG_END, re.compile("</script>", re.IGNORECASE)),
    (_TAG, _TAG_END),
)
"""What Anki removes from formulas, in this order of precedence."""
_SPECIAL = re.compile(r"(?![0-9A-Za-z])[\x00-\xff]")
_NAMED = {"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;"}


@dataclass(slots=True)
class _Deletion:
    """A `{{c1,2::text::hint}}`; its parts are text and deletions."""

    numbers: tuple[int, ...]
    parts: list["str | _Deletion"] = field(default_factory=list)
    hint: str | None = None


def show_deletions(html: str, number: int, *, blank: bool) -> str:
    """Return a field as shown on the card for the deletions with this `number` (from 1).

    `blank` selects the front of the card instead of the back. The result is empty if the field has no such
    deletion.
    """
    parts = _parse(html)
    if number not in _numbers_in(parts):
        return ""
    shown = "".join(_shown(part, number, blank=blank) for part in parts)
    # Anki removes tags inside maths, including its own, because they would split the formula.
    return _with_bare_math(shown)


def _with_bare_math(html: str) -> str:
    """Return HTML with its formulas, from one mark to the next closing one, without tags."""
    closings = Closings(html)
    shown: list[str] = []
    at = 0
    while (begin := _MATH.search(html, at)) and (end := closings.find(_MATH_END, begin.end())):
        shown += html[at : begin.end()], without(html[begin.end() : end.start()], _TAG, _TAGS), end[0]
        at = end.end()
    return "".join(shown) + html[at:]


def _parse(html: str) -> list[str | _Deletion]:
    opened = [_Deletion(())]
    """what is outside of all deletions, then those that are open"""
    at = 0
    for mark in ANKIS_MARK.finditer(html):
        numbers = ankis_numbers(mark[1]) if mark[1] else ()
        if mark[1] and not numbers:
            continue
        _add_text(opened, html[at : mark.start()])
        at = mark.end()
        if numbers:
            if len(opened) <= _DEEPEST:
                opened.append(_Deletion(numbers))
        elif len(opened) > 1:
            closed = opened.pop()
            opened[-1].parts.append(closed)
        else:
            opened[0].parts.append("}}")
    _add_text(opened, html[at:])
    return opened[0].parts


def ankis_numbers(written: str) -> tuple[int, ...]:
    """Return those numbers of a deletion that Anki accepts."""
    numbers = (int(number) for number in written.split(",") if number)
    return tuple(number for number in numbers if number <= _HIGHEST_NUMBER)


def _add_text(opened: Sequence[_Deletion], text: str) -> None:
    text, divider, hint = text.partition("::") if len(opened) > 1 else (text, "", "")
    opened[-1].parts.append(text)
    if divider:
        opened[-1].hint = hint


def _numbers_in(parts: Iterable[str | _Deletion]) -> set[int]:
    """Return the numbers of deletions, and of those inside them."""
    deletions = [each for each in parts if not isinstance(each, str)]
    return {number for each in deletions for number in (*each.numbers, *_numbers_in(each.parts))}


def _shown(part: str | _Deletion, number: int, *, blank: bool) -> str:
    if isinstance(part, str):
        return part
    ordinals = ",".join(map(str, part.numbers))
    shape = shape_attributes("".join(each for each in part.parts if isinstance(each, str)))
    if shape is not None:
        asked = "cloze" if blank else "cloze-highlight"
        name = asked if number in part.numbers or part.numbers == (0,) else "cloze-inactive"
        return f'<div class="{name}" data-ordinal="{ordinals}" {shape}></div>'
    inner = "".join(_shown(each, number, blank=blank) for each in part.parts)
    if len(inner) > _LONGEST:
        message = f"a deletion takes over {_LONGEST >> 20} MB: each one around it makes it longer"
        raise TemplateError(message, 0)
    if number not in part.numbers:
        return f'<span class="cloze-inactive" data-ordinal="{ordinals}">{inner}</span>'
    if not blank:
        return f'<span class="cloze" data-ordinal="{ordinals}">{inner}</span>'
    hint = "..." if part.hint is None else part.hint
    return f'<span class="cloze" data-cloze="{_attribute(inner)}" data-ordinal="{ordinals}">[{hint}]</span>'


def _attribute(html: str) -> str:
    return _SPECIAL.sub(lambda found: _NAMED.get(found[0], f"&#x{ord(found[0]):02X};"), html)


_BLANK = re.compile(r"(?:[ \t\n\v\f\r]|</?(?:br|div) ?/?>)*", re.IGNORECASE)
_LAST_ORDINAL = 499


def is_blank(field: str) -> bool:
    """Whether Anki considers a field's HTML empty: white space, `<br>` and `<div>` do not count."""
    return _BLANK.fullmatch(field) is not None


def card_ordinals(note_type: NoteType, fields: Sequence[str]) -> tuple[int, ...]:
    """Return the ordinals of the cards that Anki makes from a note, ascending.

    For a cloze, these are the numbers of the deletions in all fields, minus one (measured; a template only
    shows one field, so a deletion in another one makes a card that asks nothing). Otherwise, they are the
    positions of the templates whose front shows a field that is not blank.
    """
    if note_type.is_cloze:
        asked = {number for field in fields for number in _numbers_in(_parse(field))}
        return tuple(sorted({min(number - 1, _LAST_ORDINAL) for number in asked - {0}}))
    shown = zip(note_type.fields, fields, strict=True)
    filled = frozenset([each.name for each, html in shown if html and not is_blank(html)])
    fronts = [template.front for template in note_type.templates]
    return tuple([ordinal for ordinal, front in enumerate(fronts) if _makes_card(front, filled)])


@lru_cache(maxsize=256)
def _makes_card(front: str, filled: frozenset[str]) -> bool:
    try:
        return shows_a_field(parse_template(front), filled)
    except TemplateError:
        return False


def cards_of(note: Note, own: Mapping[str, NoteType]) -> set[int]:
    """Return a number for each card of a note, determined from its source.

    These are the numbers of its deletions, 0 and perhaps 1 for its directions, or the positions of templates
    of one of the `own` note types.
    """
    if note.kind is Kind.CLOZE:
        fields = (text.markdown for text in (note.answer, note.heading, *(text for _, text in note.fields)))
        return {number for field in fields for number in numbers(field)}
    if note_type := own.get(note.own_type):
        first, *others = (text.markdown for _, text in note.fields)
        return {*card_ordinals(note_type, (first or note.heading.markdown, *others))}
    return {0, 1} if note.kind is Kind.REVERSED else {0}


_MAX_SIDE = 8 << 20
_TAGS_AND_COMMENTS = ((re.compile("<!--"), re.compile("-->")), (_TAG, re.compile(">")))
_SOUND = re.compile(r"\[sound:([^\]\"\n]{1,1000}+)\]")
_READING = re.compile(r"\[(?!sound:|\])")
_READING_END = re.compile(r"\]")
_BOX = '<center><input type=text id=typeans aria-label="Your answer"></center>'


class CardSides(NamedTuple):
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
        if isinstance(part, TemplateSection):
            is_filled = part.name == f"c{self.ordinal + 1}" or not is_blank(self.fields.get(part.name, ""))
            return self._parts(part.parts) if is_filled is not part.inverted else ""
        value = self.fields.get(part.name, "")
        for name in part.filters:
            value = self._filtered(name, part.name, value)
        self.room[0] -= len(value)
        if self.room[0] < 0:
            raise TemplateError(f"this side shows over {_MAX_SIDE >> 20} MB of fields", part.offset)
        return value

    def _filtered(self, name: str, field: str, value: str) -> str:
        """Return a value with a filter applied; unknown filters change nothing."""
        match name.partition(" ")[0]:
            case "cloze" | "cloze-only":
                return show_deletions(value, self.ordinal + 1, blank=self.is_front)
            case "hint":
                return _hint(field, value)
            case "type":
                shown = f"<code id=typeans>{html.escape(html.unescape(value))}</code>"
                return _BOX if self.is_front else shown
            case "text":
                return without(value, _TAG, _TAGS_AND_COMMENTS)
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
