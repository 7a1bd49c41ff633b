"""Makes notes from questions with answers, from texts with brackets, and from fields."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ptcards.diagnostics import warning
from ptcards.notes import Kind, Text
from ptcards.source.parts import DeckPart, Page, Parts
from ptcards.source.readers.cards import Cards, named
from ptcards.source.readers.clozes import with_brackets
from ptcards.source.readers.lines import Cut, stripped, text_of
from ptcards.source.readers.obsidian_to_anki import Block, Field, Settings
from ptcards.source.readers.wiki import rewrite

BRACKETS = re.compile(r"(?<![!\\\]\[])\[(?P<inner>[^\[\]\n]+)\](?![(\[:])")
_CURLY = re.compile(r"(?<!\{)\{(?:c?(?P<number>\d{1,2})[:|])?(?P<inner>[^{}\n]+)\}(?!\})")
_NEVER = re.compile(r"(?!)")
_NOT_PLAIN = re.compile(r"[*_`\[\]<>$\\\n]")
_NO_TEXT = Text()
_NO_FIELD = Field("", [])

_KINDS = {"basic": Kind.BASIC, "reversed": Kind.REVERSED, "typed": Kind.TYPED, "cloze": Kind.CLOZE}
_CLOZE = re.compile(r"cloze|lücken|trous|omiss|hueco|穴埋め|填空|빈칸", re.IGNORECASE)
_REVERSED = re.compile(r"(?<!optional )reversed|(?<!wahlweise die )umgekehrt", re.IGNORECASE)
_TYPED = re.compile(r"type in", re.IGNORECASE)
_STOCK = re.compile(r"basic|cloze", re.IGNORECASE)


class About(NamedTuple):
    """The properties of a note: its first line (from 0), kind, id (`name`), tags and details."""

    at: int
    kind: Kind
    name: str
    tags: tuple[str, ...] = ()
    details: Text = _NO_TEXT


class PairCards(Cards):
    """The notes found so far, and the deck and tags of the next note; `is_curly` allows `{deletions}`."""

    def __init__(self, page: Page, seen: list[str | None], settings: Settings) -> None:
        super().__init__(page, seen)
        self.tags: tuple[str, ...] = ()
        self.current: DeckPart
        self._curly = _CURLY if settings.curly else _NEVER
        self._known = {name: len(fields) for name, fields in settings.fields.items()}
        self._reported: set[str] = set()

    def enter(self, written: str, at: int) -> None:
        """Make a deck current: it contains the notes that follow."""
        levels = tuple(level.strip() for level in written.strip().split("::") if level.strip())
        self.current = self.deck(levels, at, replaces=bool(levels))

    def pair(self, about: About, question: Sequence[Cut], answer: Sequence[Cut]) -> None:
        """Keep a question with its answer; the question's first line becomes the heading."""
        question, answer = self.shown(question), self.shown(answer)
        first = next((n for n, cut in enumerate(question) if cut.text.strip()), len(question))
        question = question[first:]
        is_text = bool(question) and self.seen[question[0].at] is not None
        head = question[:1] if is_text else ()
        heading = self.text([stripped(cut) for cut in head])
        body = self.text(question[len(head) :])
        text = self.text(answer)
        if not heading and not body:
            self.leave_out(about.at, "no question")
        elif not text:
            self.leave_out(about.at, "no answer", heading.markdown)
        else:
            self._keep(about, heading, body, text, self.block_id(answer))

    def cloze(self, about: About, cuts: Sequence[Cut], mark: re.Pattern[str]) -> None:
        """Keep a cloze; `mark` matches its deletions."""
        number = 0
        made = []
        cuts = self.shown(cuts)
        for cut in cuts:
            found = with_brackets(cut.text, self.seen_of(cut), mark, number)
            number += found.marks
            again = rewrite(found.text, found.seen)
            self.report_lost(again, cut.at)
            made.append(cut if again.text == cut.text else Cut(again.text, cut.at, 0))
        text = text_of(self.page, made)
        if not text:
            self.leave_out(about.at, "no question")
        elif not number and "{{c" not in text.markdown:
            self.leave_out(about.at, "no deletion")
        else:
            self._keep(about, _NO_TEXT, _NO_TEXT, text, self.block_id(cuts))

    def fields(self, first: int, block: Block) -> None:
        """Keep a note of the plugin; its details contain the fields without a counterpart."""
        kind = kind_of(block.note_type)
        own = 1 if kind is Kind.CLOZE else 2
        # If all its fields are known and each has a counterpart, nothing in the note moves.
        if self._known.get(block.note_type) != own and not is_stock(block.note_type):
            self._report_type(first, block.note_type)
        about = About(first, kind, block.name, block.tags, self.details(block.fields[own:]))
        front, back = (each.cuts for each in (*block.fields[:own], _NO_FIELD, _NO_FIELD)[:2])
        if kind is Kind.CLOZE:
            self.cloze(about, front, self._curly)
        else:
            self.pair(about, front, back)

    def _report_type(self, first: int, note_type: str) -> None:
        """Report a note type that is not one of Anki's own, once per source."""
        if note_type not in self._reported:
            self._reported.add(note_type)
            message = f"the note type `{note_type}` is read as question, answer and details"
            fix, place = "check how these cards look", self.page.text.location(first)
            self.found.diagnostics.append(warning(place, "other-note-type", message, fix, len(note_type)))

    def _keep(self, about: About, heading: Text, body: Text, answer: Text, block_id: str) -> None:
        kind = about.kind
        typed = ""
        if kind is Kind.TYPED:
            line = answer.markdown.strip()
            is_plain = not _NOT_PLAIN.search(line)
            kind, typed, answer = (Kind.TYPED, line, Text()) if is_plain else (Kind.BASIC, "", answer)
        self.notes.append(
            Parts(
                place=self.page.text.location(about.at),
                deck=self.current,
                kind=kind,
                heading=heading,
                question=body,
                answer=answer,
                typed=typed,
                details=about.details,
                attributes=named("o2a", about.name) if about.name else named("block", block_id),
                tags=(*self.tags, *about.tags),
                certain=kind is not Kind.CLOZE,
            )
        )

    def details(self, fields: Sequence[Field]) -> Text:
        """Return fields without a counterpart as details, each below its name."""
        cuts: list[Cut] = []
        for name, lines in fields:
            if any(cut.text.strip() for cut in lines):
                first, *others = map(self.rewritten, lines)
                label = f"**{name}** " if name else ""
                cuts += [Cut("", first.at, 0), Cut(f"{label}{first.text}", first.at, 0), *others]
        return text_of(self.page, cuts)


def kind_of(note_type: str) -> Kind:
    """Return the kind for a note type by its name; an unknown name has the kind of the most similar one."""
    if known := _known().get(note_type.strip().casefold()):
        return known
    if _CLOZE.search(note_type):
        return Kind.CLOZE
    if _REVERSED.search(note_type):
        return Kind.REVERSED
    return Kind.TYPED if _TYPED.search(note_type) else Kind.BASIC


def is_stock(note_type: str) -> bool:
    """Whether a note type seems to be one of Anki's own or a copy, judging by its name."""
    return not note_type or note_type.strip().casefold() in _known() or bool(_STOCK.search(note_type))


@cache
def _known() -> Mapping[str, Kind]:
    names = tomllib.loads(Path(__file__).with_name("stock_types.toml").read_text("utf-8"))
    return MappingProxyType({name.casefold(): _KINDS[kind] for kind in names for name in names[kind]})
