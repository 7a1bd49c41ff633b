"""Decks that nobody meant: `#` lines, of code without a fence for instance, that cut an answer off."""

from collections.abc import Iterable, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, warning
from ptcards.markdown.blocks import Block
from ptcards.notes import Text
from ptcards.source.sections import DeckBlocks


def decks_in_answers(decks: Iterable[DeckBlocks], text: Text, lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Report each `#` line below a note, unless it is plainly a deck: set off by blank lines, with a note of its own."""
    is_below_note = False
    for deck in decks:
        block = deck.heading
        if block is not None and is_below_note and not (deck.notes and _is_set_off(block, lines)):
            title = " ".join(line.text for line in block.lines).strip()
            # Underlined, indented and empty ones are errors already.
            if title and block.column == 1 and not block.setext:
                place = text.location(block.start, block.column)
                message = f"`# {title}` ends the answer above and begins a deck"
                fix = "fence the code; for a deck, put blank lines around the heading and a question below it"
                yield warning(place, "deck-in-answer", message, fix, len(title) + 2)
        is_below_note = is_below_note or bool(deck.notes)


def _is_set_off(block: Block, lines: Sequence[str]) -> bool:
    return not any(
        line.strip(" \t")
        for line in (*lines[block.start - 1 : block.start], *lines[block.end : block.end + 1])
    )
