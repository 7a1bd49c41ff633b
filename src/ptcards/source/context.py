"""The headings above a card of another program, for people who want to see them on it."""

from bisect import bisect_right

from ptcards.markdown.blocks import Block, BlockKind
from ptcards.source.decks import plain_heading


class Context:
    """The headings of a source: which of them are above a line."""

    def __init__(self, document: Block) -> None:
        self._starts: list[int] = []
        self._titles: list[tuple[str, ...]] = []
        """for each heading its own title, below those of the headings above it"""
        open_: list[tuple[int, str]] = []
        for block in document.children:
            if block.kind is BlockKind.HEADING:
                while open_ and open_[-1][0] >= block.level:
                    open_.pop()
                open_.append((block.level, plain_heading(block)))
                self._starts.append(block.start)
                self._titles.append(tuple(title for _, title in open_))

    def of(self, line: int) -> str:
        """Return the headings above a line (from 1), the highest first, without one on the line."""
        number = bisect_right(self._starts, line - 1) - 1
        if number < 0:
            return ""
        titles = self._titles[number]
        return " › ".join(filter(None, titles[:-1] if self._starts[number] == line - 1 else titles))
