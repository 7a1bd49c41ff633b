"""A note as the rules read it: scanned once, with code separate from prose and a location for every word.

Rules that compare notes read an overview of each, which is cached with its source.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Generic, NamedTuple, TypeVar

from ptcards.anki.tex import UNKNOWN_NAMES, TexProblem, definitions_of, problems_in
from ptcards.diagnostics import Diagnostic, Location
from ptcards.identity.hashes import SHORTEST, answer_texts
from ptcards.markdown import tree
from ptcards.markdown.blocks import scan
from ptcards.markdown.fences import OUTPUT, drawing_of, read_info
from ptcards.markdown.inlines import read_inlines
from ptcards.markdown.macros import Expansion, expand
from ptcards.markdown.tree import (
    Block,
    LinkTarget,
    Paragraph,
    Span,
    SpanKind,
    footnotes,
    paragraph_of,
    paragraphs,
    targets,
)
from ptcards.notes import Kind, Line, Note, Text
from ptcards.packing import CachePart
from ptcards.source.code_blocks import NoteCode, code_problems
from ptcards.source.recipes import ByNote, Making, by_note
from ptcards.value_class import value_class, value_class_with_cache

T = TypeVar("T")

FILLER = "\x7f"
"""Replaces each character of code, formulas and addresses in a passage's `plain`.

No source has this control character, and a text in ASCII takes less time than others.
"""

_WORD = re.compile(r"\w(?:[\w'’.\-/]*\w)?")
_JOINING = b"'.-/"
_SPACED = bytes(code if re.match(r"\w", chr(code), re.ASCII) else 32 for code in range(128)).ljust(256)
_SHOWN = frozenset({SpanKind.TEXT, SpanKind.BREAK})
_SHOWN_INSIDE = frozenset({SpanKind.LINK, SpanKind.DELETION})
_COVERS = {SpanKind.HTML: " "}
"""What replaces a tag: it is not a word, but it separates words."""
_UNSPACED = r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
"""Letters of languages written without spaces between words, and of Korean, which uses few spaces.

It is compiled when first used, which takes 2 ms.
"""


class lazy(Generic[T]):  # noqa: N801 - used like a property
    """A `cached_property` without the lock of Python 3.11, which takes half of the time of most rules.

    The classes below have no slots, because their objects keep the values.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self.make = make
        self.name = make.__name__
        self.__doc__ = make.__doc__

    def __get__(self, instance: object, _owner: type) -> T:
        value = instance.__dict__[self.name] = self.make(instance)
        return value


@value_class
class LinkTargets:
    """The link targets and footnotes that a text can refer to, by label."""

    targets: Mapping[str, LinkTarget]
    footnotes: Collection[str]


NO_DEFINITIONS = LinkTargets({}, ())


@value_class_with_cache
class Passage:
    """The text of one paragraph, heading or table cell.

    `plain` is as long as `raw`: spaces replace HTML, and `FILLER` replaces everything else that is not prose.
    """

    text: Text
    paragraph: Paragraph
    definitions: LinkTargets
    deletions: bool
    """Whether `{{c1::…}}` is a deletion here."""
    table: bool = False

    @lazy
    def raw(self) -> str:
        """The source text; its lines are joined by LF."""
        return self.paragraph.text

    @lazy
    def spans(self) -> tuple[Span, ...]:
        """Code, maths, HTML, links and similar spans, without nested ones."""
        inlines = read_inlines(
            self.raw, self.definitions.targets, self.definitions.footnotes, deletions_too=self.deletions
        )
        return tuple(inlines.spans)

    @lazy
    def plain(self) -> str:
        """The prose on one line; each word has the same offset as in `raw`."""
        text, at = self.raw, 0
        parts: list[str] = []
        for start, end, filler in _hidden(self.spans):
            parts += [text[at:start], filler * (end - start)]
            at = end
        return "".join([*parts, text[at:]]).replace("\n", " ")

    @lazy
    def all_spans(self) -> tuple[Span, ...]:
        """All spans, outer ones first."""
        nested = any(span.children for span in self.spans) if self.spans else False
        return tuple(_flat(self.spans)) if nested else self.spans

    @property
    def hidden(self) -> tuple[Span, ...]:
        """The cloze deletions."""
        return tuple(span for span in self.all_spans if span.kind is SpanKind.DELETION)

    @property
    def codes(self) -> tuple[str, ...]:
        """The contents of the code spans."""
        return tuple(span.text for span in self.all_spans if span.kind is SpanKind.CODE)

    @lazy
    def words(self) -> int:
        """The number of words.

        A code span or a formula counts as one word. In languages without spaces, two characters do.
        """
        text = self.plain.replace(FILLER, "x")
        if text.isascii():  # the same words, in a small part of the time
            return len(text.encode().translate(_SPACED, _JOINING).split())
        text, unspaced = re.subn(_UNSPACED, " ", text)
        return len(_WORD.findall(text)) + (unspaced + 1) // 2

    def locate(self, offset: int = 0) -> Location:
        """Return the location of a character of `raw` in the file."""
        index, column = self.paragraph.place(offset)
        return self.text.location(index, column)


