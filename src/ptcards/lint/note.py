"""A note as the rules read it: scanned once, with code separate from prose and a location for every word."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ptcards.diagnostics import Diagnostic, Location
from ptcards.lint.passage import NO_DEFINITIONS, Formula, Passage, definitions_in
from ptcards.markdown.blocks import Block, BlockKind, scan
from ptcards.markdown.fences import read_info
from ptcards.markdown.inlines import SpanKind
from ptcards.markdown.paragraphs import paragraph_of, paragraphs
from ptcards.notes import Kind, Line, Note, Text
from ptcards.source.code import NoteCode, find_code

# The classes below have no slots, because `cached_property` caches what only a few rules need.


@dataclass(frozen=True)
class Code:
    """A block of code; `language` is the first word after the opening fence, in lower case, or empty."""

    text: Text
    block: Block
    language: str

    @property
    def rows(self) -> list[str]:
        """The lines of the code, without its fence or the indentation that makes it a block."""
        return [line.text for line in self.block.lines]

    @property
    def source(self) -> str:
        """The code as a single string."""
        return "\n".join(self.rows)

    @property
    def place(self) -> Location:
        """The location of the opening fence, or of the first line of indented code."""
        return self.text.location(self.block.start, self.block.column)

    def locate(self, row: int, column: int = 1) -> Location:
        """Return the location of a column (from 1) in a row (from 0) of the code."""
        line = self.block.lines[row]
        return self.text.location(line.index, line.column + column - 1)


@dataclass(frozen=True)
class Part:
    """A text of a note, called question, answer, option, comment, hint, details or sources."""

    name: str
    text: Text
    deletions: bool

    @cached_property
    def root(self) -> Block:
        """The text, scanned on demand because rules rarely look at the `sources` part."""
        return scan(self.text.markdown)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, outer ones first, without link and footnote definitions."""
        return tuple(_blocks(self.root))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The prose, including table cells."""
        definitions = definitions_in(self.root) if "]:" in self.text.markdown else NO_DEFINITIONS
        return tuple(
            Passage(self.text, each, definitions, self.deletions, block.kind is BlockKind.TABLE)
            for block in self.blocks
            for each in paragraphs(block)
        )

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """The blocks of code."""
        if not any(mark in self.text.markdown for mark in _CODE_MARKS):
            return ()
        return tuple(
            Code(self.text, block, read_info(block.info).language.lower())
            for block in self.blocks
            if block.kind in (BlockKind.FENCE, BlockKind.CODE)
        )

    @cached_property
    def words(self) -> int:
        """The number of words outside code blocks and tables."""
        return sum(passage.words for passage in self.passages if not passage.table)

    @property
    def place(self) -> Location:
        """The location of the first block."""
        first = self.root.children[0]
        return self.text.location(first.start, first.column)


@dataclass(frozen=True)
class Reading:
    """A note with its texts scanned; empty parts are left out."""

    note: Note
    heading: Passage
    parts: tuple[Part, ...]
    python: NoteCode

    def part(self, name: str) -> Part:
        """Return the first part with this name, or an empty part if the note has none.

        A choice can have several `option` and `comment` parts; its `answer` part is the explanation.
        """
        for part in self.parts:
            if part.name == name:
                return part
        return _NOTHING

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All prose, starting with the heading; sources are left out because they are mostly addresses."""
        found = [self.heading]
        for part in self.parts:
            if part.name != "sources":
                found += part.passages
        return tuple(found)

    @cached_property
    def prose(self) -> str:
        """The text of all passages, one per line; a rule that finds nothing here can skip the passages."""
        return "\n".join(passage.plain for passage in self.passages)

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas, in text and in `math` blocks."""
        return tuple(self._find_formulas())

    def _find_formulas(self) -> Iterator[Formula]:
        for passage in self.passages:
            for span in passage.all_spans:
                if span.kind in (SpanKind.MATH, SpanKind.DISPLAY_MATH):
                    yield Formula(passage, span.inner, passage.raw[span.inner : span.inner_end])
        for code in self.codes:
            if code.language == "math" and code.block.lines:
                lines = Passage(code.text, paragraph_of(code.block.lines), NO_DEFINITIONS, deletions=False)
                yield Formula(lines, 0, lines.raw)

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """All blocks of code."""
        return tuple(code for part in self.parts for code in part.codes)


def read(note: Note) -> tuple[Reading, list[Diagnostic]]:
    """Return a note with its texts scanned, and the problems found in its code without running it."""
    texts = [("question", note.question)]
    for choice in note.choices:
        texts += [("option", choice.text), ("comment", choice.comment)]
    texts += [
        ("answer", note.answer),
        ("hint", note.hint),
        ("details", note.details),
        ("sources", note.sources),
    ]
    cloze = note.kind is Kind.CLOZE
    python, diagnostics = find_code(note)
    reading = Reading(
        note,
        read_heading(note),
        tuple(Part(name, text, cloze and name == "answer") for name, text in texts if text.markdown.strip()),
        python,
    )
    return reading, diagnostics


def read_heading(note: Note) -> Passage:
    """Return the heading of a note."""
    # Definitions that the heading uses are appended below its line.
    heading, _, below = note.heading.markdown.partition("\n")
    definitions = definitions_in(scan(below)) if below else NO_DEFINITIONS
    return Passage(note.heading, paragraph_of([Line(heading, 0)]), definitions, deletions=False)


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children:
        if child.kind not in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
            yield child
            yield from _blocks(child)


_NOTHING = Part("", Text(), deletions=False)
_CODE_MARKS = ("```", "~~~", "    ", "\t")
"""Every text with a code block contains one of these fences or indentations."""
