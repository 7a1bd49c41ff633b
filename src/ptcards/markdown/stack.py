"""The blocks that are open between two lines: how the block scanner opens and closes them."""

from dataclasses import dataclass
from itertools import pairwise, zip_longest

from ptcards.markdown.cursor import Cursor
from ptcards.markdown.links import read_definition
from ptcards.markdown.tree import BlockKind, MutableBlock


def cut_definitions(paragraph: MutableBlock) -> list[MutableBlock]:
    """Cut the link reference definitions off the head of a paragraph, which may be left without lines."""
    text = "\n".join(line.text for line in paragraph.lines)
    definitions: list[MutableBlock] = []
    at = taken = 0
    while text.startswith("[", at) and (definition := read_definition(text, at)):
        count = text.count("\n", at, definition.end) + (text[definition.end - 1] != "\n")
        lines = paragraph.lines[taken : taken + count]
        block = MutableBlock(BlockKind.DEFINITION, lines[0].index, lines[0].column, lines[-1].index + 1)
        block.lines, block.label = lines, definition.label
        block.destination, block.title = definition.destination, definition.title
        definitions.append(block)
        at, taken = definition.end, taken + count
    paragraph.lines = paragraph.lines[taken:]
    if paragraph.lines:
        paragraph.start, paragraph.column = paragraph.lines[0].index, paragraph.lines[0].column
    return definitions


def drop_blank_end(code: MutableBlock) -> None:
    """Drop the blank lines at the end of indented code."""
    while not code.lines[-1].text.strip(" \t"):
        code.lines.pop()
    code.end = code.lines[-1].index + 1


def is_loose(items: list[MutableBlock]) -> bool:
    """Whether blank lines part two items or, as far as text stands on both sides, two children of one."""
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


_NESTING = frozenset({BlockKind.QUOTE, BlockKind.ITEM, BlockKind.FOOTNOTE})
_HOLDERS = _NESTING | {BlockKind.DOCUMENT}
_LIST = frozenset({BlockKind.LIST})
_TO_LAST_LINE = frozenset({BlockKind.FENCE, BlockKind.HTML})


@dataclass(slots=True)
class Open:
    """A block that the next line may go on.

    `indent`: of an item or footnote the columns before its content, of a fence those before its marks.
    `no_table`: a delimiter row did not fit the paragraph; GitHub asks but once. `above_table`: what is left
    of a paragraph above a table; GitHub looks for no definitions there.
    """

    block: MutableBlock
    indent: int = 0
    no_table: bool = False
    above_table: bool = False


class OpenBlocks:
    """The open blocks from the document down; the next line goes on the first `matched` of them.

    `depth` counts those that nest; `at` is the place in the line.
    """

    def __init__(self) -> None:
        self.root = MutableBlock(BlockKind.DOCUMENT, 0, 1)
        self.open = [Open(self.root)]
        self.matched = 1
        self.depth = 0
        self.at = Cursor()

    @property
    def around(self) -> MutableBlock:
        """The innermost block that the line goes on."""
        return self.open[self.matched - 1].block

    @property
    def innermost(self) -> MutableBlock:
        """The innermost open block."""
        return self.open[-1].block

    def reach(self, end: int, *, blank: bool = False) -> None:
        """Let the open blocks last up to this line.

        If nothing stands on it but marks of quotes, only those.
        """
        for each in reversed(self.open):
            blank = blank and each.block.kind is not BlockKind.QUOTE
            if not blank:
                each.block.end = end

    def push(self, block: MutableBlock, indent: int = 0) -> None:
        """Open a block in the innermost matched one that can hold it; what else is open ends."""
        holders = _LIST if block.kind is BlockKind.ITEM else _HOLDERS
        while self.open[self.matched - 1].block.kind not in holders:
            self.matched -= 1
        opened = self.open
        if len(opened) > self.matched:
            self.close(self.matched)
        opened[-1].block.children.append(block)
        opened.append(Open(block, indent))
        self.matched = len(opened)
        self.depth += block.kind in _NESTING

    def close(self, keep: int) -> None:
        """End all open blocks but the first `keep`."""
        opened = self.open
        while len(opened) > keep:
            each = opened.pop()
            block = each.block
            around = opened[-1].block
            kind = block.kind
            if kind is BlockKind.PARAGRAPH:
                if not each.above_table:
                    self.take_definitions(block, around.children)
            elif kind in _NESTING:
                self.depth -= 1
            elif kind is BlockKind.LIST:
                block.tight = not is_loose(block.children)
            elif kind is BlockKind.CODE:
                drop_blank_end(block)
            elif kind in _TO_LAST_LINE and block.lines:
                block.end = max(block.end, block.lines[-1].index + 1)
            around.end = max(around.end, block.end)

    @staticmethod
    def take_definitions(paragraph: MutableBlock, siblings: list[MutableBlock]) -> None:
        """Put the definitions at a paragraph's head before it; a paragraph with nothing else goes."""
        if paragraph.lines and not paragraph.lines[0].text.startswith("["):
            return
        siblings.pop()
        siblings += cut_definitions(paragraph)
        if paragraph.lines:
            siblings.append(paragraph)
