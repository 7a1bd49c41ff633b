"""What the scanners find: the blocks of a Markdown text, the spans of its lines, and their places."""

from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

from ptcards.notes import Line, Problem

NESTING_LIMIT = 50
"""How many quotes, items and footnotes, or links and pictures, may stand inside each other."""


class BlockKind(StrEnum):
    """What a block is; the first five hold other blocks, the rest hold lines."""

    DOCUMENT = "document"
    QUOTE = "quote"
    LIST = "list"
    ITEM = "item"
    FOOTNOTE = "footnote"
    PARAGRAPH = "paragraph"
    HEADING = "heading"
    RULE = "rule"
    CODE = "code"
    FENCE = "fence"
    HTML = "html"
    TABLE = "table"
    DEFINITION = "definition"


class Block(NamedTuple):
    """One block, as CommonMark's algorithm finds it.

    `start` is the index (from 0) of its first line in the scanned text, `end` the index after its last line
    that is not blank (for fences and HTML: after their last line), `column` (from 1) where its first
    character stands. `lines` of a leaf are its content without the marks of the containers around it and
    without its own mark, each with its place: of a paragraph the lines without leading spaces, of a heading
    its text (no `#`, no closing `#`), of a fence or indented code the code, of HTML the lines as they are, of
    a table all rows as written, delimiter row included.
    """

    kind: BlockKind
    start: int
    column: int
    end: int = 0
    children: tuple["Block", ...] = ()
    lines: tuple[Line, ...] = ()
    level: int = 0
    """heading: 1 to 6"""
    setext: bool = False
    """heading: underlined instead of marked with `#`"""
    info: str = ""
    """fence: the words after the marks, backslash escapes and entities resolved"""
    marker: str = ""
    """fence: its opening marks; list and item: `-`, `+`, `*`, `.` or `)`"""
    closed: bool = True
    """fence: its closing marks were found"""
    html: int = 0
    """html: which of CommonMark's seven conditions began it; 2 is a comment"""
    ordered: bool = False
    """list: numbered"""
    number: int = 1
    """list: the number of its first item"""
    tight: bool = True
    """list: no blank lines between or directly inside items"""
    task: bool | None = None
    """item: checked, unchecked, or no task"""
    label: str = ""
    """definition and footnote: the label, normalised as CommonMark says"""
    destination: str = ""
    """definition: the address, unescaped"""
    title: str = ""
    """definition: the title, unescaped"""
    alignments: tuple[str, ...] = ()
    """table: `left`, `right`, `center` or `` of each column"""


_new = tuple.__new__
_parts = attrgetter(*Block._fields)


@dataclass(slots=True)
class MutableBlock:
    """A block that the scanner may still change; its parts are those of `Block`."""

    kind: BlockKind
    start: int
    column: int
    end: int = 0
    children: list["MutableBlock"] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    level: int = 0
    setext: bool = False
    info: str = ""
    marker: str = ""
    closed: bool = True
    html: int = 0
    ordered: bool = False
    number: int = 1
    tight: bool = True
    task: bool | None = None
    label: str = ""
    destination: str = ""
    title: str = ""
    alignments: tuple[str, ...] = ()

    def finished(self) -> Block:
        """Return the block, which nobody can change."""
        kind, start, column, end, children, lines, *rest = _parts(self)
        inner = tuple([child.finished() for child in children]) if children else ()
        # Half the time that calling `Block` takes, and there are ten blocks in a note.
        return _new(Block, (kind, start, column, end, inner, tuple(lines), *rest))


class SpanKind(StrEnum):
    """What a span is; the last three hold other spans."""

    TEXT = "text"
    CODE = "code"
    MATH = "math"
    DISPLAY_MATH = "display math"
    BREAK = "break"
    HTML = "html"
    AUTOLINK = "autolink"
    BARE_LINK = "bare link"
    FOOTNOTE = "footnote"
    LINK = "link"
    IMAGE = "image"
    DELETION = "deletion"


class Span(NamedTuple):
    """A part of a text that is more than its characters.

    `text`: of TEXT (an escape or entity) the characters meant, of code and math the content, of HTML the tag
    as written, of links without a text of their own what is shown, of a footnote its normalised label, of a
    deletion its hint. `inner` and `inner_end` are the offsets of what a span with `children` holds; of code
    and math those of the content.
    """

    kind: SpanKind
    start: int
    end: int
    text: str = ""
    destination: str = ""
    title: str = ""
    number: int = 0
    inner: int = 0
    inner_end: int = 0
    children: tuple["Span", ...] = ()
    depth: int = 0
    """How many levels of spans stand inside."""


class Inlines(NamedTuple):
    """The spans of a text in order, the labels it asks for, what is wrong with its deletions.

    `lone_math` are the offsets of `$$` without its end, `lone_footnotes` those of `[^label]` that nothing
    defines.
    """

    spans: tuple[Span, ...]
    labels: frozenset[str]
    problems: tuple[Problem, ...]
    lone_math: tuple[int, ...]
    lone_footnotes: tuple[int, ...]
