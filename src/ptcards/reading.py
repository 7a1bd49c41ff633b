"""A note as the rules read it: scanned once, its code apart from its prose, every word with its place."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ptcards.diagnostics import Location
from ptcards.notes import Line, Note, Text
from ptcards.parsing.blocks import Block, BlockKind, scan

Limits = Mapping[str, int]

FILLER = "\ufffc"
"""Stands in a passage's `plain` for each character of code, maths, HTML and addresses."""

_WORD = re.compile(rf"[\w{FILLER}](?:[\w{FILLER}'’.\-/]*[\w{FILLER}])?")


@dataclass(frozen=True)
class Passage:
    """The text of one paragraph, heading or table.

    `raw` is what stands there, lines joined by LF; `plain` is as long, with `FILLER` for what is not prose.
    """

    text: Text
    lines: tuple[Line, ...]
    table: bool = False

    @cached_property
    def raw(self) -> str:
        """The lines as written."""
        return "\n".join(line.text for line in self.lines)

    @cached_property
    def plain(self) -> str:
        """The prose alone, at the same offsets."""
        return _INLINE.sub(lambda found: _masked(found[0]), self.raw)

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The code spans, without their back-ticks."""
        return tuple(found["code"].strip() for found in _INLINE.finditer(self.raw) if found["code"])

    @cached_property
    def words(self) -> int:
        """How many words there are; a code span or a formula counts as one."""
        return len(_WORD.findall(self.plain))

    def locate(self, offset: int = 0) -> Location:
        """Say where a character of `raw` stands in the file."""
        before = self.raw[:offset]
        line = self.lines[before.count("\n")]
        return self.text.location(line.index, line.column + offset - before.rfind("\n") - 1)


@dataclass(frozen=True)
class Code:
    """A block of code; `language` is the first word of its fence in lower case, empty without one."""

    text: Text
    block: Block
    language: str

    @property
    def source(self) -> str:
        """The code."""
        return "\n".join(line.text for line in self.block.lines)

    @property
    def place(self) -> Location:
        """Where its fence or first line begins."""
        return self.text.location(self.block.start, self.block.column)

    def locate(self, row: int, column: int = 1) -> Location:
        """Say where a column (from 1) of a row of the code (from 0) stands in the file."""
        line = self.block.lines[row]
        return self.text.location(line.index, line.column + column - 1)


@dataclass(frozen=True)
class Part:
    """One text of a note, by its name: question, answer, option, comment, hint, details or sources."""

    name: str
    text: Text
    root: Block

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, outer ones first; link and footnote definitions left out."""
        return tuple(_blocks(self.root))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The prose, tables included."""
        kinds = (BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.TABLE)
        return tuple(
            Passage(self.text, tuple(block.lines), block.kind is BlockKind.TABLE)
            for block in self.blocks
            if block.kind in kinds and block.lines
        )

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """The blocks of code."""
        return tuple(
            Code(self.text, block, (block.info.split() or [""])[0].lower())
            for block in self.blocks
            if block.kind in (BlockKind.FENCE, BlockKind.CODE)
        )

    @cached_property
    def words(self) -> int:
        """How many words stand outside code blocks and tables."""
        return sum(passage.words for passage in self.passages if not passage.table)

    @property
    def place(self) -> Location:
        """Where its first block begins."""
        first = self.root.children[0]
        return self.text.location(first.start, first.column)


@dataclass(frozen=True)
class Reading:
    """A note with its texts scanned; parts that are empty are left out."""

    note: Note
    heading: Passage
    parts: tuple[Part, ...]

    def part(self, name: str) -> Part:
        """Give a part by its name; one without blocks if the note has none."""
        return next((part for part in self.parts if part.name == name), _NOTHING)

    @property
    def passages(self) -> Iterator[Passage]:
        """All prose, heading first."""
        yield self.heading
        for part in self.parts:
            yield from part.passages

    @property
    def codes(self) -> Iterator[Code]:
        """All blocks of code."""
        for part in self.parts:
            yield from part.codes

    @property
    def length(self) -> int:
        """How many characters the line of the heading has, for a caret under all of it."""
        return self.heading.lines[0].column - 1 + len(self.heading.lines[0].text)


def read(note: Note) -> Reading:
    """Scan a note's texts."""
    texts = [("question", note.question)]
    for choice in note.choices:
        texts += [("option", choice.text), ("comment", choice.comment)]
    texts += [
        ("answer", note.answer),
        ("hint", note.hint),
        ("details", note.details),
        ("sources", note.sources),
    ]
    return Reading(
        note,
        # Definitions that the heading uses are appended below its line.
        Passage(note.heading, (Line(note.heading.markdown.partition("\n")[0], 0),)),
        tuple(Part(name, text, scan(text.markdown)) for name, text in texts if text.markdown.strip()),
    )


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children:
        if child.kind not in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
            yield child
            yield from _blocks(child)


def _masked(found: str) -> str:
    return "".join("\n" if char == "\n" else FILLER for char in found)


_INLINE = re.compile(
    r"""\\[!-/:-@\[-`{-~]
    | (?P<ticks>`+)(?!`)(?P<code>.*?[^`])(?P=ticks)(?!`)
    | <(?:[A-Za-z][\w+.-]*:[^<>\s]*|/?[A-Za-z][^<>]*)>
    | (?P<dollars>\$\$?)(?=\S)[^$]*?(?<![\s\\])(?P=dollars)(?!\d)
    | (?<=\])\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+"[^"]*")?\)
    | https?://\S+
    """,
    re.DOTALL | re.VERBOSE,
)

_NOTHING = Part("", Text(), scan(""))
