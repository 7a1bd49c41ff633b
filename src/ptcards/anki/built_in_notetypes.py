"""The built-in note types of a collection: fields, templates and CSS.

Adding, removing or reordering a field or template causes a conflict in every note that learners already have
(measured), and renaming a class removes its style from notes that are not sent again. The text of a template
and the CSS may change. The templates are the files `<template>.front.html` and `<template>.back.html` in this
folder; the style is `card.css`, then the words that it shows, then `code.css`, then the author's own.
"""

import hashlib
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources

from ptcards.notes import topic_of
from ptcards.notes.labels import ENGLISH, RIGHT_TO_LEFT, TRADITIONAL, Labels, direction, labels_of, languages
from ptcards.notes.notetypes import IMPORTS_OURS, AnkiExtras, Field, NoteType, Template, is_literal

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
"""The fields of questions and clozes, in stored order; Anki sorts by the first one."""
_ANKIS_FIELDS = ("Occlusion", "Image", "Question", "Details", "Answer")
"""The fields of boxes, picture, header, extra and comments, which Anki's editor finds by their numbers.

They come first, because Check Database gives these numbers to the first five fields (measured).
"""
OCCLUSION_FIELDS = (*_ANKIS_FIELDS, *(name for name in FIELDS[:-2] if name not in _ANKIS_FIELDS))
"""The fields of pictures with boxes."""
_OCCLUSION_KIND = 6
"""Anki's number for its own note type for image occlusions, whose notes its editor opens."""
_EMPTY_ON_CARDS = re.compile(r"\{(?:version|question|deck)\}")
"""Matches what is left out of the address for reports on cards.

The address is in the templates, which stay the same from release to release.
"""
_IN_NOTES = ".ptc:has(> * > div{}:only-child:not([dir]))"
"""Selects the cards of notes in another language than the deck's, each of whose fields is in a `div`.

A `div` with a direction is one side of a note in two languages, whose card is in the deck's language.
"""
_DECK = '<span class="chip topic">{{text:Subdeck}}</span>'
"""The chip with the deck that contains the card in the learner's Anki.

The field `Topic` would show the author's deck, which may be another one: a note that only moved is not sent
again. The filter removes tags: a learner may keep cards in a deck called `<script>`, which would hide all
that follows.
"""

_DECKS_WORDS = ("right", "wrong", "details", "report")
_ENGLISH_WORDS = ("hint", "alert_note", "alert_tip", "alert_important", "alert_warning", "alert_caution")
_CSS_WORDS = "choose choose_one type_answer listed_sources difficulty_easy difficulty_medium difficulty_hard"
WORDS = (*_CSS_WORDS.split(), *_DECKS_WORDS, *_ENGLISH_WORDS)
"""The labels that `card.css` shows, as `--ptc-word-choose-one` and so on.

Some are also texts on the card, in the deck's language or in English: those are shown only in another one.
"""


def note_types(
    collection_id: str,
    name: str,
    extra_css: str,
    report: str = "",
    language: str = "",
    *,
    own: Sequence[NoteType] = (),
    decks: Iterable[str] = (),
    occlusions: bool = False,
) -> tuple[NoteType, ...]:
    """Return the note types of the collection with this id and name: `qa`, `cloze`, then its `own`.

    With `occlusions`, the type `occlusion` comes after the first two.

    `extra_css` comes after ours; `report` is the URL for reporting errors, which may contain `{guid}`,
    `{version}`, `{question}` and `{deck}`: cards only have the first, and scripts fill in the others;
    `language` is the language of the cards, empty if unknown. If Anki, which does not escape the names of
    `decks`, would not show one of them literally, cards do not show their deck.

    Ids only depend on `collection_id`, so renaming a collection renames its note types in place.
    """
    labels = labels_of(language)
    slots = {
        "[lang]": f' lang="{language}"' if language else "",
        "[deck]": _DECK if all(is_literal(topic_of(deck)) for deck in decks) else "",
        "[dir]": direction(language),
        "[details]": labels["details"],
        "[toggle_boxes]": labels["toggle_boxes"],
        "[boxes_missing]": labels["boxes_missing"],
        "[report]\n": _report_link(report, labels["report"]),
    }
    styles = (_read("card.css"), _language_css(language), _read("code.css"), extra_css)
    css = "\n".join(part for part in styles if part)
    questions = NoteType(
        key="qa",
        id=_id(collection_id, "qa"),
        name=name,
        fields=_fields(1000),
        templates=(
            _template("Question", 501, "{{Question}}", "{{Answer}}", slots),
            _template("Reversed", 502, "{{Answer}}", "{{Question}}", slots),
        ),
        css=css,
        guid_field="GUID",
    )
    clozes = replace(
        questions,
        key="cloze",
        id=_id(collection_id, "cloze"),
        name=f"{name} (cloze)",
        fields=_fields(2000),
        templates=(_template("Cloze", 503, "{{cloze:Answer}}", "{{cloze:Answer}}", slots),),
        is_cloze=True,
    )
    return (
        questions,
        clozes,
        *((_occlusion_type(collection_id, name, clozes, slots),) if occlusions else ()),
        *(
            replace(
                note_type, id=note_type.id or _id(collection_id, note_type.key), css=_with_code(note_type.css)
            )
            for note_type in own
        ),
    )