@value_class
class Formula:
    """The TeX source of a formula, which begins at an offset in a passage."""

    passage: Passage
    start: int
    source: str

    def locate(self, offset: int) -> Location:
        """Return the location of a character of the TeX source in the file."""
        return self.passage.locate(self.start + offset)


def definitions_in(document: Block) -> LinkTargets:
    """Return the link targets and footnotes that blocks define."""
    return LinkTargets(targets(document), footnotes(document))


def _flat(spans: Iterable[Span]) -> Iterator[Span]:
    for span in spans:
        yield span
        yield from _flat(span.children)


def _hidden(spans: Iterable[Span]) -> Iterator[tuple[int, int, str]]:
    """Yield where everything is that is not prose, such as marks, addresses and code, and what covers it."""
    for span in spans:
        if span.kind in _SHOWN_INSIDE:
            yield span.start, span.inner, FILLER
            yield from _hidden(span.children)
            yield span.inner_end, span.end, FILLER
        elif span.kind not in _SHOWN:
            yield span.start, span.end, _COVERS.get(span.kind, FILLER)


@value_class_with_cache
class Code:
    """A block of code; `language` is the first word after the opening fence, in lower case, or empty."""

    text: Text
    block: Block
    language: str

    @lazy
    def rows(self) -> list[str]:
        """The lines of the code, without its fence or the indentation that makes it a block."""
        return [line.text for line in self.block.lines]

    @lazy
    def source(self) -> str:
        """The code as a single string."""
        return "\n".join(self.rows)

    @property
    def place(self) -> Location:
        """The location of the opening fence, or of the first line of indented code."""
        return self.text.location(self.block.start, self.block.column)

    @property
    def opening(self) -> str:
        """What stands at `place`: the fence with its language, or the first line of indented code."""
        return self.block.marker + self.language or self.rows[0]

    def locate(self, row: int, column: int = 1) -> Location:
        """Return the location of a column (from 1) in a row (from 0) of the code."""
        line = self.block.lines[row]
        return self.text.location(line.index, line.column + column - 1)


