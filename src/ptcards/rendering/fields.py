"""A note's fields: what a learner's Anki stores, the same thirteen for every kind.

The class names here (`heading`, `choose`, `choices`, `right`, `wrong`, `mark`, `comment`) are frozen: learners keep old fields
and get new CSS.
"""

import html
import re

from ptcards.diagnostics import Diagnostic, error
from ptcards.notes import Choice, Identified, Kind, Note, RenderedNote, Text
from ptcards.notetypes import FIELDS
from ptcards.notetypes.cards import card_ordinals
from ptcards.rendering.escaping import clean, finish
from ptcards.rendering.markdown import Cloze, render, render_inline

_NOTHING = re.compile(r"(?:\s|&nbsp;|</?(?:p|br|div) ?/?>)*")


def render_note(identified: Identified) -> tuple[RenderedNote, list[Diagnostic]]:
    """Render a note's Markdown to the fields of `notetypes.FIELDS`.

    A note that would lack a card by Anki's rule is an error.
    """
    note = identified.note
    renderer = _Renderer(note, identified.guid)
    fields = dict.fromkeys(FIELDS, "") | {
        "Question": renderer.question(),
        "Answer": renderer.answer(),
        "Choices": renderer.choices(),
        "Typed": _plain(note.typed),
        "Reversed": "1" if note.kind is Kind.REVERSED else "",
        "Hint": renderer.blocks("hint", note.hint),
        "Details": renderer.blocks("details", note.details),
        "Sources": renderer.blocks("sources", note.sources),
        "Topic": _plain(note.topic),
        "Difficulty": _plain(note.difficulty),
        "GUID": _plain(identified.guid),
    }
    rendered = RenderedNote(
        guid=identified.guid,
        mod=identified.mod,
        deck=note.deck,
        note_type=note.note_type,
        fields=tuple(fields[name] for name in FIELDS),
        tags=note.tags,
        media=note.media,
    )
    return rendered, renderer.diagnostics + _missing_cards(note, rendered)


class _Renderer:
    """Renders the parts of one note and gathers what is wrong with them."""

    def __init__(self, note: Note, guid: str) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._note = note
        self._guid = guid
        self._names = {media.written: media.name for media in note.media}
        self._options = [self.blocks(f"option{n}", choice.text) for n, choice in enumerate(note.choices)]

    def blocks(self, part: str, text: Text, *, cloze: Cloze = Cloze.NONE) -> str:
        """Render a text of blocks, to nothing if it shows nothing.

        `part` keeps the ids of its footnotes apart from those of other parts.
        """
        rendered, found = render(text, names=self._names, prefix=f"{self._guid}-{part}", cloze=cloze)
        self.diagnostics += found
        return "" if _NOTHING.fullmatch(rendered) else rendered

    def question(self) -> str:
        heading, found = render_inline(self._note.heading, names=self._names)
        self.diagnostics += found
        body = self.blocks("question", self._note.question)
        return _joined("" if _NOTHING.fullmatch(heading) else f'<p class="heading">{heading}</p>', body)

    def answer(self) -> str:
        """Render the answer; of a choice the options, marked, and the explanation."""
        note = self._note
        body = self.blocks("answer", note.answer, cloze=Cloze.CODE if note.kind is Kind.CLOZE else Cloze.NONE)
        return _joined(_list(list(map(self._marked, range(len(note.choices)), note.choices))), body)

    def choices(self) -> str:
        """Render the options of a choice as the front shows them."""
        several = sum(choice.correct for choice in self._note.choices) > 1
        call = '<p class="choose">Select all that apply.</p>' if several else ""
        return _joined(call, _list([f"<li>{option}</li>" for option in self._options]))

    def _marked(self, n: int, choice: Choice) -> str:
        name, mark = ("right", "✓ right") if choice.correct else ("wrong", "✗ wrong")
        comment = self.blocks(f"comment{n}", choice.comment)
        shown = f'<div class="comment">{comment}</div>' if comment else ""
        return f'<li class="{name}"><span class="mark">{mark}</span>{self._options[n]}{shown}</li>'


def _missing_cards(note: Note, rendered: RenderedNote) -> list[Diagnostic]:
    """Report the cards that the kind promises and Anki would not make."""
    made = card_ordinals(rendered.note_type, rendered.fields)
    if note.kind is Kind.CLOZE and not made:
        message = "no deletion is left in the text, so Anki makes no card"
        return [error(note.location, "no-card", message, "mark what is asked: `{{c1::text}}`")]
    if note.kind is not Kind.CLOZE and 0 not in made:
        message = "the question shows nothing, so Anki makes no card"
        return [error(note.location, "no-card", message, "write the question behind the `##`")]
    if note.kind is Kind.REVERSED and 1 not in made:
        message = "the answer shows nothing, so Anki makes no reversed card"
        return [error(note.location, "no-card", message, "write an answer, or set `kind=basic`")]
    return []


def _list(items: list[str]) -> str:
    return "\n".join(['<ol class="choices" type="A">', *items, "</ol>"]) if items else ""


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _plain(text: str) -> str:
    """Make text that Anki shows as it is."""
    return finish(html.escape(clean(text), quote=False))
