"""Renders the fields of a note as learners' Anki stores them: the same thirteen for every kind of note.

The class names here (`heading`, `choose`, `choices`, `right`, `wrong`, `mark`, `comment`) and those of lists
whose items are cards (`sequence`, `set`, `numbered`, `near`, `labels`) are frozen:
learners keep old fields and get new CSS.
"""

import hashlib
import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ptcards.anki.built_in_notetypes import find_type
from ptcards.anki.cards import card_ordinals
from ptcards.anki.occlusion import cut_picture, shapes
from ptcards.diagnostics import Diagnostic, Trait, error
from ptcards.markdown.deadline import NOTE_SECONDS, DeadlineError, timer, within
from ptcards.markdown.escaping import clean, finish
from ptcards.markdown.fences import whole_verbatim
from ptcards.markdown.render import render as render_blocks
from ptcards.markdown.render import render_inline
from ptcards.markdown.render_inlines import Cloze, ItemList
from ptcards.notes import Choice, Identified, Kind, Note, Text
from ptcards.notes.labels import direction, labels_of
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import RenderedNote

_Render = Callable[..., tuple[str, list[Diagnostic]]]
_ANCHOR_LENGTH = 11
_LONE_PARAGRAPH = re.compile(r"<p>((?:(?!</?p>).)*)</p>", re.DOTALL)
_NOTHING = re.compile(r"(?:\s|&nbsp;|</?(?:p|br|div) ?/?>)*")


def render(note: Note, own: Sequence[NoteType] = ()) -> tuple[tuple[str, ...], list[Diagnostic]]:
    """Return the fields of a note in the order of its note type; the GUID, known only later, is empty.

    `own` are the collection's own note types. A note that would lack a card in Anki is an error. So is a note
    that takes longer than `NOTE_SECONDS` to render; its fields are empty.
    """
    ((fields, _, diagnostics),) = render_all([note], own)
    return fields, diagnostics


def render_all(
    notes: Iterable[Note], own: Sequence[NoteType] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[int, ...], list[Diagnostic]]]:
    """Yield what `render` returns for each note, with the ordinals of its cards between the two."""
    with timer():
        for note in notes:
            yield _render_with_cards(note, find_type(note.note_type, own))


def _render_with_cards(
    note: Note, note_type: NoteType
) -> tuple[tuple[str, ...], tuple[int, ...], list[Diagnostic]]:
    try:
        rendered, diagnostics = within(NOTE_SECONDS, _render, note, note_type)
    except DeadlineError:
        message = f"this note takes longer than {NOTE_SECONDS:g} seconds to render"
        fix = "shorten the note, or split it into several"
        return ("",) * len(note_type.fields), (), [error(note.location, "note-too-slow", message, fix)]
    fields = tuple([rendered.get(field.name, "") for field in note_type.fields])
    made = card_ordinals(note_type, fields)
    return fields, made, diagnostics + _missing_cards(note, note_type, made)


def _render(note: Note, note_type: NoteType) -> tuple[dict[str, str], list[Diagnostic]]:
    renderer = _Renderer(note, note_type)
    return renderer.own_fields() if note.own_type else renderer.fields(), renderer.diagnostics


def render_note(
    identified: Identified, own: Sequence[NoteType] = ()
) -> tuple[RenderedNote, list[Diagnostic]]:
    """Return a note as passed to Anki, with diagnostics."""
    note, guid = identified.note, identified.guid
    note_type = find_type(note.note_type, own)
    rendered, diagnostics = render(note, own)
    names = zip(note_type.field_names, rendered, strict=True)
    fields = tuple(guid if name == note_type.guid_field else field for name, field in names)
    return RenderedNote(
        guid, identified.mod, note.deck, note.note_type, fields, note.tags, note.media
    ), diagnostics


def anchor(note: Note) -> str:
    """Return a prefix for the ids of a note's footnotes.

    Notes with other questions, or in other decks, have other prefixes.
    """
    asked = f"{note.deck}\0{note.heading.markdown}\0{note.question.markdown}"
    asked += note.title if not (note.heading or note.question) else ""
    return hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:_ANCHOR_LENGTH]