@value_class_with_cache
class Part:
    """A text of a note, called question, answer, option, comment, hint, details or sources."""

    name: str
    text: Text
    deletions: bool

    @lazy
    def root(self) -> Block:
        """The text, scanned on demand because rules rarely look at the `sources` part."""
        return scan(self.text.markdown)

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, outer ones first, without link and footnote definitions."""
        blocks: list[Block] = []
        _add_blocks(self.root, blocks)
        return tuple(blocks)

    @lazy
    def passages(self) -> tuple[Passage, ...]:
        """The prose, including table cells."""
        definitions = definitions_in(self.root) if "]:" in self.text.markdown else NO_DEFINITIONS
        return tuple(
            Passage(self.text, paragraph, definitions, self.deletions, block.kind is tree.TABLE)
            for block in self.blocks
            for paragraph in paragraphs(block)
        )

    @lazy
    def fences(self) -> tuple[Code, ...]:
        """The blocks of code, and the diagrams."""
        if not any(mark in self.text.markdown for mark in _CODE_MARKS):
            return ()
        return tuple(
            Code(self.text, block, read_info(block.info).language.lower())
            for block in self.blocks
            if block.kind in (tree.FENCE, tree.CODE)
        )

    @lazy
    def codes(self) -> tuple[Code, ...]:
        """The blocks of code."""
        return tuple(code for code in self.fences if not drawing_of(code.block))

    @lazy
    def words(self) -> int:
        """The number of words outside code blocks and tables."""
        return sum(passage.words for passage in self.passages if not passage.table)

    @property
    def place(self) -> Location:
        """The location of the first block."""
        first = self.root.children[0]
        return self.text.location(first.start, first.column)


@value_class_with_cache
class Reading:
    """A note with its texts scanned; empty parts are left out."""

    note: Note
    heading: Passage
    parts: tuple[Part, ...]
    python: NoteCode
    macros: frozenset[str] = frozenset()
    """the names of the collection's macros for formulas"""

    def part(self, name: str) -> Part:
        """Return the first part with this name, or an empty part if the note has none.

        A choice can have several `option` and `comment` parts; its `answer` part is the explanation.
        """
        for part in self.parts:
            if part.name == name:
                return part
        return _NOTHING

    @lazy
    def passages(self) -> tuple[Passage, ...]:
        """All prose, starting with the heading; sources are left out because they are mostly addresses."""
        passages = [self.heading]
        for part in self.parts:
            if part.name != "sources":
                passages += part.passages
        return tuple(passages)

    def place_of(self, written: str) -> Location:
        """Return where the note first writes something, or where it begins if no passage has it."""
        for passage in self.passages:
            if written in passage.raw:
                return passage.locate(passage.raw.index(written))
        return self.note.location

    @lazy
    def prose(self) -> str:
        """The text of all passages, one per line; a rule that finds nothing here can skip the passages."""
        return "\n".join([passage.plain for passage in self.passages])

    @lazy
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas, in text and in `math` blocks."""
        return tuple(self._find_formulas())

    @lazy
    def tex_problems(self) -> tuple[tuple[Formula, TexProblem], ...]:
        """What Anki's MathJax refuses in the formulas, with their macros expanded.

        What the definition of a macro lacks is reported where it is used, except for unknown names.
        """
        if not self.formulas:
            return ()
        cloze = self.note.kind is Kind.CLOZE
        if not self.note.macros and not cloze:  # nothing to expand, which takes as long as looking
            defined = definitions_of("\n".join(each.source for each in self.formulas))
            return tuple(
                (formula, problem)
                for formula in self.formulas
                for problem in problems_in(formula.source, defined, self.macros)
            )
        known = {macro.name: macro for macro in self.note.macros}
        expansions = [expand(each.source, known, deletions=cloze) for each in self.formulas]
        defined = definitions_of("\n".join(expansion.without_deletions for expansion in expansions))
        return tuple(
            (formula, problem)
            for formula, expansion in zip(self.formulas, expansions, strict=True)
            if not expansion.mistake
            for found in problems_in(expansion.without_deletions, defined, self.macros)
            if (problem := _as_written(found, expansion))
        )

    def _find_formulas(self) -> Iterator[Formula]:
        for passage in self.passages:
            for span in passage.all_spans if "$" in passage.raw else ():
                if span.kind in (SpanKind.MATH, SpanKind.DISPLAY_MATH):
                    yield Formula(passage, span.inner, passage.raw[span.inner : span.inner_end])
        for code in self.codes:
            if code.language == "math" and code.block.lines:
                lines = Passage(code.text, paragraph_of(code.block.lines), NO_DEFINITIONS, deletions=False)
                yield Formula(lines, 0, lines.raw)

    @lazy
    def codes(self) -> tuple[Code, ...]:
        """All blocks of code."""
        return tuple(code for part in self.parts for code in part.codes)


def _as_written(problem: TexProblem, expansion: Expansion) -> TexProblem | None:
    """Return a problem in an expansion with its place in the formula as written.

    Return `None` for an unknown name in a macro, which is reported once, in the file of the macros.
    """
    token = expansion.origin(problem.start)
    if not token.macro:
        return problem._replace(start=expansion.offset_as_written(problem.start))
    if problem.mistake in UNKNOWN_NAMES:
        return None
    return problem._replace(
        start=token.start,
        length=token.end - token.start,
        message=f"{problem.message}, in `\\{token.macro}`",
    )


def read(
    note: Note, *, is_own: bool = True, macros: frozenset[str] = frozenset()
) -> tuple[Reading, list[Diagnostic]]:
    """Return a note with its texts scanned, and the problems found in its code without running it.

    These are errors only if the note `is_own`, in our own format. `macros` are the names of
    those of the collection.
    """
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
    python, diagnostics = code_problems(note, is_own=is_own)
    reading = Reading(
        note,
        read_heading(note),
        tuple(Part(name, text, cloze and name == "answer") for name, text in texts if text.markdown.strip()),
        python,
        macros,
    )
    return reading, diagnostics


def with_fields(reading: Reading) -> Reading:
    """Return a note with one of the collection's own note types with its fields as parts."""
    texts = (text for _, text in reading.note.fields if text.markdown.strip())
    return replace(reading, parts=tuple(Part("field", text, deletions=False) for text in texts))