def _occlusion_type(collection_id: str, name: str, clozes: NoteType, slots: Mapping[str, str]) -> NoteType:
    """Return the note type of pictures with boxes, which Anki treats as its own for image occlusions."""
    names, boxes = enumerate(OCCLUSION_FIELDS), _read("occlusion.boxes.html").rstrip("\n")
    return replace(
        clozes,
        key="occlusion",
        id=_id(collection_id, "occlusion"),
        name=f"{name} (pictures)",
        fields=tuple(
            Field(field, 3000 + n, n if field in _ANKIS_FIELDS else None, is_kept=field in _ANKIS_FIELDS)
            for n, field in names
        ),
        templates=(_template("Occlusion", 504, "{{Question}}", "{{Answer}}", {"[boxes]": boxes, **slots}),),
        extras=AnkiExtras(stock_kind=_OCCLUSION_KIND),
    )


def _language_css(deck: str) -> str:
    """Return the rules for the words on cards, and for notes in another language than the deck's."""
    rules = [
        _words(".ptc", labels_of(deck), deck),
        _words(_IN_NOTES.format("[lang]"), labels_of(ENGLISH), deck),
    ]
    for language in languages():
        tag = language.partition("-")[0]
        others = "".join(f':not([lang|="zh-{each}" i])' for each in TRADITIONAL) if tag == "zh" else ""
        selector = _IN_NOTES.format(f'[lang|="{tag}" i]{others}')
        rules.append(_words(selector, labels_of(language), deck))
    rules.append(_other_direction(deck))
    return "\n".join(["/* Words and directions: everything up to the code is generated. */\n", *rules, ""])


def _words(selector: str, labels: Labels, deck: str) -> str:
    """Return the rule for the words in one language; `none` stands for those that are on the card anyway.

    The letters of options are the name of one of CSS's own counter styles, or a name and symbols.
    """
    there = {name: labels_of(deck)[name] for name in _DECKS_WORDS}
    there |= {name: labels_of(ENGLISH)[name] for name in _ENGLISH_WORDS}
    shown = {name: "none" if labels[name] == there.get(name) else f'"{labels[name]}"' for name in WORDS}
    lines = "".join(f"  --ptc-word-{name.replace('_', '-')}: {word};\n" for name, word in shown.items())
    name, *others = labels["letters"].split()
    style = ""
    if others:
        name = f"ptc-{name}"
        style = f"@counter-style {name} {{ system: alphabetic; symbols: {' '.join(others)}; }}\n"
    return f"{style}{selector} {{\n  --ptc-letters: {name};\n{lines}}}\n"


def _other_direction(deck: str) -> str:
    """Return the rule for notes whose language is written in another direction than the deck's."""
    languages = ":is({})".format(", ".join(f'[lang|="{each}" i]' for each in RIGHT_TO_LEFT))
    name, side, arrow = "rtl", -1, "◂"
    if direction(deck) == name:
        languages, name, side, arrow = f"[lang]:not({languages})", "ltr", 1, "▸"
    card = _IN_NOTES.format(languages)
    parts = f"{card},\n{card} > [dir],\n{card} > details > [dir]"
    return f'{parts} {{\n  direction: {name};\n  --ptc-side: {side};\n  --ptc-folded: "{arrow} ";\n}}\n'


def _with_code(css: str) -> str:
    """Return the CSS of a note type, with our styles for highlighted code if it imports them."""
    rest, found = IMPORTS_OURS.subn("", css)
    return f"{rest}\n{_read('code.css')}" if found else css


@cache
def our_type(key: str) -> NoteType:
    """Return the built-in note type with this key, without anything from a collection."""
    return {note_type.key: note_type for note_type in note_types("", "", "", occlusions=True)}[key]


def find_type(key: str, own: Sequence[NoteType]) -> NoteType:
    """Return a note type by its key, from the collection's `own` or the built-in ones."""
    return next((note_type for note_type in own if note_type.key == key), None) or our_type(key)


def _fields(first: int) -> tuple[Field, ...]:
    return tuple(Field(name, first + number) for number, name in enumerate(FIELDS))


def _id(collection_id: str, key: str) -> int:
    seed = hashlib.sha256(f"{collection_id}:{key}".encode()).hexdigest()
    return 10**12 + int(seed[:10], 16) % 10**12


def _template(
    name: str, number: int, browser_front: str, browser_back: str, slots: Mapping[str, str]
) -> Template:
    front, back = (_read(f"{name.lower()}.{side}.html") for side in ("front", "back"))
    for slot, text in slots.items():
        front, back = front.replace(slot, text), back.replace(slot, text)
    return Template(name, number, front, back, browser_front, browser_back)


def _report_link(report: str, label: str) -> str:
    if not report:
        return ""
    address = _EMPTY_ON_CARDS.sub("", html.escape(report)).replace("{guid}", "{{GUID}}")
    return f'<div class="report"><a href="{address}">{label}</a></div>\n'


def _read(name: str) -> str:
    return resources.files("ptcards.anki").joinpath(name).read_text(encoding="utf-8")
