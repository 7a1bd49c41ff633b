"""The blocks of a source in which only marked headings are questions."""

from collections.abc import Sequence

from ptcards.diagnostics import warning
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.notes import Line, Text
from ptcards.source.attributes import is_card_comment
from ptcards.source.parts import COMMENT
from ptcards.source.sections import Sorter, SourceBlocks, TypeOf


class MarkedSorter(Sorter):
    """Treats headings of any level as questions if they end with a mark or have a card comment."""

    def __init__(self, text: Text, mark: str, type_of: TypeOf) -> None:
        super().__init__(text, 0, type_of)
        self.mark = mark
        self.into = []

    def run(self, document: Block) -> SourceBlocks:  # noqa: D102 - as in Sorter
        children = document.children
        for block, following in zip(children, [*children[1:], None], strict=True):
            if block.kind is BlockKind.HEADING:
                self._any_heading(block, following)
            elif self.note is None:
                continue
            elif block.kind is BlockKind.HTML and block.html == COMMENT:
                self._comment(block)
            elif block.kind not in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
                self._content(block)
        notes = self.result.decks[0].notes
        self.result.decks[0].notes = [note for note in notes if not note.attributes.skip]
        return self.result

    def _any_heading(self, block: Block, following: Block | None) -> None:
        if self.note is not None and block.level <= self.level:
            self.note, self.into, self.level = None, [], 0
        title = self._cut_mark(block)
        is_marked = title is not None or (
            following is not None
            and following.kind is BlockKind.HTML
            and is_card_comment(following.lines[0].text, bare=True)
        )
        if is_marked:
            self.level = block.level
            self._check_heading(block)
            self._begin_note(block, title or block.lines)
        elif self.note is not None and block.level == self.level + 1:
            self._section(block, " ".join(line.text for line in block.lines).strip())
        elif self.note is not None:
            self._content(block)

    def _skipped(self, comment: Block) -> None:
        if self.note is not None and self.note.title is self.note.heading.lines:
            place = self.text.location(comment.start, comment.column)
            length = len(comment.lines[0].text.rstrip())
            message = "only marked headings are cards, so there is nothing to skip"
            self.result.diagnostics.append(warning(place, "unused-skip", message, "delete it", length))

    def _cut_mark(self, block: Block) -> Sequence[Line] | None:
        """Return a heading's text before the mark, or None if it does not end with the mark."""
        *above, last = block.lines or [Line("", block.start)]
        text = last.text.rstrip()
        before = text.removesuffix(self.mark)
        if before == text or (before and not before[-1].isspace()):
            return None
        return [*above, last._replace(text=before.rstrip())]
