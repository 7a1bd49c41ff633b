"""The results of the stages of reading a source: its page, the parts of its notes, its notes and decks."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from ptcards.diagnostics import Diagnostic, Location
from ptcards.identity.hashes import Summary
from ptcards.markdown.blocks import Block, BlockKind, keep_cut
from ptcards.notes import Choice, Kind, LeftOut, Line, Note, Text
from ptcards.source.attributes import Attributes
from ptcards.source.collection import Collection
from ptcards.source.readers.registry import OWN
from ptcards.source.reading import SourceSettings

_NO_TEXT = Text()
_UNSET = Attributes()


class Surroundings(NamedTuple):
    """What a source may depend on in its collection; `lone` is true if no other source is in it."""

    root: Path
    configured: bool
    lone: bool
    name: str
    tags: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, collection: Collection) -> Self:
        """Return what the sources of a collection may depend on."""
        config, lone = collection.config, len(collection.sources) == 1
        return cls(collection.root, collection.configured, lone, config.name, config.tags, config.language)


@dataclass(frozen=True, slots=True)
class Page:
    """A source as passed to readers.

    `name` is its path below the collection's root. `text` has blank lines in place of front matter; `lines`
    are its lines, and `document` has its blocks. `front` is the front matter, and `defaults` are the settings
    in it.
    """

    name: str
    text: Text
    lines: list[str]
    document: Block
    reading: SourceSettings
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


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a note, without the link and footnote definitions that are elsewhere in its source.

    `attributes` are the settings of this note only.
    """

    place: Location
    deck: DeckPart
    kind: Kind
    heading: Text = _NO_TEXT
    question: Text = _NO_TEXT
    answer: Text = _NO_TEXT
    choices: Sequence[Choice] = ()
    typed: str = ""
    hint: Text = _NO_TEXT
    details: Text = _NO_TEXT
    sources: Text = _NO_TEXT
    attributes: Attributes = _UNSET
    own_type: str = ""
    """the key of its note type, if that is one of the collection's own"""
    fields: Sequence[tuple[str, Text]] = ()
    """the note's fields in order, each with its name, if it has such a type"""
    certain: bool = False
    """whether the note's kind is independent of its texts"""
    tags: tuple[str, ...] = ()
    """additional tags, which the author did not set in the note's attributes"""


@dataclass(slots=True)
class Found:
    """The result of a reader; a footnote in `footnotes` is reported if no note refers to it.

    `notes` may be lazy: `diagnostics` are complete only after all notes have been consumed.
    """

    deck_tags: frozenset[str] = frozenset()
    """tags in the front matter that name decks instead of tagging notes"""
    schedules: tuple[int, int] = (0, 0)
    """the number of cards with another program's schedule, and the line of the first"""
    is_skipped: bool = False
    """whether the author says that the source contains no notes"""

    notes: Iterable[Parts] = ()
    decks: list[DeckPart] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    footnotes: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeckText:
    """A deck named in a source; `place` is the location of its name."""

    name: str
    place: Location
    description: str


class MediaUse(NamedTuple):
    """A file that a source shows, with its name in Anki and its digest; `place` is its first use."""

    name: str
    digest: str
    file: str
    place: Location
    length: int


class Ignored(NamedTuple):
    """A rule that a note ignores: the note's number in its source, the rule's name, and its location."""

    note: int
    rule: str
    place: Location


def count_of(count: int, what: str) -> str:
    """Return a count with a plural noun, whose first word becomes singular if the count is 1."""
    noun, space, rest = what.partition(" ")
    return f"{count:,} {noun.removesuffix('s') if count == 1 else noun}{space}{rest}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a source looks like: the dialect, the number of cards, and the location of the first.

    `dialect` is named as on the command line. For other formats it is the name of their tool with the prefix
    `foreign:`, or `question-level` with a number. `what` names the things counted, in the plural.
    """

    dialect: str
    sure: bool
    count: int
    place: Location
    what: str

    @property
    def words(self) -> str:
        """The count and what was counted, in words."""
        return count_of(self.count, self.what)


def seems_foreign(dialect: str, notes: Sequence[object], evidence: Sequence[Evidence]) -> bool:
    """Whether a source has no notes, and was certainly written for another program."""
    return dialect == OWN and not notes and any(each.sure for each in evidence)


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """The contents of one source; `summaries` are those of its notes.

    They depend on the source, the collection's settings, the media, and whether the source is the only one.
    """

    notes: tuple[Note, ...]
    summaries: tuple[Summary, ...]
    decks: tuple[DeckText, ...]
    diagnostics: tuple[Diagnostic, ...]
    media: tuple[MediaUse, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    dialect: str = OWN
    language: str = ""
    left_out: tuple[LeftOut, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    schedules: tuple[int, int] = (0, 0)


def cut_blocks(page: Page, blocks: Sequence[Block]) -> Text:
    """Return the text of these blocks, without comments, and without rules at the end.

    A comment that keeps text out of the list above it is replaced by an empty comment.
    """
    kept = list(blocks)
    while kept and (kept[-1].kind is BlockKind.RULE or _is_comment(kept[-1])):
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
    first = bisect_left(children, kept[0].start, key=lambda block: block.start)
    if [*children[first : first + len(kept)]] != kept or any(map(_is_comment, kept)):
        return False
    above = children[first - 1] if first else None
    return above is None or above.kind is BlockKind.HEADING or above.end < kept[0].start


def _lines(lines: Sequence[str], kept: Sequence[Block]) -> list[Line]:
    """Return the lines of each block together, with one empty line between blocks that are apart."""
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
            # Blank lines between blocks have no meaning, but removing a definition or comment must not join
            # its neighbours.
            apart = last.end < block.start
            cut += [Line("", block.start - 1)] if apart else []
        cut.append(Line("\n".join(lines[block.start : block.end]), block.start))
        last = block
    return cut


def _is_comment(block: Block) -> bool:
    return block.is_comment and block.text.rstrip().endswith("-->")
