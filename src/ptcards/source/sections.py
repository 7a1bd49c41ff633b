"""The blocks of a source, sorted into decks, notes and their sections."""

import re
from dataclasses import dataclass, field

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.markdown.blocks import Block, BlockKind
from ptcards.markdown.inlines import without_code
from ptcards.markdown.paragraphs import definitions, paragraph_of, paragraphs
from ptcards.notes import Line, Text
from ptcards.source.attributes import Attributes, is_card_comment, misspelt_card_comment, read_card_comment
from ptcards.suggest import suggest

COMMENT = 2
"""The condition under which CommonMark begins an HTML comment."""

SECTIONS = ("Answer", "Hint", "Details", "Sources")

_LEAVES = frozenset({BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.HTML, BlockKind.TABLE})
_COMMENT = re.compile(r"<!--(?:(?!-->).)*")


@dataclass(slots=True)
class NoteBlocks:
    """The blocks of one note by section; what stands above the first section is under `body`."""

    heading: Block
    body: list[Block] = field(default_factory=list)
    sections: dict[str, list[Block]] = field(default_factory=dict)
    attributes: Attributes = field(default_factory=Attributes)


@dataclass(slots=True)
class DeckBlocks:
    """What stands under one `#` heading; `heading` is None above the first one."""

    heading: Block | None
    description: list[Block] = field(default_factory=list)
    notes: list[NoteBlocks] = field(default_factory=list)


@dataclass(slots=True)
class SourceBlocks:
    """A source's decks, and the link and footnote definitions that count for all of it."""

    decks: list[DeckBlocks] = field(default_factory=list)
    definitions: dict[str, Block] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def sort_blocks(document: Block, text: Text) -> SourceBlocks:
    """Sort the blocks of a source (front matter blanked out) into decks, notes and sections."""
    return _Sorter(text).run(document)


