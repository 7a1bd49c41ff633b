"""Sorts the blocks of a source into decks, notes and their sections, and names the decks."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, Trait, error, warning
from ptcards.diagnostics.suggest import suggest
from ptcards.files.inputs import in_words
from ptcards.markdown import tree
from ptcards.markdown.inlines import without_code
from ptcards.markdown.tree import Block, paragraph_of, paragraphs
from ptcards.notes import Line, Text
from ptcards.notes.labels import section_words
from ptcards.notes.notetypes import NoteType
from ptcards.source.attributes import (
    UNSET,
    Attributes,
    is_bare_comment,
    is_card_comment,
    misspelt_card_comment,
    read_card_comment,
    settings_alone,
)
from ptcards.source.collection import CollectionFacts
from ptcards.source.content import check_headings
from ptcards.source.page import DeckPart
from ptcards.source.source import Source
from ptcards.source.valid_names import MAX_DECK_LEVELS, is_deck_level

SECTIONS = ("Answer", "Hint", "Details", "Sources")

_LEAVES = frozenset({tree.PARAGRAPH, tree.HEADING, tree.HTML, tree.TABLE})
_COMMENT = re.compile(r"<!--.*?(?=-->|\n|\Z)")
_SHORT = 80
"""A comment with fewer characters than this is repeated in advice."""


TypeOf = Callable[[Attributes], NoteType | None]
"""Returns the collection's own note type that a note's settings select, or `None`."""


@dataclass(slots=True)
class NoteBlocks:
    """The blocks of one note by section; those above the first section are under `body`."""

    heading: Block
    title: Sequence[Line] = ()
    """the heading's text, without the mark that makes it a card"""
    chapters: tuple[Block, ...] = ()
    """the headings between the deck's heading and this one"""
    body: list[Block] = field(default_factory=list)
    sections: dict[str, list[Block]] = field(default_factory=dict)
    attributes: Attributes = UNSET


@dataclass(slots=True)
class DeckBlocks:
    """The notes under one `#` heading; `heading` is `None` for those above the first `#` heading."""

    heading: Block | None
    description: list[Block] = field(default_factory=list)
    notes: list[NoteBlocks] = field(default_factory=list)


@dataclass(slots=True)
class SourceBlocks:
    """A source's decks, and problems with its structure."""

    decks: list[DeckBlocks] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


