"""Adds link and footnote definitions to the texts that use them but do not contain them."""

from collections.abc import Iterator

from ptcards.diagnostics import Diagnostic, warning
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.markdown.paragraphs import definitions
from ptcards.notes import Line, Text
from ptcards.source.content import NOTHING, Content, inspect
from ptcards.source.parts import Page, cut_blocks


def _label(block: Block) -> str:
    return f"^{block.label}" if block.kind is BlockKind.FOOTNOTE else block.label


class Definitions:
    """Adds definitions to texts; `cited` are the labels used so far, with `^` before those of footnotes."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._blocks: dict[str, Block] = {}
        self.repeated: list[tuple[Block, Block]] = []
        """pairs of a definition and a later one with the same label, which is not used"""
        for block in definitions(page.document):
            # In CommonMark, the first definition of a label counts, wherever it is.
            first = self._blocks.setdefault(_label(block), block)
            if first is not block:
                self.repeated.append((first, block))
        self.cited: set[str] = set()
        self._inspected: dict[tuple[Text, bool], Content] = {}
        """the contents of the current note's texts, kept because some are inspected twice"""

    def forget(self) -> None:
        """Forget the contents of inspected texts."""
        self._inspected.clear()

    def added(self, text: Text) -> Text:
        """Return a text followed by the definitions that it uses."""
        if not text or not self._blocks or "[" not in text.markdown:
            return text
        needed: dict[str, Block] = {}
        labels = list(self.inspect(text).labels)
        while labels:
            label = labels.pop()
            block = self._blocks.get(label)
            if block is not None and label not in needed:
                needed[label] = block
                if block.kind is BlockKind.FOOTNOTE:
                    labels += inspect(cut_blocks(self._page, block.children)).labels
        self.cited |= needed.keys()
        if not needed:
            return text
        below: list[Line] = []
        for block in sorted(needed.values(), key=lambda block: block.start):
            below += [Line("", block.start - 1 if block.start else 0)]
            below += [Line(self._page.lines[index], index) for index in range(block.start, block.end)]
        tail = self._page.text.cut(below)
        height = text.markdown.count("\n") + 1
        runs = tuple(run._replace(index=run.index + height) for run in tail.runs)
        return Text(f"{text.markdown}\n{tail.markdown}", text.path, text.runs + runs)

    def repeats(self) -> Iterator[Diagnostic]:
        """Yield a warning for each definition that is not used because its label is already defined."""
        for first, block in self.repeated:
            same = (first.destination, first.title) == (block.destination, block.title)
            if block.kind is BlockKind.FOOTNOTE or not same:
                label = _label(block)
                message = (
                    f"`[{label}]` is already defined at {self._page.place(first)}, so this "
                    "definition is not used"
                )
                fix = "give one of them another label, or remove it"
                place = self._page.place(block)
                yield warning(place, "definition-twice", message, fix, len(label) + 2)

    def inspect(self, text: Text, *, heading: bool = False) -> Content:
        """Return the contents of a text."""
        if not text:
            return NOTHING
        key = text, heading
        found = self._inspected.get(key)
        if found is None:
            found = self._inspected[key] = inspect(text, heading=heading)
        return found
