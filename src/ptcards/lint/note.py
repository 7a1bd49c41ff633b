"""A note as the rules read it: scanned once, with code separate from prose and a location for every word."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ptcards.diagnostics import Diagnostic, Location
from ptcards.markdown.blocks import Block, BlockKind, scan
from ptcards.markdown.fences import read_info
from ptcards.markdown.inlines import Span, SpanKind, read_inlines
from ptcards.markdown.paragraphs import LinkTarget, Paragraph, footnotes, paragraph_of, paragraphs, targets
from ptcards.notes import Kind, Line, Note, Text
from ptcards.source.code import NoteCode, find_code

FILLER = "\ufffc"
"""Replaces each character of code, maths and addresses in a passage's `plain`."""

_WORD = re.compile(rf"[\w{FILLER}](?:[\w{FILLER}'’.\-/]*[\w{FILLER}])?")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""Letters of languages written without spaces between words, and of Korean, which has few."""

# The classes below have no slots: properties that only a few rules need are cached by `cached_property`.


@dataclass(frozen=True, slots=True)
class Definitions:
    """The link targets and footnotes that a part's text may refer to, by label."""

    targets: Mapping[str, LinkTarget]
    footnotes: Collection[str]


_NO_DEFINITIONS = Definitions({}, ())


@dataclass(frozen=True)
class Passage:
    """The text of one paragraph, heading or table cell.

    `plain` is as long as `raw`; `FILLER` replaces what is not prose, and spaces replace HTML.
    """

    text: Text
    paragraph: Paragraph
    definitions: Definitions
    deletions: bool
    """whether `{{c1::…}}` is a deletion here"""
    table: bool = False

    @property
    def raw(self) -> str:
        """The source text, with lines joined by LF."""
        return self.paragraph.text

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Code, maths, HTML, links and similar spans, without nested ones."""
        found = read_inlines(
            self.raw, self.definitions.targets, self.definitions.footnotes, deletions_too=self.deletions
        )
        return tuple(found.spans)

    @cached_property
    def plain(self) -> str:
        """Only the prose, on one line, at the same offsets."""
        text = self.raw
        if self.spans:
            characters = list(text)
            _mask(characters, self.spans)
            text = "".join(characters)
        return text.replace("\n", " ")

    @cached_property
    def all_spans(self) -> tuple[Span, ...]:
        """All spans, outer ones first."""
        return tuple(_flat(self.spans)) if self.spans else ()

    @property
    def codes(self) -> tuple[str, ...]:
        """The contents of the code spans."""
        return tuple(span.text for span in self.all_spans if span.kind is SpanKind.CODE)

    @cached_property
    def words(self) -> int:
        """The number of words.

        A code span or a formula counts as one word, and so do two characters in languages without spaces.
        """
        text = self.plain
        if text.isascii():
            return len(_WORD.findall(text))
        return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (len(_UNSPACED.findall(text)) + 1) // 2

    def locate(self, offset: int = 0) -> Location:
        """Return the location of a character of `raw` in the file."""
        index, column = self.paragraph.place(offset)
        return self.text.location(index, column)


@dataclass(frozen=True, slots=True)
class Formula:
    """The TeX source of a formula, which begins at an offset in a passage."""

    passage: Passage
    start: int
    source: str

    def locate(self, offset: int) -> Location:
        """Return the location of a character of the TeX source in the file."""
        return self.passage.locate(self.start + offset)


@dataclass(frozen=True)
class Code:
    """A block of code; `language` is the first word after its fence in lower case, or empty."""

    text: Text
    block: Block
    language: str

    @property
    def rows(self) -> list[str]:
        """The lines of the code, without the fence or indentation that marks the block."""
        return [line.text for line in self.block.lines]

    @property
    def source(self) -> str:
        """The code."""
        return "\n".join(self.rows)

    @property
    def place(self) -> Location:
        """The location of its fence or first line."""
        return self.text.location(self.block.start, self.block.column)

    def locate(self, row: int, column: int = 1) -> Location:
        """Return the location of a column (from 1) in a row (from 0) of the code."""
        line = self.block.lines[row]
        return self.text.location(line.index, line.column + column - 1)


@dataclass(frozen=True)
class Part:
    """One text of a note, with its name: question, answer, option, comment, hint, details or sources."""

    name: str
    text: Text
    deletions: bool

    @cached_property
    def root(self) -> Block:
        """The scanned text; scanned on demand, because sources rarely need it."""
        return scan(self.text.markdown)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, outer ones first, without link and footnote definitions."""
        return tuple(_blocks(self.root))

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """The prose, including tables."""
        definitions = _definitions(self.root) if "]:" in self.text.markdown else _NO_DEFINITIONS
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
        """The location of its first block."""
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
        """Return a part by its name; if the note does not have it, a part without blocks."""
        for part in self.parts:
            if part.name == name:
                return part
        return _NOTHING

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """All prose, with the heading first; without sources, which are addresses rather than prose."""
        found = [self.heading]
        for part in self.parts:
            if part.name != "sources":
                found += part.passages
        return tuple(found)

    @cached_property
    def prose(self) -> str:
        """The text of all passages, one per line: a rule that finds nothing here can skip them."""
        return "\n".join(passage.plain for passage in self.passages)

    @cached_property
    def formulas(self) -> tuple[Formula, ...]:
        """All maths, in text and in blocks."""
        return tuple(self._find_formulas())

    def _find_formulas(self) -> Iterator[Formula]:
        for passage in self.passages:
            for span in passage.all_spans:
                if span.kind in (SpanKind.MATH, SpanKind.DISPLAY_MATH):
                    yield Formula(passage, span.inner, passage.raw[span.inner : span.inner_end])
        for code in self.codes:
            if code.language == "math" and code.block.lines:
                lines = Passage(code.text, paragraph_of(code.block.lines), _NO_DEFINITIONS, deletions=False)
                yield Formula(lines, 0, lines.raw)

    @cached_property
    def codes(self) -> tuple[Code, ...]:
        """All blocks of code."""
        return tuple(code for part in self.parts for code in part.codes)


