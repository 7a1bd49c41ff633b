"""Finds the texts in a block that contain inline Markdown, and the targets of their links."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ptcards.markdown import tables
from ptcards.markdown.tree import Block, BlockKind
from ptcards.notes import Line


@dataclass(frozen=True, slots=True)
class LinkTarget:
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
        return Paragraph(lines[0].text.rstrip(" \t"), (lines[0],), (0,))
    starts = [0]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line.text) + 1)
    return Paragraph("\n".join([line.text for line in lines]).rstrip(" \t"), tuple(lines), tuple(starts))


def cell_paragraph(cell: Line) -> Paragraph:
    r"""Return the paragraph in a table cell, where `\|` means `|`."""
    if r"\|" not in cell.text:
        return Paragraph(cell.text, (cell,), (0,))
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
    if block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING):
        yield paragraph_of(block.lines)
    elif block.kind is BlockKind.TABLE:
        for row in (block.lines[0], *block.lines[2:]):
            for cell in tables.split_row(row)[: len(block.alignments)]:
                yield cell_paragraph(cell)


def targets(document: Block) -> dict[str, LinkTarget]:
    """Return the link definitions inside a block by label; the first of each label counts."""
    found: dict[str, LinkTarget] = {}
    for block in definitions(document):
        if block.kind is BlockKind.DEFINITION:
            found.setdefault(block.label, LinkTarget(block.destination, block.title))
    return found


def footnotes(document: Block) -> dict[str, Block]:
    """Return the footnotes inside a block by label; the first of each label counts."""
    found: dict[str, Block] = {}
    for block in definitions(document):
        if block.kind is BlockKind.FOOTNOTE:
            found.setdefault(block.label, block)
    return found


def definitions(block: Block) -> Iterator[Block]:
    """Yield the definitions of links and footnotes inside a block, in GitHub's order: by their ends."""
    for child in block.children:
        if child.children:
            yield from definitions(child)
        if child.kind in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
            yield child