class _Sorter:
    def __init__(self, text: Text) -> None:
        self.text = text
        self.result = SourceBlocks(decks=[DeckBlocks(None)])
        self.note: NoteBlocks | None = None
        self.into: list[Block] | None = None
        self.fresh = False
        self.section = ""

    def run(self, document: Block) -> SourceBlocks:
        for block in definitions(document):
            self._collect_definition(block)
        for block in document.children:
            if block.kind is BlockKind.HEADING and block.level <= 3:
                self._heading(block)
                continue
            if block.kind is BlockKind.HTML and block.html == COMMENT:
                self._comment(block)
            elif block.kind in (BlockKind.DEFINITION, BlockKind.FOOTNOTE):
                self._misplaced_comments(block)
            else:
                self._content(block)
        return self.result

    def _error(self, block: Block, rule: str, message: str, fix: str, length: int = 1) -> None:
        place = self.text.location(block.start, block.column)
        self.result.diagnostics.append(error(place, rule, message, fix, length))

    def _collect_definition(self, block: Block) -> None:
        # CommonMark: of several definitions of one label the first counts, wherever it stands.
        label = f"^{block.label}" if block.kind is BlockKind.FOOTNOTE else block.label
        first = self.result.definitions.setdefault(label, block)
        same = block.kind is BlockKind.DEFINITION and (
            (first.destination, first.title) == (block.destination, block.title)
        )
        if first is not block and not same:
            place = self.text.location(first.start, first.column)
            message = f"`[{label}]` is defined at {place} already, so this definition is not used"
            fix = "give one of the two another label, or delete it"
            here = self.text.location(block.start, block.column)
            self.result.diagnostics.append(warning(here, "definition-twice", message, fix, len(label) + 2))

    def _heading(self, block: Block) -> None:
        title = " ".join(line.text for line in block.lines).strip()
        marks = "#" * block.level
        if block.setext:
            fix = f"write `{marks} {title}`, or put a blank line above the dashes if a rule was meant"
            self._error(
                block,
                "underlined-heading",
                "text underlined with `---` or `===` is a heading on GitHub",
                fix,
                len(title) or 1,
            )
        elif block.column > 1:
            fix = f"begin the line with `{marks}`, or indent it by four spaces if it is code"
            self._error(block, "indented-heading", f"a heading `{marks}` behind spaces", fix, block.level)
        if not title:
            rule, what = (
                ("empty-deck", "deck without a name"),
                ("empty-question", "question without words"),
                ("empty-section", "section without a name"),
            )[block.level - 1]
            fix = "write it behind the marks, or delete the line"
            self._error(block, rule, f"a heading of a {what}", fix, block.level)
        if block.level == 1:
            self.result.decks.append(DeckBlocks(block))
            self.note, self.into, self.section = None, self.result.decks[-1].description, ""
        elif block.level == 2:
            self.note = NoteBlocks(block)
            self.result.decks[-1].notes.append(self.note)
            self.into, self.fresh, self.section = self.note.body, True, ""
        else:
            self._third_level(block, title)
        self._misplaced_comments(block)

    def _third_level(self, block: Block, title: str) -> None:
        section = next((name for name in SECTIONS if name.casefold() == title.casefold()), None)
        if self.note is None:
            self._content(block)
        elif section is not None:
            self.fresh = False
            if section in self.note.sections:
                self._error(
                    block,
                    "section-twice",
                    f"a second `### {section}` in one note",
                    "join them into one",
                    len(title) + 4,
                )
            self.into = self.note.sections.setdefault(section, [])
            self.section = section
        elif self.section and self.section != "Answer":
            near = suggest(title, SECTIONS)
            fix = (
                f"write `### {near}`, or `#### {title}`"
                if near
                else f"write `#### {title}`, or move it above `### {self.section}`"
            )
            message = f"`### {title}` after `### {self.section}`: only the four sections may follow"
            self._error(block, "heading-after-section", message, fix, len(title) + 4)
        else:
            if near := suggest(title, SECTIONS):
                place = self.text.location(block.start, block.column)
                message = f"`### {title}` is part of the text"
                fix = f"write `### {near}` if the section was meant, or `#### {title}`"
                self.result.diagnostics.append(
                    warning(place, "misspelt-section", message, fix, len(title) + 4)
                )
            self._content(block)

    def _comment(self, block: Block) -> None:
        comment = "\n".join(line.text for line in block.lines)
        if "-->" not in comment:
            self._error(
                block,
                "unclosed-comment",
                "a comment without an end hides the rest of the file",
                "close it with `-->`",
                4,
            )
        elif is_card_comment(comment.lstrip(" ")):
            self._card_comment(block, comment)
        elif word := misspelt_card_comment(comment.lstrip(" ")):
            self._error(
                block,
                "misspelt-card-comment",
                f"`<!-- {word}` is not read",
                "write `<!-- card: key=value -->`",
                len(word) + 5,
            )
        elif comment.rstrip().endswith("-->") and comment.count("-->") == 1:
            if self.into is not None:
                self.into.append(block)
        else:
            self._content(block)

    def _card_comment(self, block: Block, comment: str) -> None:
        if not self.fresh or self.note is None or block.column > 1:
            where = "in front of a question" if self.note is None else "too late"
            where = where if not self.fresh else "behind spaces"
            fix = "move it to the line below the `##` heading, one comment for one note"
            self._error(block, "misplaced-card-comment", f"a card comment {where}", fix, 4)
            return

        def locate(offset: int) -> Location:
            before = comment[:offset]
            row = before.count("\n")
            return self.text.location(
                block.lines[row].index, block.lines[row].column + offset - before.rfind("\n") - 1
            )

        self.fresh = False
        self.note.attributes, found = read_card_comment(comment, locate)
        self.result.diagnostics += found

    def _content(self, block: Block) -> None:
        self.fresh = False
        self._misplaced_comments(block)
        if self.into is None:
            fix = "move it below the first `#` or `##` heading, or into a comment"
            self._error(block, "text-before-heading", "text before the first heading belongs to no note", fix)
            self.into = self.result.decks[0].description
        else:
            self.into.append(block)

    def _misplaced_comments(self, block: Block) -> None:
        """Find card comments inside other text, misspelt ones too: they would be dropped without a word."""
        for child in block.children:
            self._misplaced_comments(child)
        if block.kind not in _LEAVES:
            return
        found_in = [paragraph_of(block.lines)] if block.kind is BlockKind.HTML else paragraphs(block)
        for paragraph in (each for each in found_in if "<!--" in each.text):
            text = paragraph.text if block.kind is BlockKind.HTML else without_code(paragraph.text)
            for found in _COMMENT.finditer(text):
                if is_card_comment(found[0]) or misspelt_card_comment(found[0]):
                    place = self.text.location(*paragraph.place(found.start()))
                    fix = "move it to the line below the `##` heading, alone, as `<!-- card: key=value -->`"
                    message = "a card comment inside other text"
                    self.result.diagnostics.append(error(place, "misplaced-card-comment", message, fix, 4))


def cut_blocks(text: Text, lines: list[str], blocks: list[Block]) -> Text:
    """Make a text of these blocks: without comments, and without rules at its end.

    A comment behind a list stays, as an empty one, where it keeps what follows out of the list.
    """
    kept = list(blocks)
    while kept and (kept[-1].kind is BlockKind.RULE or _is_comment(kept[-1])):
        kept.pop()
    while kept and _is_comment(kept[0]):
        kept.pop(0)
    cut: list[Line] = []
    last: Block | None = None
    for position, block in enumerate(kept):
        if _is_comment(block):
            following = kept[position + 1].kind
            if (
                last is not None
                and last.kind is BlockKind.LIST
                and following in (BlockKind.LIST, BlockKind.CODE)
            ):
                cut += [Line("", block.start), Line("<!-- -->", block.start)]
            continue
        if last is not None:
            # Blank lines between blocks mean nothing, but a definition or comment that goes must not join its
            # neighbours.
            apart = last.end < block.start
            cut += [Line("", block.start - 1)] if apart else []
        cut += [Line(lines[index], index) for index in range(block.start, block.end)]
        last = block
    return text.cut(cut)


def _is_comment(block: Block) -> bool:
    return (
        block.kind is BlockKind.HTML
        and block.html == COMMENT
        and "".join(line.text for line in block.lines).rstrip().endswith("-->")
    )
