"""Finds other people's questions that are in no note of their own."""

import re
from collections.abc import Iterable, Iterator

from ptcards.diagnostics import Diagnostic, warning
from ptcards.extensions.dialects.formats import BOLD_QUESTIONS
from ptcards.markdown.blocks import scan
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Note
from ptcards.source.dialects import settings_for
from ptcards.source.page import Page

_ASKS = re.compile(r"[?？][^\w\n?？[]*(?:\[[^\n?？]*)?\Z")
"""Matches the end of a question, and the links to its sources after it."""
_BOLD = re.compile(r"\s*(?:\d+[.)]\s+)?(\*\*|__)(?P<text>[^*_\n]+)\1[^\w*]*\Z")
_FEWEST_HEADINGS = 2
_FEWEST_BOLD = 3


def questions_below(page: Page, notes: Iterable[Note]) -> Iterator[Diagnostic]:
    """Yield a warning for each answer that contains several questions, as headings or in bold."""
    for note in notes:
        text = note.answer.markdown
        if not (("#" in text or "**" in text or "__" in text) and ("?" in text or "？" in text)):
            continue
        blocks = list(_blocks(scan(text)))
        headings = [each for each in blocks if each.kind is BlockKind.HEADING and _ASKS.search(each.one_line)]
        bold = [each for each in blocks if each.kind is BlockKind.PARAGRAPH and _asks_in_bold(each)]
        if len(headings) >= _FEWEST_HEADINGS:
            what = f"{len(headings)} question headings"
            setting = f"`question-level: {headings[0].level}` in the front matter"
        elif len(bold) >= _FEWEST_BOLD and page.settings.dialect != "details":
            what, setting = f"{len(bold)} questions in bold", settings_for(BOLD_QUESTIONS)
        else:
            continue
        fix = f"if they are separate questions, set {setting}"
        yield warning(note.location, "questions-below", f"{what} are part of this answer", fix, 2)


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children:
        yield child
        yield from _blocks(child)


def _asks_in_bold(block: Block) -> bool:
    found = _BOLD.match(block.lines[0].text) if len(block.lines) == 1 else None
    return bool(found and _ASKS.search(found["text"]))
