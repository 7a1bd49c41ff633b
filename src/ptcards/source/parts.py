"""What every reader returns for a source: the parts of its notes, from which the parser makes notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ptcards.diagnostics import Diagnostic, Location
from ptcards.markdown.tree import Block
from ptcards.notes import Choice, Kind, LeftOut, Text
from ptcards.source.attributes import Attributes
from ptcards.source.reading import Reading

_NO_TEXT = Text()
_UNSET = Attributes()


@dataclass(frozen=True, slots=True)
class Page:
    """A source as passed to readers: `lines` are those of `text` without front matter, `document` its blocks.

    `name` is its path below the collection's root, `defaults` are the settings in its front matter, and
    `front` is all of it.
    """

    name: str
    text: Text
    lines: list[str]
    document: Block
    reading: Reading
    defaults: Attributes
    front: str = ""

    def place(self, block: Block) -> Location:
        """Return the location where a block begins."""
        return self.text.location(block.start, block.column)


@dataclass(frozen=True, slots=True, eq=False)
class DeckPart:
    """A deck as named in a source: its levels, below or instead of its folders, its location and description.

    With `alone`, it has no level above it if a single file is built as a preview.
    """

    levels: tuple[str, ...]
    place: Location
    description: Text = _NO_TEXT
    alone: bool = False
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a note: texts without link and footnote definitions from elsewhere.

    `attributes` are the settings for this note only.
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
    """the fields of such a note by name, in order"""
    certain: bool = False
    """whether its kind is independent of its texts"""
    tags: tuple[str, ...] = ()
    """tags in addition to those that its author set"""


@dataclass(slots=True)
class Found:
    """The result of a reader; `footnotes` are those that some note must refer to.

    `notes` may be read lazily: `diagnostics` are only complete after that.
    """

    deck_tags: frozenset[str] = frozenset()
    """tags in the front matter that name decks instead of tagging notes"""
    is_skipped: bool = False
    """whether the author says that the source contains no notes"""

    notes: Iterable[Parts] = ()
    decks: list[DeckPart] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    footnotes: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