class _Renderer:
    """Renders the parts of one note and collects diagnostics."""

    def __init__(self, note: Note, note_type: NoteType) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._note = note
        self._labels = labels_of(note.labels)
        self._names = {media.written: media.name for media in note.media}
        self._is_plain = note_type.is_plain

    def fields(self) -> dict[str, str]:
        """Return all rendered fields; missing ones are empty."""
        note = self._note
        options = [self.blocks(f"option{n}", choice.text) for n, choice in enumerate(note.choices)]
        texts = {
            "Question": self.question(),
            "Answer": self.answer(options),
            "Choices": self.choices(options),
            "Hint": self.blocks("hint", note.hint),
            "Details": self.blocks("details", note.details),
            "Sources": self.blocks("sources", note.sources),
        }
        if note.occlusion:
            texts["Image"], texts["Answer"] = cut_picture(texts["Answer"], len(note.occlusion.boxes))
        return {
            **{name: self.in_language(name, text) for name, text in texts.items() if name != "Image"},
            **({"Image": texts["Image"], "Occlusion": shapes(note.occlusion)} if note.occlusion else {}),
            "Typed": _plain(note.typed),
            "Reversed": "1" if note.kind is Kind.REVERSED else "",
            "Topic": _plain(note.topic),
            "Difficulty": note.difficulty,
        }

    def in_language(self, name: str, field: str) -> str:
        """Return a field in an element with its language, if that is not the deck's.

        Of a note in two languages, question and answer have one each; theirs also has its direction.
        """
        first, _, second = self._note.language.partition(",")
        if not field or not first or (second and name not in ("Question", "Answer", "Choices")):
            return field
        language = first if name == "Question" else second
        side = f'{language}" dir="{direction(language).replace("auto", "ltr")}' if second else first
        return f'<div lang="{side}">\n{field}\n</div>'

    def own_fields(self) -> dict[str, str]:
        """Return the rendered fields of a note with one of the collection's own note types."""
        note = self._note
        cloze = Cloze.CODE if note.kind is Kind.CLOZE else Cloze.NONE
        (first, text), *others = note.fields
        fields = {name: self.field(f"field{n}", each, cloze) for n, (name, each) in enumerate(others, 1)}
        if text:
            return {first: self.field("field0", text, cloze), **fields}
        return {first: self.shown(render_inline, note.heading, cloze=cloze, passes_on=True), **fields}

    def field(self, part: str, text: Text, cloze: Cloze) -> str:
        """Return a field as people write it in Anki: a single paragraph has no `<p>` around it."""
        if not text:
            return ""
        if (html := whole_verbatim(text.markdown)) is not None:
            return clean(html)
        prefix = self._prefix(part, text)
        rendered = self.shown(
            render_blocks, text, prefix=prefix, cloze=cloze, passes_on=True, plain_code=self._is_plain
        )
        lone = _LONE_PARAGRAPH.fullmatch(rendered)
        return lone[1] if lone else rendered

    def shown(self, render: _Render, text: Text, **options: Any) -> str:
        """Return a text as blocks or as a line, and keep the diagnostics."""
        rendered, diagnostics = render(text, names=self._names, macros=self._note.macros, **options)
        self.diagnostics += diagnostics
        return rendered

    def _prefix(self, part: str, text: Text) -> str:
        """Return the prefix for the ids of footnotes, if there are any."""
        return f"{anchor(self._note)}-{part}" if "[^" in text.markdown else ""

    def blocks(
        self, part: str, text: Text, *, cloze: Cloze = Cloze.NONE, items: ItemList | None = None
    ) -> str:
        """Return a text rendered as blocks, or an empty string if it would show nothing.

        `part` distinguishes the ids of its footnotes from those of other parts.
        """
        if not text:
            return ""
        prefix, is_short = self._prefix(part, text), part == "sources"
        rendered = self.shown(
            render_blocks, text, prefix=prefix, cloze=cloze, breaks=True, short_links=is_short, items=items
        )
        return "" if _NOTHING.fullmatch(rendered) else rendered

    def question(self) -> str:
        heading = self.shown(render_inline, self._note.heading, breaks=True)
        body = self.blocks("question", self._note.question)
        context = f"<p><em>{_plain(self._note.context)}</em></p>" if self._note.context else ""
        shown = "" if _NOTHING.fullmatch(heading) else f'<p class="heading">{heading}</p>'
        return _joined(context, shown, body)

    def answer(self, options: Sequence[str]) -> str:
        """Return the rendered answer; for a choice, it consists of the marked options and the explanation."""
        note = self._note
        is_list = note.kind.asks_items and not note.occlusion
        items = ItemList(note.kind.value, note.before) if is_list else None
        body = self.blocks("answer", note.answer, cloze=_deletions(note), items=items)
        return _joined(_list(list(map(self._marked, range(len(options)), note.choices, options))), body)

    def choices(self, options: Sequence[str]) -> str:
        """Return the options of a choice as the front shows them."""
        several = sum(choice.correct for choice in self._note.choices) > 1
        call = f'<p class="choose">{self._labels["choose"]}</p>' if several else ""
        return _joined(call, _list([f"<li>{option}</li>" for option in options]))

    def _marked(self, n: int, choice: Choice, option: str) -> str:
        name, sign = ("right", "✓") if choice.correct else ("wrong", "✗")
        mark = f"{sign} {self._labels[name]}"
        comment = self.blocks(f"comment{n}", choice.comment)
        shown = f'<div class="comment">{comment}</div>' if comment else ""
        return f'<li class="{name}"><span class="mark">{mark}</span>{option}{shown}</li>'


def _deletions(note: Note) -> Cloze:
    """Return where deletions count: nowhere, in text, or in text and code."""
    if note.kind is not Kind.CLOZE:
        return Cloze.NONE
    return Cloze.CODE if note.code_deletions else Cloze.TEXT


def _missing_cards(note: Note, note_type: NoteType, made: Sequence[int]) -> list[Diagnostic]:
    """Return errors for cards that the kind promises but Anki would not make; it would make `made`."""
    if note_type.is_own and not note_type.is_cloze:
        message = "no template's front shows a filled field, so Anki makes no card"
        fix = "fill a field that a template shows on its front"
        return [] if made else [_no_card(note, message, fix)]
    if note.kind.asks_items:
        return []  # a list without items has an error already
    if note.kind is Kind.CLOZE and not made:
        message = "no deletion is left in the text, so Anki makes no card"
        return [_no_card(note, message, "mark the text to recall: `{{c1::text}}`")]
    if note.kind is not Kind.CLOZE and 0 not in made:
        message = "the question shows nothing, so Anki makes no card"
        return [_no_card(note, message, "write the question after the `##`")]
    if note.kind is Kind.REVERSED and 1 not in made:
        message = "the answer shows nothing, so Anki makes no reversed card"
        return [_no_card(note, message, "write an answer, or set `kind=basic`")]
    return []


def _no_card(note: Note, message: str, fix: str) -> Diagnostic:
    return error(note.location, "no-card", message, fix, traits=Trait.FOLLOWS)


def _list(items: list[str]) -> str:
    return "\n".join(['<ol class="choices" type="A">', *items, "</ol>"]) if items else ""


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _plain(text: str) -> str:
    """Return text escaped so that Anki shows it literally."""
    return finish(html.escape(clean(text), quote=False))
