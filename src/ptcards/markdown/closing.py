"""What can only be said of a block when all its lines are known."""

from itertools import pairwise, zip_longest

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
    """Say whether blank lines part two items or, as far as text stands on both sides, two children of one."""
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
