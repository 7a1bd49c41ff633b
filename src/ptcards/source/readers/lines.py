"""Finds what a source's lines contain outside code, for readers that look for marks inside lines."""

import re
from collections.abc import Iterable, Iterator

from ptcards.markdown.blocks import Block, BlockKind
from ptcards.markdown.inlines import read_inlines
from ptcards.markdown.paragraphs import paragraphs
from ptcards.markdown.tree import SpanKind

BLANK = "\0"
"""Replaces each character of a code span or a formula."""

_HIDDEN = frozenset({SpanKind.CODE, SpanKind.MATH, SpanKind.DISPLAY_MATH})
_TAGS = 6
"""CommonMark's HTML blocks from this start condition on are text between tags."""
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")


def outside_code(document: Block, lines: Iterable[str]) -> list[str | None]:
    """Return each line with its code spans and formulas blanked.

    Lines of code and comments are `None`.
    """
    seen: list[str | None] = list(lines)
    for block in _leaves(document):
        if block.kind in (BlockKind.FENCE, BlockKind.CODE) or (
            block.kind is BlockKind.HTML and block.html < _TAGS
        ):
            seen[block.start : block.end] = [None] * (block.end - block.start)
        elif block.kind is BlockKind.HTML:
            for index in range(block.start, block.end):
                seen[index] = _CODE_SPAN.sub(lambda found: BLANK * len(found[0]), seen[index] or "")
        elif any("`" in line.text or "$" in line.text for line in block.lines):
            _blank_spans(block, seen)
    return seen


def _leaves(block: Block) -> Iterator[Block]:
    for child in block.children:
        yield from _leaves(child)
    if not block.children:
        yield block


def _blank_spans(block: Block, seen: list[str | None]) -> None:
    """Blank code spans and formulas, line by line.

    A backtick without a partner must not hide the next card.
    """
    changed: dict[int, list[str]] = {}
    for paragraph in paragraphs(block):
        begin = 0
        for line in paragraph.text.split("\n"):
            spans = list(read_inlines(line, {}, (), deletions_too=False).spans)
            while spans:
                span = spans.pop()
                spans += span.children
                if span.kind in _HIDDEN:
                    for offset in range(begin + span.start, begin + span.end):
                        index, column = paragraph.place(offset)
                        changed.setdefault(index, list(seen[index] or ""))[column - 1] = BLANK
            begin += len(line) + 1
    for index, characters in changed.items():
        seen[index] = "".join(characters)
