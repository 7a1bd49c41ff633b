"""What the scanners find in a Markdown text: its blocks, the spans in them, and their positions."""

from enum import StrEnum
from typing import NamedTuple

from ptcards.markdown import starts
from ptcards.notes import Line, Problem

NESTING_LIMIT = 50
"""The maximum depth of nested quotes, items and footnotes, and of nested links and pictures."""


_COMMENT = 2
"""CommonMark's condition for the start of an HTML comment."""


class BlockKind(StrEnum):
    """The kind of a block; the first five kinds contain other blocks, and the rest contain lines."""

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
    """A block, as found by CommonMark's algorithm.

    `start` is the index (from 0) of its first line in the scanned text. `end` is the index after its last
    non-blank line; for fences and HTML, after their last line. `column` (from 1) is the position of its first
    character. `lines` are the content of a leaf, with positions, without its own marks and those of its
    containers. The lines of a paragraph have no leading spaces, and the text of a heading has no opening and
    closing `#`. HTML and all rows of a table, including the delimiter row, are as written.
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
    """heading: whether it is underlined instead of marked with `#`"""
    info: str = ""
    """fence: the words after the marks, with backslash escapes and entities resolved"""
    marker: str = ""
    """fence: its opening marks; list and item: `-`, `+`, `*`, `.` or `)`"""
    closed: bool = True
    """fence: whether its closing marks were found"""
    html: int = 0
    """HTML: which of CommonMark's seven conditions began it; 2 is a comment"""
    ordered: bool = False
    """list: whether it is numbered"""
    number: int = 1
    """list: the number of its first item"""
    tight: bool = True
    """list: whether there are no blank lines between items or directly inside them"""
    task: bool | None = None
    """item: whether its box is checked, or `None` without a box"""
    label: str = ""
    """definition and footnote: the label, normalised as in CommonMark"""
    destination: str = ""
    """definition: the address, unescaped"""
    title: str = ""
    """definition: the title, unescaped"""
    alignments: tuple[str, ...] = ()
    """table: `left`, `right`, `center` or an empty string for each column"""

    @property
    def is_comment(self) -> bool:
        """Whether it begins with an HTML comment."""
        return self.kind is BlockKind.HTML and self.html == _COMMENT

    @property
    def alert(self) -> str:
        """The word of a mark such as `[!NOTE]` in the first line of a quote, or an empty string."""
        first = self.children[0] if self.children else None
        return starts.alert(first.lines[0].text) if first and first.kind is BlockKind.PARAGRAPH else ""

    @property
    def text(self) -> str:
        """The texts of its lines, joined."""
        return "\n".join([line.text for line in self.lines])

    @property
    def one_line(self) -> str:
        """The texts of its lines on one line."""
        return " ".join([line.text for line in self.lines]).strip()


class SpanKind(StrEnum):
    """The kind of a span; only the last three kinds contain other spans."""

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
    """A part of a text that is more than plain characters.

    `text` depends on the kind: for TEXT (an escape or entity), the characters it stands for; for code and
    maths, the content; for HTML, the tag as written; for links without their own text, what is shown; for a
    footnote, its normalised label; for a deletion, its hint. `inner` and `inner_end` are the offsets of the
    content of code, maths and spans with `children`.
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
    """how many levels of spans are inside"""


class Inlines(NamedTuple):
    """The spans of a text in order, the labels that it refers to, and problems with its deletions.

    `lone_math` contains the offset of each unclosed `$$`, and `lone_footnotes` that of each undefined
    `[^label]`.
    """

    spans: tuple[Span, ...]
    labels: frozenset[str]
    problems: tuple[Problem, ...]
    lone_math: tuple[int, ...]
    lone_footnotes: tuple[int, ...]
