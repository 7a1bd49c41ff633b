r"""What the scanners find in a Markdown text: its blocks, the spans in them, and their positions.

This module also recognises blocks by the start of their first line (CommonMark 0.31.2, sections 4 and 5; its
functions take a line without leading white space), the rows of GitHub's tables
(https://github.github.com/gfm/#tables-extension-), and the texts in a block that contain inline Markdown.
Rows are split before inline Markdown is read, so even a `|` in a code span separates cells unless it is
escaped as `\|`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from ptcards.notes import Line, Problem

FIRST_CHARACTERS = frozenset(["", *"#>`~=-_*+<[|:0123456789 \t"])
"""The first characters of lines that might not be plain text; `:` begins the second row of some tables."""

HEADING_MARK = re.compile(r"(#{1,6})(?:[ \t]+|\Z)")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)\Z")
RULE_LINE = re.compile(
    # A repeated group takes 120 bytes of memory for each repetition, so it has a limit here and elsewhere.
    r"(?:(?=(?:\*[ \t]*){3})[*\t ]+|(?=(?:-[ \t]*){3})[-\t ]+|(?=(?:_[ \t]*){3})[_\t ]+)\Z"
)
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*\Z")
MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ \t]|\Z)")
TASK = re.compile(r"\[([ xX])\](?=[ \t])")
FOOTNOTE_MARK = re.compile(r"\[\^([^\]\s\x00]+)\]:[ \t]*")

ALERTS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")

_ALERT = re.compile(r"\[!([A-Za-z]+)\][ \t]*\Z")
_CLOSING_MARKS = re.compile(r"(?:\A|[ \t])#+[ \t]*\Z")

ATTRIBUTE = r"""[ \t\n]+[A-Za-z_:][A-Za-z0-9_.:-]*+(?:[ \t\n]*=[ \t\n]*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
"""The pattern of an attribute of an HTML tag, with leading white space."""

_HTML_BLOCKS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir"
    "|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe"
    "|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|source|summary"
    "|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_HTML_STARTS = (
    r"<(?:script|pre|style|textarea)(?:\s|>|\Z)",
    r"<!--",
    r"<\?",
    r"<!(?-i:[A-Z])",
    r"<!\[CDATA\[",
    rf"</?(?:{_HTML_BLOCKS})(?:\s|/?>|\Z)",
    rf"(?:<[A-Z][A-Z0-9-]*+(?>(?:{ATTRIBUTE}){{0,1000}})[ \t]*/?>|</[A-Z][A-Z0-9-]*[ \t]*>)[ \t]*\Z",
)
_HTML_START = re.compile("|".join(f"({start})" for start in _HTML_STARTS), re.IGNORECASE | re.ASCII)
_HTML_ENDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (r"</(?:script|pre|style|textarea)>", r"-->", r"\?>", r">", r"\]\]>")
)
_LONE_TAG = 7


def heading_text(text: str, at: int) -> str:
    """Return the text of a heading, which begins at this offset, without closing marks."""
    text = text[at:].strip(" \t")
    return _CLOSING_MARKS.sub("", text).rstrip(" \t") if text.endswith("#") else text


def alert(text: str) -> str:
    """Return the word in a line such as `[!NOTE]`, or an empty string.

    The line begins an alert if the word is one of `ALERTS`.
    """
    found = _ALERT.match(text)
    return found[1] if found else ""


def fence(text: str) -> tuple[str, str] | None:
    """Return the marks and the words of a line that opens a fence, or `None` for any other line."""
    match = _FENCE.match(text)
    if match is None or (match[1][0] == "`" and "`" in match[2]):
        return None
    return match[1], match[2].strip(" \t")


def html_condition(text: str, *, in_paragraph: bool) -> int:
    """Return which of the seven conditions for HTML blocks a line meets, or 0 for none.

    The seventh, a tag alone on its line, must not interrupt a paragraph.
    """
    found = _HTML_START.match(text)
    condition = (found and found.lastindex) or 0
    return 0 if condition == _LONE_TAG and in_paragraph else condition


def html_ends_blank(condition: int) -> bool:
    """Whether an HTML block that meets this condition ends before the next blank line."""
    return condition > len(_HTML_ENDS)


def html_ends(condition: int, text: str) -> bool:
    """Whether an HTML block that meets this condition ends with this line."""
    return not html_ends_blank(condition) and _HTML_ENDS[condition - 1].search(text) is not None


NESTING_LIMIT = 50
"""The maximum depth of nested quotes, items and footnotes, and of nested links and pictures."""


COMMENT = 2
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


DOCUMENT, QUOTE, LIST, ITEM, FOOTNOTE, PARAGRAPH, HEADING, RULE, CODE, FENCE, HTML, TABLE, DEFINITION = (
    BlockKind
)
"""The kinds by name: a block is asked for its kind often, and Python 3.11 takes long to find a member."""
DEFINITIONS = frozenset({FOOTNOTE, DEFINITION})
"""The kinds that are shown elsewhere, if at all."""


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
        return self.kind is HTML and self.html == COMMENT

    @property
    def alert(self) -> str:
        """The word of a mark such as `[!NOTE]` in the first line of a quote, or an empty string."""
        first = self.children[0] if self.children else None
        return alert(first.lines[0].text) if first and first.kind is PARAGRAPH else ""

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