class Sorter:
    """Sorts the blocks of a source, without front matter, into decks, notes and sections.

    Questions are the headings of `level`. If the attributes of a note select a note type, its sections are
    the fields of that type.
    """

    def __init__(self, text: Text, level: int, type_of: TypeOf) -> None:
        self.text = text
        self.type_of = type_of
        self.level = level
        self.result = SourceBlocks(decks=[DeckBlocks(None)])
        self.note: NoteBlocks | None = None
        self.into: list[Block] | None = None
        self.chapters: tuple[Block, ...] = ()
        self.fresh = False
        self.section = ""

    def run(self, document: Block) -> SourceBlocks:
        """Return the sorted blocks of a source."""
        for block in document.children:
            if block.kind is tree.HEADING and block.level <= self.level + 1:
                self._heading(block)
                continue
            if block.is_comment:
                self._comment(block)
            elif block.kind in tree.DEFINITIONS:
                self._misplaced_comments(block)
            else:
                self._content(block)
        for deck in self.result.decks:
            deck.notes = [note for note in deck.notes if not note.attributes.skip]
        return self.result

    def _error(self, block: Block, rule: str, message: str, fix: str, **about: Any) -> None:
        place = self.text.location(block.start, block.column)
        self.result.diagnostics.append(error(place, rule, message, fix, **about))

    def _warn(self, block: Block, rule: str, message: str, fix: str, **about: Any) -> None:
        place = self.text.location(block.start, block.column)
        self.result.diagnostics.append(warning(place, rule, message, fix, **about))

    def _heading(self, block: Block) -> None:
        title = self._check_heading(block)
        if block.setext and block.level > 1 and self.note is not None:
            self._content(block)  # most likely a paragraph above a rule
            return
        if block.level == 1:
            self.result.decks.append(DeckBlocks(block))
            self.note, self.into, self.section = None, self.result.decks[-1].description, ""
            self.chapters = ()
        elif block.level < self.level:
            self.chapters = (*(chapter for chapter in self.chapters if chapter.level < block.level), block)
            self.note, self.into, self.section = None, [], ""
        elif block.level == self.level:
            self._begin_note(block, block.lines)
        else:
            self._section(block, title)
        self._misplaced_comments(block)

    def _begin_note(self, block: Block, title: Sequence[Line]) -> None:
        self.note = NoteBlocks(block, title, self.chapters)
        self.result.decks[-1].notes.append(self.note)
        self.into, self.fresh, self.section = self.note.body, True, ""

    def _check_heading(self, block: Block) -> str:
        """Return a heading's text; report a heading that is valid only on GitHub."""
        title = block.one_line
        marks = "#" * block.level
        if block.setext:
            fix = (
                f"write `{marks} {title}`, or put a blank line above the dashes if you meant a "
                "horizontal rule"
            )
            message = "text underlined with `---` or `===` is a heading on GitHub"
            self._error(block, "underlined-heading", message, fix, length=len(title) or 1)
        elif block.column > 1:
            fix = f"begin the line with `{marks}`, or indent it by four spaces if it is code"
            # A comment in code would end the answer, and a deck takes the text below it off the cards.
            report = self._error if block.level == 1 else self._warn
            report(block, "indented-heading", f"an indented `{marks}` heading", fix, length=block.level)
        if not title:
            rule, what = {
                1: ("empty-deck", "deck without a name"),
                self.level: ("empty-question", "question without text"),
            }.get(block.level, ("empty-section", "section without a name"))
            fix = "write it after the `#`, or remove the line"
            self._error(block, rule, f"a {what}", fix, length=block.level)
        return title

    def _section(self, block: Block, title: str) -> None:
        marks = "#" * block.level
        section = next((name for name in SECTIONS if name.casefold() == title.casefold()), None)
        note_type = self.type_of(self.note.attributes) if self.note else None
        names: Sequence[str] = SECTIONS
        if note_type is not None:  # names of fields are case-sensitive, and other headings are text
            names = note_type.field_names
            section = title if title in names else None
        if self.note is None:
            self._content(block)
        elif section is not None:
            self.fresh = False
            if section in self.note.sections:
                message, length = f"a second `{marks} {section}` in one note", len(marks) + 1 + len(title)
                self._error(block, "section-twice", message, "merge them into one", length=length)
            self.into = self.note.sections.setdefault(section, [])
            self.section = section
        elif self.section and self.section != "Answer" and note_type is None:
            near = suggest(title, SECTIONS)
            fix = (
                f"write `{marks} {near}`, or `#{marks} {title}`"
                if near
                else f"write `#{marks} {title}`, or move it above `{marks} {self.section}`"
            )
            message = f"`{marks} {title}` is not a section, but comes after `{marks} {self.section}`"
            self._warn(block, "heading-after-section", message, fix, length=len(marks) + 1 + len(title))
            self._content(block)
        else:
            word = section_words().get(title.casefold()) if note_type is None else None
            if near := word or suggest(title, names):
                message = f"`{marks} {title}` is part of the text"
                fix = f"write `{marks} {near}` if you meant the section, or `#{marks} {title}`"
                self._warn(block, "misspelt-section", message, fix, length=len(marks) + 1 + len(title))
            self._content(block)

    def _comment(self, block: Block) -> None:
        comment = block.text
        if "-->" not in comment:
            self._error(
                block,
                "unclosed-comment",
                "an unclosed comment hides the rest of the file",
                "close it with `-->`",
                length=4,
                traits=Trait.MISLEADING,
            )
        elif is_card_comment(comment.lstrip(" ")):
            self._card_comment(block, comment)
        elif is_bare_comment(comment) and self.fresh:
            self.fresh = False
        elif word := misspelt_card_comment(comment.lstrip(" ")):
            self._error(
                block,
                "misspelt-card-comment",
                f"`<!-- {word}` is not recognised as a card comment",
                f"write `{_corrected(comment, word)}`",
                length=len(word) + 5,
            )
        elif comment.rstrip().endswith("-->") and comment.count("-->") == 1:
            if self.fresh and (settings := settings_alone(comment)):
                message = "a comment with settings but without `card:` sets nothing"
                fix = f"did you mean `<!-- card: {' '.join(settings.split())} -->`?"
                length = len(comment.partition("\n")[0].rstrip())
                self._warn(block, "misspelt-card-comment", message, fix, length=length)
            if self.into is not None:
                self.into.append(block)
        else:
            self._content(block)

    def _card_comment(self, block: Block, comment: str) -> None:
        if not self.fresh or self.note is None or block.column > 1:
            below = "that is indented" if self.fresh else "that is not directly below its heading"
            where = "outside any note" if self.note is None else below
            fix = "move it to the line below the `##` heading; use one comment per note"
            self._error(block, "misplaced-card-comment", f"a card comment {where}", fix, length=4)
            return

        starts = [0, *(found.end() for found in re.finditer("\n", comment))]

        def locate(offset: int) -> Location:
            row = bisect_right(starts, offset) - 1
            line = block.lines[row]
            return self.text.location(line.index, line.column + offset - starts[row])

        self.fresh = False
        self.note.attributes, diagnostics = read_card_comment(comment, locate)
        self.result.diagnostics += diagnostics
        if self.note.attributes.skip:
            self._skipped(block)
            self.note, self.into = None, []

    def _skipped(self, comment: Block) -> None:
        """Handle a question whose comment excludes it."""

    def _content(self, block: Block) -> None:
        self.fresh = False
        self._misplaced_comments(block)
        if self.into is None:
            fix = "move it below the first `#` or `##` heading, or turn it into a comment"
            message, traits = "text before the first heading belongs to no note", Trait.STRAY_TEXT
            self._warn(block, "text-before-heading", message, fix, traits=traits | Trait.OWN_FORMAT)
            self.into = self.result.decks[0].description
        else:
            if block.kind is tree.PARAGRAPH and self.into is self.result.decks[-1].description:
                self._glued_headings(block)
            self.into.append(block)

    def _glued_headings(self, paragraph: Block) -> None:
        """Report questions that became the description of a deck because they lack a space after `##`."""
        for problem, index, column in check_headings(paragraph):
            self.result.diagnostics.append(problem.at(self.text.location(index, column)))

    def _misplaced_comments(self, block: Block) -> None:
        """Report card comments inside other text, even misspelt ones, which would be dropped silently."""
        for child in block.children:
            self._misplaced_comments(child)
        if block.kind not in _LEAVES or not any("<!--" in line.text for line in block.lines):
            return
        found_in = [paragraph_of(block.lines)] if block.kind is tree.HTML else paragraphs(block)
        for paragraph in found_in:
            text = paragraph.text if block.kind is tree.HTML else without_code(paragraph.text)
            for found in _COMMENT.finditer(text):
                if is_card_comment(found[0]) or misspelt_card_comment(found[0]):
                    place = self.text.location(*paragraph.place(found.start()))
                    fix = "move it to the line below the `##` heading, alone, as `<!-- card: key=value -->`"
                    message = "a card comment inside other text"
                    self.result.diagnostics.append(error(place, "misplaced-card-comment", message, fix, 4))


def _corrected(comment: str, word: str) -> str:
    """Return what a card comment with a misspelt first word should be."""
    corrected = " ".join(comment.replace(word, "card:", 1).split())
    return corrected if len(corrected) < _SHORT else "<!-- card: key=value -->"


def deck_name(
    facts: CollectionFacts, source: Source, defaults: Attributes, deck: DeckPart
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
    lone = not facts.configured and facts.lone and deck.alone
    levels = levels if lone and len(levels) == 1 else [source.settings.root or facts.name, *levels]
    for level in levels[0 if lone else 1 :]:
        # Empty headings are reported elsewhere.
        if (level or defaults.deck) and not is_deck_level(level):
            shown = f"`{level}`" if level else "an empty level"
            fix = "use a name without `::`; for levels, use folders or `deck:` in the front matter"
            if level.lower() == "default":
                fix = "use another name: Anki has its own deck `Default`"
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


class HeadingPath:
    """Finds the headings above a line of a source."""

    def __init__(self, document: Block) -> None:
        self._starts: list[int] = []
        self._titles: list[tuple[str, ...]] = []
        """for each heading, the titles of the headings that contain it, and its own title"""
        open_: list[tuple[int, str]] = []
        for block in document.children:
            if block.kind is tree.HEADING:
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
