"""The only block scanner: finds which lines of a Markdown text form a fence, a list, a heading and so on.

It follows the container algorithm of CommonMark 0.31.2
(https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy) with GitHub's tables, task items and
footnotes, and keeps the position of every line. The source parser and the renderer both read its tree, so
they can never disagree.
"""

from collections.abc import Sequence
from functools import lru_cache

from ptcards.markdown import starts, tables
from ptcards.markdown.block_starts import CODE_INDENT, BlockStarts
from ptcards.markdown.stack import Open
from ptcards.markdown.tree import NESTING_LIMIT, Block, BlockKind
from ptcards.notes import Line

__all__ = ["NESTING_LIMIT", "Block", "BlockKind", "keep_cut", "scan"]

_SHORT = 4096
_MOST = 256
"""How many texts to keep: more than a source usually has. Old blocks are slow to reach and to free."""
_newer: dict[str, Block] = {}
_older: dict[str, Block] = {}
"""the blocks of up to `_MOST` recent short texts, and of those before them"""
_new = tuple.__new__
_VERBATIM = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.HTML})
_ENDING = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.RULE, BlockKind.TABLE})
_PLAIN = (_ENDING - {BlockKind.TABLE}) | {BlockKind.DOCUMENT, BlockKind.ITEM, BlockKind.FOOTNOTE}


def scan(markdown: str, *, keep: bool = True) -> Block:
    """Return the document block of a text whose lines end with LF.

    It runs in linear time. Containers deeper than `NESTING_LIMIT` are not opened: their lines, including the
    marks, are text of the enclosing block. With `keep`, the blocks of recent texts are cached, because the
    parser, the renderer and the rules all ask for them.
    """
    if not keep:
        return _scan(markdown)
    if len(markdown) > _SHORT:
        return _scan_long(markdown)
    document = _newer.get(markdown) or _older.get(markdown)
    if document is None:
        document = _scan(markdown)
        _keep(markdown, document)
    return document


def keep_cut(markdown: str, blocks: Sequence[Block]) -> None:
    """Keep the blocks of a text that consists of some of the top-level blocks of a scanned text.

    They must be all the blocks of a part that begins after a heading or an empty line. In the text, they are
    as far apart as they were, but by one empty line at most. Then they are what `scan` would find (a test
    compares them), in a third of the time.
    """
    if len(markdown) > _SHORT or markdown.endswith("\n"):
        return  # at the end of a text, `scan` drops an empty line, even of an unclosed fence
    moved: list[Block] = []
    end = last = 0
    for block in blocks:
        start = end + (block.start > last if moved else 0)
        moved.append(_moved(block, start - block.start))
        last, end = block.end, start + block.end - block.start
    _keep(markdown, Block(BlockKind.DOCUMENT, 0, 1, end, tuple(moved)))


def _moved(block: Block, by: int) -> Block:
    """Return a block that begins this many lines further down."""
    kind, start, column, end, children, lines, *rest = block
    # This takes half as long as `_replace`.
    lines = tuple([_new(Line, (text, index + by, at)) for text, index, at in lines])
    children = tuple([_moved(each, by) for each in children])
    return _new(Block, (kind, start + by, column, end + by, children, lines, *rest))


def _keep(markdown: str, document: Block) -> None:
    """Keep the blocks of a short text for `scan`, and forget old ones."""
    if len(_newer) >= _MOST:
        _older.clear()
        _older.update(_newer)
        _newer.clear()
    _newer[markdown] = document


@lru_cache(maxsize=8)
def _scan_long(markdown: str) -> Block:
    return _scan(markdown)


def _scan(markdown: str) -> Block:
    scanner = _Scanner()
    lines = markdown.split("\n")
    if not lines[-1]:
        lines.pop()
    for index, line in enumerate(lines):
        scanner.feed(line, index)
    scanner.close(1)
    return scanner.open[0].closed()


