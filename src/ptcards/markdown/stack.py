"""Keeps the open blocks of the block scanner, and opens and closes blocks as it reads lines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest

from ptcards.markdown.links import read_definition
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Line

TAB_STOP = 4


class Cursor:
    """The position in a line after the marks of its containers, counted in characters and in columns.

    CommonMark measures indentation in columns, with tab stops of four
    (https://spec.commonmark.org/0.31.2/#tabs). A container may use only a part of a tab; the rest counts as
    spaces in its content.
    """

    __slots__ = ("blank", "column", "indent", "index", "line", "next", "offset", "partial", "tabs")

    def __init__(self) -> None:
        self.begin("", -1)

    def begin(self, line: str, index: int) -> None:
        """Start at the first character of the line with this index (from 0)."""
        self.line = line
        self.index = index
        self.offset = 0
        self.column = 0
        self.partial = False
        self.tabs = "\t" in line
        self.look()

    def look(self) -> None:
        """Find the next non-space character: its offset (`next`), and the columns before it (`indent`)."""
        line, at = self.line, self.offset
        end = len(line)
        if self.tabs:
            column = self.column
            while at < end and line[at] in " \t":
                column += 1 if line[at] == " " else TAB_STOP - column % TAB_STOP
                at += 1
            self.indent = column - self.column
        else:
            while at < end and line[at] == " ":
                at += 1
            self.indent = at - self.offset
        self.next = at
        self.blank = at == end

    def skip(self, count: int) -> None:
        """Advance by this many characters, none of which is a tab."""
        self.offset += count
        self.column += count
        self.partial = False
        self.look()

    def skip_columns(self, count: int) -> None:
        """Advance by this many columns of white space, possibly into the middle of a tab."""
        while count > 0 and self.offset < len(self.line):
            if self.line[self.offset] == "\t":
                width = TAB_STOP - self.column % TAB_STOP
                self.partial = width > count
                self.column += min(width, count)
                self.offset += not self.partial
                count -= width
            else:
                self.partial = False
                self.offset += 1
                self.column += 1
                count -= 1
        self.look()

    def skip_space(self) -> None:
        """Advance past the one space that may follow a container's mark."""
        if self.offset < len(self.line) and self.line[self.offset] in " \t":
            self.skip_columns(1)

    def skip_blank(self) -> None:
        """Advance to the next non-space character."""
        self.column += self.indent
        self.offset = self.next
        self.indent = 0
        self.partial = False

    def skip_rest(self) -> None:
        """Advance to the end of the line."""
        self.offset = len(self.line)
        self.look()

    def rest(self) -> Line:
        """Return the rest of the line, with the rest of a partly used tab as spaces."""
        if not self.partial:
            return Line(self.line[self.offset :], self.index, self.offset + 1)
        spaces = " " * (TAB_STOP - self.column % TAB_STOP)
        return Line(spaces + self.line[self.offset + 1 :], self.index, self.offset + 1)

    def text(self) -> Line:
        """Return the rest of the line without leading white space."""
        return Line(self.line[self.next :], self.index, self.next + 1)


_NESTING = frozenset({BlockKind.QUOTE, BlockKind.ITEM, BlockKind.FOOTNOTE})
_HOLDERS = _NESTING | {BlockKind.DOCUMENT}
_LIST = frozenset({BlockKind.LIST})
_TO_LAST_LINE = frozenset({BlockKind.FENCE, BlockKind.HTML})

_new = tuple.__new__


@dataclass(slots=True)
class Open:
    """A block that the next line may continue; `end`, `children` and `lines` grow until it closes.

    `indent` is the number of columns before the content of an item or footnote, or before the marks of a
    fence. `inset` contains the spaces before a line that continues all containers, or `None` inside a quote.
    `no_table` is true if a delimiter row did not fit the paragraph; GitHub tries only once. `above_table`
    marks the part of a paragraph above a table, where GitHub does not look for definitions.
    """

    block: Block
    indent: int = 0
    inset: str | None = ""
    end: int = 0
    children: list[Block] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    no_table: bool = False
    above_table: bool = False

    def closed(self) -> Block:
        """Return the block with its content."""
        # This takes half as long as `_replace`, which matters because a note has about ten blocks.
        content = (self.end, tuple(self.children), tuple(self.lines))
        return _new(Block, (*self.block[:3], *content, *self.block[6:]))


def cut_definitions(paragraph: Open) -> list[Block]:
    """Cut link reference definitions from the start of a paragraph; return them."""
    if not paragraph.lines or not paragraph.lines[0].text.startswith("["):
        return []
    text = "\n".join(line.text for line in paragraph.lines)
    definitions: list[Block] = []
    at = taken = 0
    while text.startswith("[", at) and (found := read_definition(text, at)):
        count = text.count("\n", at, found.end) + (text[found.end - 1] != "\n")
        lines = tuple(paragraph.lines[taken : taken + count])
        definitions.append(
            Block(
                BlockKind.DEFINITION,
                lines[0].index,
                lines[0].column,
                lines[-1].index + 1,
                lines=lines,
                label=found.label,
                destination=found.destination,
                title=found.title,
            )
        )
        at, taken = found.end, taken + count
    paragraph.lines = paragraph.lines[taken:]
    if paragraph.lines:
        first = paragraph.lines[0]
        paragraph.block = paragraph.block._replace(start=first.index, column=first.column)
    return definitions


def drop_blank_end(code: Open) -> None:
    """Drop the blank lines at the end of indented code."""
    while not code.lines[-1].text.strip(" \t"):
        code.lines.pop()
    code.end = code.lines[-1].index + 1


def is_loose(items: Sequence[Block]) -> bool:
    """Whether blank lines separate two items, or two children of one item with text on both sides."""
    for item, following in zip_longest(items, items[1:]):
        if following is not None and following.start > item.end:
            return True
        texts = [child.start for child in item.children if child.kind is not BlockKind.DEFINITION]
        if any(
            after.start > before.end
            and before.kind is not BlockKind.DEFINITION
            and (following is not None or after.start <= texts[-1])
            for before, after in pairwise(item.children)
        ):
            return True
    return False


class OpenBlocks:
    """The open blocks from the document down; the current line continues the first `matched` of them.

    `depth` is the number of open quotes, items and footnotes, and `at` is the position in the line.
    """

    def __init__(self) -> None:
        self.open = [Open(Block(BlockKind.DOCUMENT, 0, 1))]
        self.matched = 1
        self.depth = 0
        self.at = Cursor()

    @property
    def around(self) -> Open:
        """The innermost block that the line continues."""
        return self.open[self.matched - 1]

    @property
    def innermost(self) -> Open:
        """The innermost open block."""
        return self.open[-1]

    def reach(self, end: int, *, blank: bool = False) -> None:
        """Extend the open blocks to this line; if it is `blank`, extend only quotes."""
        for each in reversed(self.open):
            blank = blank and each.block.kind is not BlockKind.QUOTE
            if not blank:
                each.end = end

    def push(self, block: Block, indent: int = 0) -> None:
        """Open a block in the innermost matched block that can contain it, after closing those inside."""
        holders = _LIST if block.kind is BlockKind.ITEM else _HOLDERS
        while self.open[self.matched - 1].block.kind not in holders:
            self.matched -= 1
        opened = self.open
        if len(opened) > self.matched:
            self.close(self.matched)
        inset = opened[-1].inset
        if block.kind in _NESTING:
            self.depth += 1
            is_quote = inset is None or block.kind is BlockKind.QUOTE
            inset = None if is_quote else f"{inset}{' ' * indent}"
        opened.append(Open(block, indent, inset, lines=[*block.lines]))
        self.matched = len(opened)

    def close(self, keep: int) -> None:
        """Close all open blocks except the first `keep`."""
        opened = self.open
        while len(opened) > keep:
            each = opened.pop()
            around = opened[-1]
            kind = each.block.kind
            if kind is BlockKind.PARAGRAPH:
                if not each.above_table:
                    around.children += cut_definitions(each)
            elif kind in _NESTING:
                self.depth -= 1
            elif kind is BlockKind.LIST:
                each.block = each.block._replace(tight=not is_loose(each.children))
            elif kind is BlockKind.CODE:
                drop_blank_end(each)
            elif kind in _TO_LAST_LINE and each.lines:
                each.end = max(each.end, each.lines[-1].index + 1)
            around.end = max(around.end, each.end)
            if each.lines or kind is not BlockKind.PARAGRAPH:
                around.children.append(each.closed())