def read_heading(note: Note) -> Passage:
    """Return the heading of a note."""
    # Definitions that the heading uses are appended below its line.
    heading, _, below = note.heading.markdown.partition("\n")
    definitions = definitions_in(scan(below)) if below else NO_DEFINITIONS
    return Passage(note.heading, paragraph_of([Line(heading, 0)]), definitions, deletions=False)


def _add_blocks(block: Block, blocks: list[Block]) -> None:
    for child in block.children:
        if child.kind not in tree.DEFINITIONS:
            blocks.append(child)
            _add_blocks(child, blocks)


_OUTPUT = re.compile(rf"^(?P<fence>```+|~~~+) *{OUTPUT}\b.*\n(?P<text>(?s:.*?))^(?P=fence)", re.MULTILINE)
_NOTHING = Part("", Text(), deletions=False)
_CODE_MARKS = ("```", "~~~", "    ", "\t")
"""Every text with a code block contains one of these fences or indentations."""


class Overview(NamedTuple):
    """A summary of a note.

    `heading` is the location of the heading, and `length` is the length of its text. `asked` contains the
    heading, the rest of the question and the options, with words separated by single spaces. `answer` is a
    hash of the answer, and `output` one of the printed output; each is empty if there are too few words.
    """

    location: Location
    heading: Location
    key: str
    length: int
    id: str
    deck: str
    asked: tuple[str, ...]
    answer: str
    output: str
    unlike: tuple[str, ...]


OVERVIEWS = CachePart("overviews", ByNote[Overview])
"""The overviews of a source; their keys are known only after all sources have been read."""


def make_overviews(making: Making) -> tuple[Sequence[object], Sequence[Diagnostic]]:
    """Return the overviews of a source."""
    return [by_note(making.parsed, map(overview_of, making.parsed.notes))], []


def overview_of(note: Note) -> Overview:
    """Return the overview of a note."""
    answer = note.answer.markdown
    outputs = _OUTPUT.finditer(answer) if OUTPUT in answer else ()  # looking at each line takes long
    return Overview(
        note.location,
        note.heading_place,
        note.key,
        note.heading_length,
        note.id,
        note.deck,
        _asked(note),
        _compared("\n\n".join(answer_texts(note))),
        _compared("\n".join(block["text"] for block in outputs)),
        note.unlike,
    )


def _compared(text: str) -> str:
    """Return a hash of a text in which only white space and case do not count, or nothing for a short one."""
    words = text.casefold().split()
    return sha256(" ".join(words).encode()).hexdigest()[:16] if len(words) >= SHORTEST else ""


def _asked(note: Note) -> tuple[str, ...]:
    heading = note.heading.markdown.partition("\n")[0] or note.answer.markdown
    texts = (note.question.markdown, *(choice.text.markdown for choice in note.choices))
    return " ".join(heading.split()), *(" ".join(text.split()) for text in texts if text.strip())
