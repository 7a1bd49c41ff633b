"""What a reader gets of a source, its page, and what it returns: decks and notes with their sections."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.markdown.blocks import keep_cut
from ptcards.markdown.tree import CODE, HEADING, LIST, RULE, Block
from ptcards.notes import LeftOutCard, Line, Note, Text
from ptcards.source.attributes import UNSET, Attributes
from ptcards.source.source import SourceSettings

_NO_TEXT = Text()


class Page(NamedTuple):
    """A source as passed to readers.

    `name` is its path below the collection's root. `text` has blank lines in place of front matter; `lines`
    are its lines, and `document` has its blocks. `front` is the front matter, and `defaults` are the settings
    in it.
    """

    name: str
    text: Text
    lines: list[str]
    document: Block
    settings: SourceSettings
    defaults: Attributes
    front: str = ""

    def place(self, block: Block) -> Location:
        """Return the location where a block begins."""
        return self.text.location(block.start, block.column)


@dataclass(frozen=True, slots=True, eq=False)
class DeckPart:
    """A deck named in a source: its levels, its location and its description.

    The levels go below those of the source's folders, or replace them if `replaces` is set. With `alone`, no
    level is added above the deck when a single file is built as a preview.
    """

    levels: tuple[str, ...]
    place: Location
    description: Text = _NO_TEXT
    alone: bool = False
    replaces: bool = False


class ReadNote(NamedTuple):
    """A note as its reader leaves it: without what it gets from its deck, its settings and its source.

    The source adds the link and footnote definitions that are elsewhere in it, the defaults in its front
    matter, and media. `attributes` are the settings of this note only; tags that the author did not set there
    are in the note. `certain` is true if the note's kind is independent of its texts.
    """

    note: Note
    deck: DeckPart
    attributes: Attributes = UNSET
    certain: bool = False


@dataclass(slots=True)
class ReaderResult:
    """The result of a reader; a footnote in `footnotes` is reported if no note refers to it.

    `notes` may be lazy: `diagnostics` are complete only after all notes have been consumed.
    """

    deck_tags: frozenset[str] = frozenset()
    """tags in the front matter that name decks instead of tagging notes"""
    schedules: tuple[int, int] = (0, 0)
    """the number of cards with another program's schedule, and the line of the first"""
    has_tag: bool = False
    """whether the source has a tag that says it has cards, or needs none"""
    is_skipped: bool = False
    """whether the author says that the source contains no notes"""

    notes: Iterable[ReadNote] = ()
    decks: list[DeckPart] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    footnotes: list[Block] = field(default_factory=list)
    left_out: list[LeftOutCard] = field(default_factory=list)


def cut_blocks(page: Page, blocks: Sequence[Block]) -> Text:
    """Return the text of these blocks, without comments, and without rules at the end.

    A comment that keeps text out of the list above it is replaced by an empty comment.
    """
    kept = list(blocks)
    while kept and (kept[-1].kind is RULE or _is_comment(kept[-1])):
        kept.pop()
    while kept and _is_comment(kept[0]):
        kept.pop(0)
    if not kept:
        return Text("", page.text.path, page.text.runs[:1])
    text = page.text.cut(_lines(page.lines, kept))
    if _are_together(page.document.children, kept):
        keep_cut(text.markdown, kept)
    return text


def _are_together(children: Sequence[Block], kept: Sequence[Block]) -> bool:
    """Whether blocks are a part of a page without comments, after a heading or an empty line."""
    first = bisect_left(children, kept[0].start, key=attrgetter("start"))
    if [*children[first : first + len(kept)]] != kept or any(map(_is_comment, kept)):
        return False
    above = children[first - 1] if first else None
    return above is None or above.kind is HEADING or above.end < kept[0].start


def _lines(lines: Sequence[str], kept: Sequence[Block]) -> list[Line]:
    """Return the lines of each block together, with one empty line between blocks that are apart."""
    cut: list[Line] = []
    last: Block | None = None
    for position, block in enumerate(kept):
        if _is_comment(block):
            following = kept[position + 1].kind
            if last is not None and last.kind is LIST and following in (LIST, CODE):
                cut += [Line("", block.start), Line("<!-- -->", block.start)]
            continue
        if last is not None:
            # Blank lines between blocks have no meaning, but removing a definition or comment must not join
            # its neighbours.
            apart = last.end < block.start
            cut += [Line("", block.start - 1)] if apart else []
        cut.append(Line("\n".join(lines[block.start : block.end]), block.start))
        last = block
    return cut


def _is_comment(block: Block) -> bool:
    return block.is_comment and block.text.rstrip().endswith("-->")
