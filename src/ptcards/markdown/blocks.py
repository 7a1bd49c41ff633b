"""The only block scanner: finds which lines of a Markdown text form a fence, a list, a heading and so on.

It follows the container algorithm of CommonMark 0.31.2
(https://spec.commonmark.org/0.31.2/#appendix-a-parsing-strategy) with GitHub's tables, task items and
footnotes, and keeps the position of every line. The source parser and the renderer both read its tree, so
they can never disagree.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, zip_longest

from ptcards.markdown import tree
from ptcards.markdown.links import normalise_label, read_definition, unescape
from ptcards.markdown.tree import NESTING_LIMIT, Block
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


_NESTING = frozenset({tree.QUOTE, tree.ITEM, tree.FOOTNOTE})
_HOLDERS = _NESTING | {tree.DOCUMENT}
_LIST = frozenset({tree.LIST})
_TO_LAST_LINE = frozenset({tree.FENCE, tree.HTML})


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
    while text.startswith("[", at) and (definition := read_definition(text, at)):
        count = text.count("\n", at, definition.end) + (text[definition.end - 1] != "\n")
        lines = tuple(paragraph.lines[taken : taken + count])
        definitions.append(
            Block(
                tree.DEFINITION,
                lines[0].index,
                lines[0].column,
                lines[-1].index + 1,
                lines=lines,
                label=definition.label,
                destination=definition.destination,
                title=definition.title,
            )
        )
        at, taken = definition.end, taken + count
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
        texts = [child.start for child in item.children if child.kind is not tree.DEFINITION]
        if any(
            after.start > before.end
            and before.kind is not tree.DEFINITION
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
        self.open = [Open(Block(tree.DOCUMENT, 0, 1))]
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
            blank = blank and each.block.kind is not tree.QUOTE
            if not blank:
                each.end = end

    def push(self, block: Block, indent: int = 0) -> None:
        """Open a block in the innermost matched block that can contain it, after closing those inside."""
        holders = _LIST if block.kind is tree.ITEM else _HOLDERS
        while self.open[self.matched - 1].block.kind not in holders:
            self.matched -= 1
        opened = self.open
        if len(opened) > self.matched:
            self.close(self.matched)
        inset = opened[-1].inset
        if block.kind in _NESTING:
            self.depth += 1
            is_quote = inset is None or block.kind is tree.QUOTE
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
            if kind is tree.PARAGRAPH:
                if not each.above_table:
                    around.children += cut_definitions(each)
            elif kind in _NESTING:
                self.depth -= 1
            elif kind is tree.LIST:
                each.block = each.block._replace(tight=not is_loose(each.children))
            elif kind is tree.CODE:
                drop_blank_end(each)
            elif kind in _TO_LAST_LINE and each.lines:
                each.end = max(each.end, each.lines[-1].index + 1)
            if each.end > around.end:  # noqa: PLR1730 - `max` takes twice as long, for every block
                around.end = each.end
            if each.lines or kind is not tree.PARAGRAPH:
                around.children.append(each.closed())


CODE_INDENT = 4
"""The indentation, in columns, that makes a line code rather than any other block."""


class BlockStarts(OpenBlocks):
    """Opens blocks at the current position in a line."""

    def begins(self) -> bool:
        """Open the block that begins here, if any; return whether another block may begin inside it."""
        at = self.at
        if at.blank:
            return False
        if at.indent >= CODE_INDENT:
            if self.innermost.block.kind is not tree.PARAGRAPH:
                at.skip_columns(CODE_INDENT)
                self.push(Block(tree.CODE, at.index, at.offset + 1), CODE_INDENT)
            return False
        text = at.line[at.next :]
        first = text[0]
        if first not in tree.FIRST_CHARACTERS:
            return False
        in_paragraph = self.around.block.kind is tree.PARAGRAPH
        if first == ">":
            return self.begin_quote()
        if (
            (first in "#`~<" and self.begin_leaf(text, in_paragraph=in_paragraph))
            or (in_paragraph and self.underline(text))
            or (first in "-_*" and self.begin_rule(text))
        ):
            return False
        if footnote := tree.FOOTNOTE_MARK.match(text):
            return self.begin_footnote(footnote[1], footnote.end())
        if (marker := tree.MARKER.match(text)) and (
            not in_paragraph or ((marker[1] or "1").lstrip("0") == "1" and text[marker.end() :].strip(" \t"))
        ):
            return self.begin_item(marker[0], marker[1])
        if in_paragraph and tree.is_delimiter_row(text):
            self.begin_table()
        return False

    def begin_quote(self) -> bool:
        """Begin a quote; return whether another block may begin inside it."""
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        self.push(Block(tree.QUOTE, at.index, at.next + 1))
        at.skip_blank()
        at.skip(1)
        at.skip_space()
        return True

    def begin_leaf(self, text: str, *, in_paragraph: bool) -> bool:
        """Begin a heading, a fence or HTML if the line begins one; return whether it does."""
        at = self.at
        index, column = at.index, at.next + 1
        if text[0] == "#" and (match := tree.HEADING_MARK.match(text)):
            line = Line(tree.heading_text(text, match.end()), index, column + match.end())
            block = Block(tree.HEADING, index, column, lines=(line,), level=len(match[1]))
        elif text[0] in "`~" and (fence := tree.fence(text)):
            info = unescape(fence[1])
            block = Block(tree.FENCE, index, column, info=info, marker=fence[0], closed=False)
        elif text[0] == "<" and (condition := tree.html_condition(text, in_paragraph=in_paragraph)):
            self.push(Block(tree.HTML, index, column, html=condition))
            return True
        else:
            return False
        self.push(block, at.indent)
        at.skip_rest()
        return True

    def underline(self, text: str) -> bool:
        """Turn the open paragraph into a heading if the line is an underline; return whether it is.

        If the paragraph contains only definitions, the line becomes its text, as on GitHub.
        """
        each = self.around
        if not tree.UNDERLINE.match(text):
            return False
        self.open[self.matched - 2].children += cut_definitions(each)
        if not each.lines:
            each.block = each.block._replace(start=self.at.index, column=self.at.next + 1)
            return True
        level = 1 if text[0] == "=" else 2
        each.block = each.block._replace(kind=tree.HEADING, setext=True, level=level)
        self.reach(self.at.index + 1)
        self.matched -= 1
        self.close(self.matched)
        self.at.skip_rest()
        return True

    def begin_rule(self, text: str) -> bool:
        """Begin a horizontal rule if the line is one; return whether it is."""
        if not tree.RULE_LINE.match(text):
            return False
        self.push(Block(tree.RULE, self.at.index, self.at.next + 1))
        self.at.skip_rest()
        return True

    def begin_footnote(self, label: str, width: int) -> bool:
        """Begin a footnote; return whether another block may begin inside it."""
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        block = Block(tree.FOOTNOTE, at.index, at.next + 1, label=normalise_label(label))
        self.push(block, CODE_INDENT)
        at.skip_blank()
        at.skip_columns(width)
        return True

    def begin_item(self, marker: str, number: str | None) -> bool:
        """Begin an item, and a list if none of its kind is open; return whether a block may begin inside."""
        at, around = self.at, self.around.block
        if self.depth >= NESTING_LIMIT:
            return False
        start, column, indent, mark = at.index, at.next + 1, at.indent, marker[-1]
        first_on_line = not at.line[: at.next].strip(" \t")
        at.skip_blank()
        at.skip(len(marker))
        width = at.indent
        if at.blank or width > CODE_INDENT:
            width = 1
            at.skip_space()
        else:
            at.skip_blank()
        if around.kind is not tree.LIST or around.marker != mark:
            ordered = number is not None
            self.push(Block(tree.LIST, start, column, marker=mark, ordered=ordered, number=int(number or 1)))
        self.push(Block(tree.ITEM, start, column, marker=mark), indent + len(marker) + width)
        if first_on_line and at.indent < CODE_INDENT and (task := tree.TASK.match(at.line, at.next)):
            # As on GitHub, a box must not follow another mark on the line, and no block begins after it.
            self.innermost.block = self.innermost.block._replace(task=task[1] != " ")
            at.skip_blank()
            at.skip(len(task[0]))
            return False
        return True

    def begin_table(self) -> None:
        """Begin a table if this delimiter row has as many cells as the line above it, the header."""
        each, delimiter = self.open[self.matched - 1], self.at.text()
        if each.no_table or not each.lines:
            return
        header = each.lines[-1]
        if len(tree.split_row(header)) != len(tree.split_row(delimiter)):
            each.no_table = True
            return
        each.lines.pop()
        each.above_table = bool(each.lines)
        each.end = header.index
        columns = tree.alignments(delimiter)
        lines = (header, delimiter)
        self.push(Block(tree.TABLE, header.index, header.column, lines=lines, alignments=columns))
        self.at.skip_rest()


_SHORT = 4096
_MOST = 256
"""How many texts to keep: more than a source usually has. Old blocks are slow to reach and to free."""
_newer: dict[str, Block] = {}
_older: dict[str, Block] = {}
"""the blocks of up to `_MOST` recent short texts, and of those before them"""
_new = tuple.__new__
_VERBATIM = frozenset({tree.FENCE, tree.CODE, tree.HTML})
_ENDING = frozenset({tree.PARAGRAPH, tree.HEADING, tree.RULE, tree.TABLE})
_PLAIN = (_ENDING - {tree.TABLE}) | {tree.DOCUMENT, tree.ITEM, tree.FOOTNOTE}
_ALONE = frozenset("#<`~")


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
    compares them), in a third of the time: a cold build of the PyTorch deck takes 9% less.
    """
    if len(markdown) > _SHORT or markdown.endswith("\n"):
        return  # at the end of a text, `scan` drops an empty line, even of an unclosed fence
    moved: list[Block] = []
    end = last = 0
    for block in blocks:
        start = end + (block.start > last if moved else 0)
        moved.append(_moved(block, start - block.start))
        last, end = block.end, start + block.end - block.start
    _keep(markdown, Block(tree.DOCUMENT, 0, 1, end, tuple(moved)))


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
        if not (scanner.feed_plain(line, index) or scanner.feed_alone(line, index)):
            scanner.feed(line, index)
    scanner.close(1)
    return scanner.open[0].closed()


