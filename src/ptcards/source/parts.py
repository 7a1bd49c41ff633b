"""What every reader gives of a source: the parts of its notes, from which the one parser makes notes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ptcards.diagnostics import Diagnostic, Location
from ptcards.markdown.tree import Block
from ptcards.notes import Choice, Kind, Text
from ptcards.source.attributes import Attributes
from ptcards.source.reading import Reading

_NO_TEXT = Text()
_UNSET = Attributes()


@dataclass(frozen=True, slots=True)
class Page:
    """A source as readers get it: `lines` are those of `text`, front matter blanked out, `document` its blocks.

    `name` is its path below the collection's root, `defaults` are what its front matter says, `front` is all of it.
    """

    name: str
    text: Text
    lines: list[str]
    document: Block
    reading: Reading
    defaults: Attributes
    front: str = ""

    def place(self, block: Block) -> Location:
        """Return where a block begins."""
        return self.text.location(block.start, block.column)


@dataclass(frozen=True, slots=True, eq=False)
class DeckPart:
    """A deck as a source names it: its levels below its folders, or in their place, where, and what it says of it.

    One that may stand `alone` has no level above it where a lone file is built for a look.
    """

    levels: tuple[str, ...]
    place: Location
    description: Text = _NO_TEXT
    alone: bool = False
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """One note, taken apart: texts without the definitions of links and footnotes that stand elsewhere.

    `attributes` are what was set for this note alone.
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
    """the key of the note type of the collection's own that holds it"""
    fields: Sequence[tuple[str, Text]] = ()
    """of such a note: all of them by name, in order"""
    certain: bool = False
    """its kind does not depend on what its texts hold"""
    tags: tuple[str, ...] = ()
    """besides those that its author set for it"""


@dataclass(slots=True)
class Found:
    """What a reader found; `footnotes` are those that some note must refer to.

    What `notes` are read from may be looked at while they are asked for: `diagnostics` are whole when they were.
    """

    deck_tags: frozenset[str] = frozenset()
    """tags of the front matter that name decks, not notes"""
    is_skipped: bool = False
    """the author says that the source holds no notes"""

    notes: Iterable[Parts] = ()
    decks: list[DeckPart] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    footnotes: list[Block] = field(default_factory=list)
    left_out: list["LeftOut"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A card that was found but cannot be a note, and why: what it lacks in words, or the rule of an error."""

    place: Location
    heading: str
    cause: str
