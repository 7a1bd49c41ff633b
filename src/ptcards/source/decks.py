"""Names decks; finds the headings above cards, and `#` lines that end an answer by mistake."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from ptcards.diagnostics import Diagnostic, error, warning
from ptcards.files.names import in_words
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.notes import Text
from ptcards.source.anki_names import is_deck_level
from ptcards.source.attributes import Attributes
from ptcards.source.parts import DeckPart, Surroundings
from ptcards.source.sections import DeckBlocks
from ptcards.source.source import Source

MAX_DECK_LEVELS = 11
"""The maximum depth of a deck: Anki rejects a package with a deeper one (docs/anki.md, Decks)."""


def deck_name(
    around: Surroundings, source: Source, defaults: Attributes, deck: DeckPart
) -> tuple[str, list[Diagnostic]]:
    """Return the name of a deck in a source, and diagnostics; the source's `defaults` may set the name."""
    place = deck.place
    diagnostics: list[Diagnostic] = []
    above = [] if deck.replaces else [in_words(folder) for folder in source.name.split("/")[:-1]]
    levels = [*above, *deck.levels]
    if "deck" in defaults.places and not deck.replaces:
        # An empty `deck` means the deck of the collection.
        levels = [level.strip() for level in defaults.deck.split("::")] if defaults.deck else []
        place = defaults.places["deck"]
    lone = not around.configured and around.lone and deck.alone
    levels = levels if lone and len(levels) == 1 else [around.name, *levels]
    for level in levels[0 if lone else 1 :]:
        # Empty headings are reported elsewhere.
        if (level or defaults.deck) and not is_deck_level(level):
            shown = f"`{level}`" if level else "an empty level"
            fix = "use a name without `::`; for levels, use folders or `deck:` in the front matter"
            diagnostics.append(error(place, "bad-deck-name", f"{shown} cannot be a deck name", fix))
    if len(levels) > MAX_DECK_LEVELS:
        message = f"`{'::'.join(levels)}` has {len(levels)} levels; Anki imports at most {MAX_DECK_LEVELS}"
        fix = "use fewer folders, or `deck:` in the front matter"
        diagnostics.append(error(place, "deck-too-deep", message, fix))
    return "::".join(levels), diagnostics


def decks_in_answers(decks: Iterable[DeckBlocks], text: Text, lines: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each `#` line below a note, unless it clearly begins a deck.

    It does if there are blank lines around it and a note below it.
    """
    is_below_note = False
    for deck in decks:
        block = deck.heading
        if block is not None and is_below_note and not (deck.notes and _is_set_off(block, lines)):
            title = block.one_line
            # Underlined, indented and empty headings are already errors.
            if title and block.column == 1 and not block.setext:
                place = text.location(block.start, block.column)
                message = f"`# {title}` ends the answer above and starts a deck"
                fix = "if it is code, fence it; for a deck, put blank lines around it and a question below it"
                yield warning(place, "deck-in-answer", message, fix, len(title) + 2)
        is_below_note = is_below_note or bool(deck.notes)


def _is_set_off(block: Block, lines: Sequence[str]) -> bool:
    return not any(
        line.strip(" \t")
        for line in (*lines[block.start - 1 : block.start], *lines[block.end : block.end + 1])
    )


def plain_heading(heading: Block) -> str:
    """Return a heading as a deck name, without Markdown, because Anki would not render it."""
    # Keep `_` and `~`, even if they mark emphasis: a changed name would be a different deck, and learners who
    # already have the cards would only get new cards there.
    return " ".join(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", re.sub(r"[`*]", "", heading.one_line)).split())


class Context:
    """Finds the headings above a line of a source."""

    def __init__(self, document: Block) -> None:
        self._starts: list[int] = []
        self._titles: list[tuple[str, ...]] = []
        """for each heading, the titles of the headings that contain it, and its own title"""
        open_: list[tuple[int, str]] = []
        for block in document.children:
            if block.kind is BlockKind.HEADING:
                while open_ and open_[-1][0] >= block.level:
                    open_.pop()
                open_.append((block.level, plain_heading(block)))
                self._starts.append(block.start)
                self._titles.append(tuple(title for _, title in open_))

    def of(self, line: int) -> str:
        """Return the headings above a line (from 1), highest level first, except a heading on that line."""
        number = bisect_right(self._starts, line - 1) - 1
        if number < 0:
            return ""
        titles = self._titles[number]
        return " › ".join(filter(None, titles[:-1] if self._starts[number] == line - 1 else titles))