_DELIMITER = re.compile(r"\|?[ \t]*+:?-++:?[ \t]*+(?>(?:\|[ \t]*+:?-++:?[ \t]*+){0,1000})\|?[ \t]*+\Z")
_DIVIDER = re.compile(r"(?<!\\)\|")
_new = tuple.__new__
"""Makes a named tuple in half of the time."""


def is_delimiter_row(text: str) -> bool:
    """Whether a line without leading spaces is a row such as `|---|:-:|`."""
    return text[:1] in "|:-" and _DELIMITER.match(text) is not None


def split_row(row: Line) -> list[Line]:
    r"""Return the cells of a row without surrounding white space, with `\|` still escaped."""
    text = row.text.rstrip(" \t")
    at = len(text) - len(text.lstrip(" \t"))
    at += text.startswith("|", at)
    cells: list[Line] = []
    while at < len(text):
        divider = _DIVIDER.search(text, at)
        end = divider.start() if divider else len(text)
        cell = text[at:end]
        indent = len(cell) - len(cell.lstrip(" \t"))
        cells.append(_new(Line, (cell.strip(" \t"), row.index, row.column + at + indent)))
        at = end + 1
    return cells


def alignments(row: Line) -> tuple[str, ...]:
    """Return `left`, `right`, `center` or an empty string for each column of a delimiter row."""
    names = {(True, True): "center", (True, False): "left", (False, True): "right", (False, False): ""}
    return tuple(names[cell.text.startswith(":"), cell.text.endswith(":")] for cell in split_row(row))


class LinkTarget(NamedTuple):
    """The target of a reference link."""

    destination: str
    title: str


class Paragraph(NamedTuple):
    """Inline Markdown: the text of a paragraph, a heading or a table cell.

    `pieces` are the parts of the text that are contiguous in the source, and `starts` their offsets in the
    text.
    """

    text: str
    pieces: tuple[Line, ...]
    starts: tuple[int, ...]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the index of the line (from 0) and the column (from 1) of the character at an offset."""
        which = bisect_right(self.starts, offset) - 1
        piece = self.pieces[which]
        return piece.index, piece.column + offset - self.starts[which]


def paragraph_of(lines: Sequence[Line]) -> Paragraph:
    """Return the paragraph made of these lines, which may also be those of a heading."""
    if len(lines) == 1:  # the usual case
        return _new(Paragraph, (lines[0].text.rstrip(" \t"), (lines[0],), (0,)))
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line.text) + 1)
    return Paragraph("\n".join([line.text for line in lines]).rstrip(" \t"), tuple(lines), tuple(starts))


def cell_paragraph(cell: Line) -> Paragraph:
    r"""Return the paragraph in a table cell, where `\|` means `|`."""
    if r"\|" not in cell.text:
        return _new(Paragraph, (cell.text, (cell,), (0,)))
    pieces: list[Line] = []
    starts: list[int] = []
    at = offset = 0
    for part in cell.text.split(r"\|"):
        piece = Line(part if not pieces else f"|{part}", cell.index, cell.column + at - bool(pieces))
        pieces.append(piece)
        starts.append(offset)
        offset += len(piece.text)
        at += len(part) + 2
    return Paragraph("".join(piece.text for piece in pieces), tuple(pieces), tuple(starts))


def paragraphs(block: Block) -> Iterator[Paragraph]:
    """Yield the paragraphs of a leaf; as on GitHub, cells beyond a table's last column do not count."""
    if block.kind is PARAGRAPH or block.kind is HEADING:
        yield paragraph_of(block.lines)
    elif block.kind is TABLE:
        for row in (block.lines[0], *block.lines[2:]):
            for cell in split_row(row)[: len(block.alignments)]:
                yield cell_paragraph(cell)


def targets(document: Block) -> dict[str, LinkTarget]:
    """Return the link definitions inside a block by label; the first of each label counts."""
    found: dict[str, LinkTarget] = {}
    for block in definitions(document):
        if block.kind is DEFINITION:
            found.setdefault(block.label, LinkTarget(block.destination, block.title))
    return found


def footnotes(document: Block) -> dict[str, Block]:
    """Return the footnotes inside a block by label; the first of each label counts."""
    found: dict[str, Block] = {}
    for block in definitions(document):
        if block.kind is FOOTNOTE:
            found.setdefault(block.label, block)
    return found


def definitions(block: Block) -> Iterator[Block]:
    """Yield the definitions of links and footnotes inside a block, in GitHub's order: by their ends."""
    for child in block.children:
        if child.children:
            yield from definitions(child)
        if child.kind in DEFINITIONS:
            yield child
