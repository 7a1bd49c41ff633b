"""The one block scanner: which lines of a Markdown text are a fence, a list, a heading.

Follows the container algorithm of CommonMark 0.31.2 (https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy)
with GitHub's tables, task items and footnotes, and keeps the place of every line. The parser of sources and
the renderer both read its tree, so they can never disagree.
"""

from dataclasses import dataclass
from functools import lru_cache

from ptcards.notes import Line
from ptcards.parsing import starts, tables
from ptcards.parsing.closing import cut_definitions, drop_blank_end, is_loose
from ptcards.parsing.cursor import Cursor
from ptcards.parsing.links import normalise_label, unescape
from ptcards.parsing.tree import NESTING_LIMIT, Block, BlockKind

__all__ = ["NESTING_LIMIT", "Block", "BlockKind", "scan"]

_CODE_INDENT = 4
_SHORT = 4096
_VERBATIM = frozenset({BlockKind.FENCE, BlockKind.CODE, BlockKind.HTML})
_NESTING = frozenset({BlockKind.QUOTE, BlockKind.ITEM, BlockKind.FOOTNOTE})
_PLAIN = frozenset({BlockKind.DOCUMENT, BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.RULE})
_HOLDERS = _NESTING | {BlockKind.DOCUMENT}


def scan(markdown: str) -> Block:
    """Find the blocks of a text whose lines end with LF; gives the document block.

    Takes time linear in the length of the text. A container deeper than `NESTING_LIMIT` is not opened: its lines
    are text of the block around it, marks included. Nobody changes the blocks afterwards, since those of short texts
    are kept for a while: parser, renderer and rules all ask for them.
    """
    return _scan_short(markdown) if len(markdown) <= _SHORT else _scan(markdown)


@lru_cache(maxsize=1024)
def _scan_short(markdown: str) -> Block:
    return _scan(markdown)


def _scan(markdown: str) -> Block:
    scanner = _Scanner()
    lines = markdown.split("\n")
    if not lines[-1]:
        lines.pop()
    for index, line in enumerate(lines):
        scanner.feed(line, index)
    scanner.close(1)
    return scanner.root


@dataclass(slots=True)
class _Open:
    """A block that the next line may go on.

    `indent`: of an item or footnote the columns before its content, of a fence those before its marks.
    `no_table`: a delimiter row did not fit the paragraph; GitHub asks but once. `above_table`: what is left of a
    paragraph above a table; GitHub looks for no definitions there.
    """

    block: Block
    indent: int = 0
    no_table: bool = False
    above_table: bool = False