class _Scanner(BlockStarts):
    """Scans line by line.

    For each line, `feed` finds which open blocks it continues (the first `matched`), then which blocks it
    begins, and then which block the rest of the line belongs to.
    """

    def feed(self, line: str, index: int) -> None:
        """Add the next line to the blocks that it belongs to."""
        if self.feed_plain(line, index):
            return
        self.at.begin(line, index)
        opened = self.open
        self.matched = 1
        while self.matched < len(opened) and self.continues(opened[self.matched]):
            self.matched += 1
        if self.matched == len(opened) - 1 and self.closes_fence():
            opened[-1].block = opened[-1].block._replace(closed=True)
            self.reach(index + 1)
            self.close(self.matched)
            return
        blank = self.at.blank
        unmatched = len(opened) - self.matched
        begun = False
        while opened[self.matched - 1].block.kind not in _VERBATIM and self.begins():
            begun = True
        self.place(lazy=unmatched > 0 and not begun and len(opened) - self.matched == unmatched)
        self.reach(index + 1, blank=blank)
        last = opened[-1]
        if last.block.kind is BlockKind.HTML and starts.html_ends(last.block.html, last.lines[-1].text):
            self.close(len(opened) - 1)

    def feed_plain(self, line: str, index: int) -> bool:
        """Add the line if it is plain: it is only indented, and no block can begin or end on it.

        Return whether it is plain, as most lines are.
        """
        each = self.open[-1]
        block, inset = each.block, each.inset
        width = 0
        if inset != "":
            if inset is None or (line and not line.startswith(inset)):
                return False
            width = len(inset) if line else 0
        if block.kind is BlockKind.FENCE:
            if each.indent or block.marker in line:
                return False
            each.lines.append(Line(line[width:], index, width + 1))
            return True
        if not line:
            return self.feed_nothing(each)
        if block.kind not in _PLAIN or line[width : width + 1] in starts.FIRST_CHARACTERS:
            return False
        if block.kind is not BlockKind.PARAGRAPH:
            if block.kind in _ENDING:
                self.close(len(self.open) - 1)
            each = Open(Block(BlockKind.PARAGRAPH, index, width + 1), inset=inset)
            self.open.append(each)
        each.lines.append(Line(line[width:], index, width + 1))
        each.end = index + 1
        return True

    def feed_nothing(self, each: Open) -> bool:
        """Handle an empty line outside quotes and code if only the innermost block matters.

        Return whether it was handled.
        """
        kind = each.block.kind
        if kind in _ENDING or (kind is BlockKind.HTML and starts.html_ends_blank(each.block.html)):
            self.close(len(self.open) - 1)
            return True
        # An item may begin with one empty line, but not with two.
        return kind in _PLAIN and (kind is not BlockKind.ITEM or bool(each.children))

    # Which open blocks does the line continue?

    def continues(self, each: Open) -> bool:
        """Skip the block's marks if the line continues the block; return whether it does."""
        at = self.at
        match each.block.kind:
            case BlockKind.LIST:
                return True
            case BlockKind.QUOTE:
                if at.indent >= CODE_INDENT or not at.line.startswith(">", at.next):
                    return False
                at.skip_blank()
                at.skip(1)
                at.skip_space()
                return True
            case BlockKind.ITEM | BlockKind.FOOTNOTE | BlockKind.CODE:
                return self.skip_indent(each)
            case BlockKind.FENCE:
                if self.closes_fence():
                    return False
                at.skip_columns(min(at.indent, each.indent))
                return True
            case BlockKind.HTML:
                return not (at.blank and starts.html_ends_blank(each.block.html))
            case BlockKind.PARAGRAPH:
                return not at.blank
            case BlockKind.TABLE:
                return bool(tables.split_row(at.text()))
            case _:
                return False

    def skip_indent(self, each: Open) -> bool:
        """Skip the indentation if the line continues an indented block; return whether it does."""
        at, block = self.at, each.block
        if at.indent >= each.indent:
            at.skip_columns(each.indent)
            return True
        if not at.blank:
            return False
        is_innermost = self.matched == len(self.open) - 1
        if block.kind is BlockKind.ITEM and is_innermost and not each.children:
            return False
        at.skip_blank()
        # On GitHub, a line of only spaces ends a footnote.
        return block.kind is not BlockKind.FOOTNOTE or not at.line

    def closes_fence(self) -> bool:
        """Whether the line ends an open fence."""
        block, at = self.open[-1].block, self.at
        if block.kind is not BlockKind.FENCE or at.indent >= CODE_INDENT:
            return False
        marks = at.line[at.next :].rstrip(" \t")
        return len(marks) >= len(block.marker) and marks == block.marker[0] * len(marks)

    # Where does the rest of the line belong?

    def place(self, *, lazy: bool) -> None:
        """Add the rest of the line to the block that it belongs to."""
        at = self.at
        if lazy and not at.blank and self.innermost.block.kind is BlockKind.PARAGRAPH:
            self.innermost.lines.append(at.text())
            return
        if len(self.open) > self.matched:
            self.close(self.matched)
        each = self.innermost
        block = each.block
        if block.kind in _VERBATIM:
            if block.kind is not BlockKind.FENCE or block.start != at.index:
                each.lines.append(at.rest())
        elif at.blank:
            return
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE):
            each.lines.append(at.text())
        else:
            self.push(Block(BlockKind.PARAGRAPH, at.index, at.next + 1, lines=(at.text(),)))