def read(note: Note) -> tuple[Reading, list[Diagnostic]]:
    """Return a note with its texts scanned, and the problems in its code that need no run to be seen."""
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
    """Return only the heading of a note."""
    # Definitions that the heading uses are appended below its line.
    heading, _, below = note.heading.markdown.partition("\n")
    definitions = _definitions(scan(below)) if below else _NO_DEFINITIONS
    return Passage(note.heading, paragraph_of([Line(heading, 0)]), definitions, deletions=False)


def _definitions(document: Block) -> Definitions:
    return Definitions(targets(document), footnotes(document))


def _flat(spans: Iterable[Span]) -> Iterator[Span]:
    for span in spans:
        yield span
        yield from _flat(span.children)


def _blocks(block: Block) -> Iterator[Block]:
    for child in block.children:
        if child.kind not in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
            yield child
            yield from _blocks(child)


def _mask(characters: list[str], spans: Iterable[Span]) -> None:
    """Overwrite everything that is not prose: marks, addresses, code."""
    for span in spans:
        match span.kind:
            case SpanKind.TEXT | SpanKind.BREAK:
                continue
            case SpanKind.LINK | SpanKind.DELETION:
                hidden = [(span.start, span.inner), (span.inner_end, span.end)]
                _mask(characters, span.children)
            case _:
                hidden = [(span.start, span.end)]
        # A tag is not a word, but it separates words.
        filler = " " if span.kind is SpanKind.HTML else FILLER
        for start, end in hidden:
            characters[start:end] = filler * (end - start)


_NOTHING = Part("", Text(), deletions=False)
_CODE_MARKS = ("```", "~~~", "    ", "\t")
"""What every text with a code block contains: a fence, or indentation."""