class _Scanner:
    """The state between lines: the open blocks from the document down.

    For each line `feed` finds which open blocks it goes on (the first `matched`), then which new ones it begins,
    and then where what is left of it belongs.
    """

    def __init__(self) -> None:
        self.root = Block(BlockKind.DOCUMENT, 0, 1)
        self.open = [_Open(self.root)]
        self.matched = 1
        self.depth = 0
        self.at = Cursor()

    @property
    def around(self) -> Block:
        """The innermost block that the line goes on."""
        return self.open[self.matched - 1].block

    @property
    def innermost(self) -> Block:
        return self.open[-1].block

    def feed(self, line: str, index: int) -> None:
        """Place the next line."""
        if len(self.open) < 3 and self.feed_plain(line, index):
            return
        self.at.begin(line, index)
        self.matched = 1
        while self.matched < len(self.open) and self.continues(self.open[self.matched]):
            self.matched += 1
        if self.matched == len(self.open) - 1 and self.closes_fence():
            self.innermost.closed = True
            self.reach(index + 1)
            self.close(self.matched)
            return
        blank = self.at.blank
        unmatched = len(self.open) - self.matched
        begun = False
        while self.around.kind not in _VERBATIM and self.begins():
            begun = True
        self.place(lazy=unmatched > 0 and not begun and len(self.open) - self.matched == unmatched)
        self.reach(index + 1, blank=blank)
        html = self.innermost
        if html.kind is BlockKind.HTML and starts.html_ends(html.html, html.lines[-1].text):
            self.close(len(self.open) - 1)

    def feed_plain(self, line: str, index: int) -> bool:
        """Place a line outside containers in which nothing can begin or end; most lines are such: text, code, blank ones."""
        each = self.open[-1]
        block = each.block
        if block.kind is BlockKind.FENCE:
            if each.indent or block.marker in line:
                return False
            block.lines.append(Line(line, index))
            return True
        if block.kind not in _PLAIN or line[:1] in starts.MARKS:
            return False
        if block.kind is not BlockKind.PARAGRAPH or not line:
            self.close(1)
            if not line:
                return True
            block = Block(BlockKind.PARAGRAPH, index, 1)
            self.root.children.append(block)
            self.open.append(_Open(block))
        block.lines.append(Line(line, index))
        block.end = self.root.end = index + 1
        return True

    def reach(self, end: int, *, blank: bool = False) -> None:
        """Let the open blocks last up to this line; if nothing stands on it but marks of quotes, only those."""
        for each in reversed(self.open):
            blank = blank and each.block.kind is not BlockKind.QUOTE
            if not blank:
                each.block.end = end

    # Which open blocks does the line go on?

    def continues(self, each: _Open) -> bool:
        """Say whether the line goes on this block, and go past what marks it."""
        at = self.at
        match each.block.kind:
            case BlockKind.LIST:
                return True
            case BlockKind.QUOTE:
                if at.indent >= _CODE_INDENT or not at.line.startswith(">", at.next):
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

    def skip_indent(self, each: _Open) -> bool:
        """Go past the indentation of a block, or past all there is if a blank line goes on the block."""
        at, block = self.at, each.block
        if at.indent >= each.indent:
            at.skip_columns(each.indent)
            return True
        if not at.blank or (block.kind is BlockKind.ITEM and not block.children):
            return False
        at.skip_blank()
        # GitHub ends a footnote at a line of nothing but spaces.
        return block.kind is not BlockKind.FOOTNOTE or not at.line

    def closes_fence(self) -> bool:
        """Say whether the line ends the fence that is open, if one is."""
        block, at = self.innermost, self.at
        if block.kind is not BlockKind.FENCE or at.indent >= _CODE_INDENT:
            return False
        marks = at.line[at.next :].rstrip(" \t")
        return len(marks) >= len(block.marker) and marks == block.marker[0] * len(marks)

    # Which blocks does it begin?

    def begins(self) -> bool:
        """Open the block that begins here, if one does; say whether another may begin inside it."""
        at = self.at
        if at.blank:
            return False
        if at.indent >= _CODE_INDENT:
            if self.innermost.kind is not BlockKind.PARAGRAPH:
                at.skip_columns(_CODE_INDENT)
                self.push(Block(BlockKind.CODE, at.index, at.offset + 1), _CODE_INDENT)
            return False
        text = at.line[at.next :]
        if text[0] not in starts.MARKS:
            return False
        in_paragraph = self.around.kind is BlockKind.PARAGRAPH
        if text[0] == ">":
            return self.begin_quote()
        if (
            self.begin_leaf(text, in_paragraph=in_paragraph)
            or (in_paragraph and self.underline(text))
            or self.begin_rule(text)
        ):
            return False
        if footnote := starts.FOOTNOTE.match(text):
            return self.begin_footnote(footnote[1], footnote.end())
        if (marker := starts.MARKER.match(text)) and (
            not in_paragraph or ((marker[1] or "1").lstrip("0") == "1" and text[marker.end() :].strip(" \t"))
        ):
            return self.begin_item(marker[0], marker[1])
        if in_paragraph and tables.is_delimiter_row(text):
            self.begin_table()
        return False

    def begin_quote(self) -> bool:
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        self.push(Block(BlockKind.QUOTE, at.index, at.next + 1))
        at.skip_blank()
        at.skip(1)
        at.skip_space()
        return True

    def begin_leaf(self, text: str, *, in_paragraph: bool) -> bool:
        """Begin a heading, a fence or HTML."""
        at = self.at
        block = Block(BlockKind.HEADING, at.index, at.next + 1)
        if text[0] == "#" and (match := starts.HEADING.match(text)):
            block.level = len(match[1])
            line = Line(starts.heading_text(text, match.end()), at.index, at.next + match.end() + 1)
            block.lines.append(line)
        elif text[0] in "`~" and (fence := starts.fence(text)):
            block.kind, block.marker, block.closed = BlockKind.FENCE, fence[0], False
            block.info = unescape(fence[1])
        elif text[0] == "<" and (condition := starts.html_condition(text, in_paragraph=in_paragraph)):
            block.kind, block.html = BlockKind.HTML, condition
            self.push(block)
            return True
        else:
            return False
        self.push(block, at.indent)
        at.skip_rest()
        return True

    def underline(self, text: str) -> bool:
        """Turn the open paragraph into a heading; if definitions are all of it, the line is text on GitHub."""
        block = self.around
        if not starts.UNDERLINE.match(text):
            return False
        siblings = self.open[self.matched - 2].block.children
        self.take_definitions(block, siblings)
        if not block.lines:
            block.start, block.column = self.at.index, self.at.next + 1
            siblings.append(block)
            return True
        block.kind, block.setext, block.level = BlockKind.HEADING, True, 1 if text[0] == "=" else 2
        self.reach(self.at.index + 1)
        self.matched -= 1
        self.close(self.matched)
        self.at.skip_rest()
        return True

    def begin_rule(self, text: str) -> bool:
        if not starts.RULE.match(text):
            return False
        self.push(Block(BlockKind.RULE, self.at.index, self.at.next + 1))
        self.at.skip_rest()
        return True

    def begin_footnote(self, label: str, width: int) -> bool:
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        block = Block(BlockKind.FOOTNOTE, at.index, at.next + 1, label=normalise_label(label))
        self.push(block, _CODE_INDENT)
        at.skip_blank()
        at.skip_columns(width)
        return True

    def begin_item(self, marker: str, number: str | None) -> bool:
        """Begin an item, and a list if none of its kind is open."""
        at, around = self.at, self.around
        if self.depth >= NESTING_LIMIT:
            return False
        start, column, indent, mark = at.index, at.next + 1, at.indent, marker[-1]
        first_on_line = not at.line[: at.next].strip(" \t")
        at.skip_blank()
        at.skip(len(marker))
        width = at.indent
        if at.blank or width > _CODE_INDENT:
            width = 1
            at.skip_space()
        else:
            at.skip_blank()
        if around.kind is not BlockKind.LIST or around.marker != mark:
            ordered = number is not None
            self.push(
                Block(BlockKind.LIST, start, column, marker=mark, ordered=ordered, number=int(number or 1))
            )
        item = Block(BlockKind.ITEM, start, column, marker=mark)
        self.push(item, indent + len(marker) + width)
        if first_on_line and at.indent < _CODE_INDENT and (task := starts.TASK.match(at.line, at.next)):
            # As on GitHub: not behind another mark on the line, and no other block begins behind it.
            item.task = task[1] != " "
            at.skip_blank()
            at.skip(len(task[0]))
            return False
        return True

    def begin_table(self) -> None:
        """Make a table of this delimiter row and the paragraph's last line if they have as many cells."""
        each, delimiter = self.open[self.matched - 1], self.at.text()
        if each.no_table or not each.block.lines:
            return
        header = each.block.lines[-1]
        if len(tables.split_row(header)) != len(tables.split_row(delimiter)):
            each.no_table = True
            return
        each.block.lines.pop()
        each.above_table = bool(each.block.lines)
        each.block.end = header.index
        table = Block(BlockKind.TABLE, header.index, header.column, lines=[header, delimiter])
        table.alignments = tables.alignments(delimiter)
        self.push(table)
        self.at.skip_rest()

    # Where does what is left belong?

    def place(self, *, lazy: bool) -> None:
        """Give what is left of the line to the block that it belongs to."""
        at = self.at
        if lazy and not at.blank and self.innermost.kind is BlockKind.PARAGRAPH:
            self.innermost.lines.append(at.text())
            return
        self.close(self.matched)
        block = self.innermost
        if block.kind in _VERBATIM:
            if block.kind is not BlockKind.FENCE or block.start != at.index:
                block.lines.append(at.rest())
        elif at.blank:
            return
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE):
            block.lines.append(at.text())
        else:
            self.push(Block(BlockKind.PARAGRAPH, at.index, at.next + 1, lines=[at.text()]))

    # Opening and closing

    def push(self, block: Block, indent: int = 0) -> None:
        """Open a block in the innermost matched one that can hold it; what else is open ends."""
        holders = {BlockKind.LIST} if block.kind is BlockKind.ITEM else _HOLDERS
        while self.around.kind not in holders:
            self.matched -= 1
        self.close(self.matched)
        self.innermost.children.append(block)
        self.open.append(_Open(block, indent))
        self.matched = len(self.open)
        self.depth += block.kind in _NESTING

    def close(self, keep: int) -> None:
        """End all open blocks but the first `keep`."""
        while len(self.open) > keep:
            each = self.open.pop()
            block = each.block
            around = self.innermost
            self.depth -= block.kind in _NESTING
            match block.kind:
                case BlockKind.PARAGRAPH if not each.above_table:
                    self.take_definitions(block, around.children)
                case BlockKind.CODE:
                    drop_blank_end(block)
                case BlockKind.FENCE | BlockKind.HTML if block.lines:
                    block.end = max(block.end, block.lines[-1].index + 1)
                case BlockKind.LIST:
                    block.tight = not is_loose(block.children)
            around.end = max(around.end, block.end)

    @staticmethod
    def take_definitions(paragraph: Block, siblings: list[Block]) -> None:
        """Put the definitions at a paragraph's head before it; a paragraph with nothing else goes."""
        if paragraph.lines and not paragraph.lines[0].text.startswith("["):
            return
        siblings.pop()
        siblings += cut_definitions(paragraph)
        if paragraph.lines:
            siblings.append(paragraph)