class _Scanner(BlockStarts):
    """Scans line by line.

    For each line, `feed` finds which open blocks it continues (the first `matched`), then which blocks it
    begins, and then which block the rest of the line belongs to. `feed_plain` and `feed_alone` do the same
    for most lines, in a small part of the time.
    """

    def feed(self, line: str, index: int) -> None:
        """Add the next line to the blocks that it belongs to."""
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
        if last.block.kind is tree.HTML and tree.html_ends(last.block.html, last.lines[-1].text):
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
        if block.kind is tree.FENCE:
            if each.indent or block.marker in line:
                return line[width:] == block.marker and not each.indent and self.feed_fence_end(each, index)
            each.lines.append(_new(Line, (line[width:], index, width + 1)))
            return True
        if not line:
            return self.feed_nothing(each)
        if block.kind not in _PLAIN or line[width : width + 1] in tree.FIRST_CHARACTERS:
            return False
        if block.kind is not tree.PARAGRAPH:
            if block.kind in _ENDING:
                self.close(len(self.open) - 1)
            each = Open(Block(tree.PARAGRAPH, index, width + 1), inset=inset)
            self.open.append(each)
        each.lines.append(_new(Line, (line[width:], index, width + 1)))
        each.end = index + 1
        return True

    def feed_nothing(self, each: Open) -> bool:
        """Handle an empty line outside quotes and code if only the innermost block matters.

        Return whether it was handled.
        """
        kind = each.block.kind
        if kind in _ENDING or (kind is tree.HTML and tree.html_ends_blank(each.block.html)):
            self.close(len(self.open) - 1)
            return True
        # An item may begin with one empty line, but not with two.
        return kind in _PLAIN and (kind is not tree.ITEM or bool(each.children))

    def feed_fence_end(self, each: Open, index: int) -> bool:
        """Close an open fence with a line that is only its marks; return true."""
        each.block = each.block._replace(closed=True)
        self.reach(index + 1)
        self.close(len(self.open) - 1)
        return True

    def feed_alone(self, line: str, index: int) -> bool:
        """Add the line if it is a heading, a comment or the start of a fence, without indentation.

        Return whether it is. Such a line continues no block except a fence or HTML outside other blocks.
        """
        first = line[:1]
        if first not in _ALONE or (len(self.open) > 1 and self.open[1].block.kind in _TO_LAST_LINE):
            return False
        if first == "#" and (match := tree.HEADING_MARK.match(line)):
            text = Line(tree.heading_text(line, match.end()), index, 1 + match.end())
            block = Block(tree.HEADING, index, 1, index + 1, lines=(text,), level=len(match[1]))
        elif first == "<" and line.startswith("<!--") and "-->" in line:
            block = Block(tree.HTML, index, 1, index + 1, lines=(Line(line, index),), html=tree.COMMENT)
        elif first in "`~" and (fence := tree.fence(line)):
            block = Block(
                tree.FENCE, index, 1, index + 1, info=unescape(fence[1]), marker=fence[0], closed=False
            )
        else:
            return False
        self.close(1)
        document = self.open[0]
        document.end = index + 1
        if block.closed:
            document.children.append(block)
        else:
            self.open.append(Open(block, end=index + 1))
        return True

    # Which open blocks does the line continue?

    def continues(self, each: Open) -> bool:
        """Skip the block's marks if the line continues the block; return whether it does."""
        at = self.at
        match each.block.kind:
            case tree.LIST:
                return True
            case tree.QUOTE:
                if at.indent >= CODE_INDENT or not at.line.startswith(">", at.next):
                    return False
                at.skip_blank()
                at.skip(1)
                at.skip_space()
                return True
            case tree.ITEM | tree.FOOTNOTE | tree.CODE:
                return self.skip_indent(each)
            case tree.FENCE:
                if self.closes_fence():
                    return False
                at.skip_columns(min(at.indent, each.indent))
                return True
            case tree.HTML:
                return not (at.blank and tree.html_ends_blank(each.block.html))
            case tree.PARAGRAPH:
                return not at.blank
            case tree.TABLE:
                return at.line[at.next :].strip(" \t") not in ("", "|")
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
        if block.kind is tree.ITEM and is_innermost and not each.children:
            return False
        at.skip_blank()
        # On GitHub, a line of only spaces ends a footnote.
        return block.kind is not tree.FOOTNOTE or not at.line

    def closes_fence(self) -> bool:
        """Whether the line ends an open fence."""
        block, at = self.open[-1].block, self.at
        if block.kind is not tree.FENCE or at.indent >= CODE_INDENT:
            return False
        marks = at.line[at.next :].rstrip(" \t")
        return len(marks) >= len(block.marker) and marks == block.marker[0] * len(marks)

    # Where does the rest of the line belong?

    def place(self, *, lazy: bool) -> None:
        """Add the rest of the line to the block that it belongs to."""
        at = self.at
        if lazy and not at.blank and self.innermost.block.kind is tree.PARAGRAPH:
            self.innermost.lines.append(at.text())
            return
        if len(self.open) > self.matched:
            self.close(self.matched)
        each = self.innermost
        block = each.block
        if block.kind in _VERBATIM:
            if block.kind is not tree.FENCE or block.start != at.index:
                each.lines.append(at.rest())
        elif at.blank:
            return
        elif block.kind in (tree.PARAGRAPH, tree.TABLE):
            each.lines.append(at.text())
        else:
            self.push(Block(tree.PARAGRAPH, at.index, at.next + 1, lines=(at.text(),)))
