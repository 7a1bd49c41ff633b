"""Opens the blocks that a line begins: the second step of the block scanner."""

from ptcards.markdown import starts, tables
from ptcards.markdown.links import normalise_label, unescape
from ptcards.markdown.stack import OpenBlocks, cut_definitions
from ptcards.markdown.tree import NESTING_LIMIT, Block, BlockKind
from ptcards.notes import Line

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
            if self.innermost.block.kind is not BlockKind.PARAGRAPH:
                at.skip_columns(CODE_INDENT)
                self.push(Block(BlockKind.CODE, at.index, at.offset + 1), CODE_INDENT)
            return False
        text = at.line[at.next :]
        first = text[0]
        if first not in starts.FIRST_CHARACTERS:
            return False
        in_paragraph = self.around.block.kind is BlockKind.PARAGRAPH
        if first == ">":
            return self.begin_quote()
        if (
            (first in "#`~<" and self.begin_leaf(text, in_paragraph=in_paragraph))
            or (in_paragraph and self.underline(text))
            or (first in "-_*" and self.begin_rule(text))
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
        """Begin a quote; return whether another block may begin inside it."""
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        self.push(Block(BlockKind.QUOTE, at.index, at.next + 1))
        at.skip_blank()
        at.skip(1)
        at.skip_space()
        return True

    def begin_leaf(self, text: str, *, in_paragraph: bool) -> bool:
        """Begin a heading, a fence or HTML if the line begins one; return whether it does."""
        at = self.at
        index, column = at.index, at.next + 1
        if text[0] == "#" and (match := starts.HEADING.match(text)):
            line = Line(starts.heading_text(text, match.end()), index, column + match.end())
            block = Block(BlockKind.HEADING, index, column, lines=(line,), level=len(match[1]))
        elif text[0] in "`~" and (fence := starts.fence(text)):
            info = unescape(fence[1])
            block = Block(BlockKind.FENCE, index, column, info=info, marker=fence[0], closed=False)
        elif text[0] == "<" and (condition := starts.html_condition(text, in_paragraph=in_paragraph)):
            self.push(Block(BlockKind.HTML, index, column, html=condition))
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
        if not starts.UNDERLINE.match(text):
            return False
        self.open[self.matched - 2].children += cut_definitions(each)
        if not each.lines:
            each.block = each.block._replace(start=self.at.index, column=self.at.next + 1)
            return True
        level = 1 if text[0] == "=" else 2
        each.block = each.block._replace(kind=BlockKind.HEADING, setext=True, level=level)
        self.reach(self.at.index + 1)
        self.matched -= 1
        self.close(self.matched)
        self.at.skip_rest()
        return True

    def begin_rule(self, text: str) -> bool:
        """Begin a horizontal rule if the line is one; return whether it is."""
        if not starts.RULE.match(text):
            return False
        self.push(Block(BlockKind.RULE, self.at.index, self.at.next + 1))
        self.at.skip_rest()
        return True

    def begin_footnote(self, label: str, width: int) -> bool:
        """Begin a footnote; return whether another block may begin inside it."""
        at = self.at
        if self.depth >= NESTING_LIMIT:
            return False
        block = Block(BlockKind.FOOTNOTE, at.index, at.next + 1, label=normalise_label(label))
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
        if around.kind is not BlockKind.LIST or around.marker != mark:
            ordered = number is not None
            self.push(
                Block(BlockKind.LIST, start, column, marker=mark, ordered=ordered, number=int(number or 1))
            )
        self.push(Block(BlockKind.ITEM, start, column, marker=mark), indent + len(marker) + width)
        if first_on_line and at.indent < CODE_INDENT and (task := starts.TASK.match(at.line, at.next)):
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
        if len(tables.split_row(header)) != len(tables.split_row(delimiter)):
            each.no_table = True
            return
        each.lines.pop()
        each.above_table = bool(each.lines)
        each.end = header.index
        columns = tables.alignments(delimiter)
        lines = (header, delimiter)
        self.push(Block(BlockKind.TABLE, header.index, header.column, lines=lines, alignments=columns))
        self.at.skip_rest()
