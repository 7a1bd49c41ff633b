"""The values passed between stages, immutable and self-contained."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from ptcards.diagnostics import Diagnostic, Location, Severity, Trait
from ptcards.notes.closings import with_hidden_text
from ptcards.notes.rendered import Media
from ptcards.value_class import value_class

_DELETION = re.compile(r"\{\{c\d{1,3}::")
_new = tuple.__new__


def plain_name(text: str, *, on_one_line: bool = True) -> str:
    """Return a text, Markdown or HTML, with what each deletion hides, without its hint.

    This is what lists call a cloze. Only deletions `on_one_line` count, unless the lines are those of HTML.
    """
    return with_hidden_text(text, _DELETION, on_one_line=on_one_line)


class Kind(StrEnum):
    """What a note asks of the learner."""

    BASIC = "basic"
    REVERSED = "reversed"
    TYPED = "typed"
    CHOICE = "choice"
    CLOZE = "cloze"
    SEQUENCE = "sequence"
    SET = "set"
    OCCLUSION = "occlusion"

    @property
    def asks_items(self) -> bool:
        """Whether each item of a list is a card."""
        return self in _ASKING_ITEMS

    @property
    def is_cloze(self) -> bool:
        """Whether it is a cloze in Anki: each number of its deletions is a card."""
        return self in _IN_CLOZES


_ASKING_ITEMS = frozenset({Kind.SEQUENCE, Kind.SET, Kind.OCCLUSION})
_IN_CLOZES = _ASKING_ITEMS | {Kind.CLOZE}

DIFFICULTIES = ("easy", "medium", "hard")


def topic_of(deck: str) -> str:
    """Return the last level of a deck's name, which Anki calls the subdeck."""
    return deck.rpartition("::")[2]


def levels_of(deck: str) -> list[str]:
    """Return the names of the decks that a deck is in, the highest first, and its own."""
    levels = deck.split("::")
    return ["::".join(levels[:depth]) for depth in range(1, len(levels) + 1)]


class Line(NamedTuple):
    """A line of Markdown and its position.

    `index` (from 0) and `column` (from 1) are positions in the `Text` that contains it.
    """

    text: str
    index: int  # type: ignore[assignment]  # hides a tuple method that is not needed here
    column: int = 1


class Run(NamedTuple):
    """The lines of a text starting at line `index` (from 0), and their position in the file.

    The first one is at `line`, and all begin at `column`. Column 0 means that a reader rewrote the lines, so
    only their numbers are known.
    """

    index: int  # type: ignore[assignment]  # hides a tuple method that is not needed here
    line: int
    column: int


class Problem(NamedTuple):
    """A problem in a piece of text whose location in the file is not known yet.

    It is a diagnostic with an offset instead of a location.
    """

    start: int
    length: int
    rule: str
    message: str
    help: str
    severity: Severity = Severity.ERROR
    traits: Trait = Trait.NONE

    def at(self, place: Location) -> Diagnostic:
        """Return the problem as a diagnostic at a location."""
        _, length, rule, message, fix, severity, traits = self
        return Diagnostic(place, rule, severity, message, fix, length, traits=traits)


@value_class
class Text:
    """Markdown that knows the location of each line in its file.

    Lines end with LF. `runs` is sorted by index and begins at index 0; within a run, lines are consecutive in
    the file and all begin in the run's column.
    """

    markdown: str = ""
    path: str = ""
    runs: tuple[Run, ...] = (Run(0, 1, 1),)
    expanded: str = ""
    """the Markdown with the macros in its formulas expanded, if there are any"""

    def __bool__(self) -> bool:
        return bool(self.markdown)

    @property
    def shown(self) -> str:
        """The Markdown as learners see it, with macros expanded."""
        return self.expanded or self.markdown

    def location(self, index: int = 0, column: int = 1) -> Location:
        """Return the location in the file of character `column` (from 1) of line `index` (from 0)."""
        runs = self.runs
        run = runs[0] if len(runs) == 1 else self._run(index)
        # This takes half as long as `Location(…)`, which matters here and for the runs below.
        place = self.path, run.line + index - run.index, run.column and run.column + column - 1
        return _new(Location, place)

    @property
    def rows(self) -> tuple[int, int]:
        """The first line in the file, counted from 0, and the one after the last."""
        return self.location().line - 1, self.location(self.markdown.count("\n")).line

    def _run(self, index: int) -> Run:
        return self.runs[bisect_right(self.runs, index, key=lambda run: run.index) - 1]

    def below(self, above: "Text") -> "Text":
        """Return the text `above` with this one as a separate paragraph below it."""
        if not self or not above:
            return self or above
        height = above.markdown.count("\n") + 2
        runs = tuple(run._replace(index=run.index + height) for run in self.runs)
        return Text(f"{above.markdown}\n\n{self.markdown}", above.path, above.runs + runs)

    def cut(self, lines: Iterable[Line]) -> Self:
        """Return a text with only these lines, which keep their locations in the file.

        Each may also be several consecutive lines together.
        """
        kept: list[str] = []
        runs: list[Run] = []
        single = self.runs[0] if len(self.runs) == 1 else None
        expected = (0, 0)
        height = 0
        for text, index, at in lines if single else _separate(lines):
            run = single or self._run(index)
            place = row, column = run.line + index - run.index, run.column and run.column + at - 1
            if place != expected:
                runs.append(_new(Run, (height, row, column)))
            below = text.count("\n") + 1
            expected = row + below, column
            height += below
            kept.append(text)
        return type(self)("\n".join(kept), self.path, tuple(runs) or self.runs[:1])


class Macro(NamedTuple):
    r"""A command for formulas that the author defined; its name is without the backslash.

    It has up to nine arguments, `#1` to `#9` in its `body`; with a `default`, the first is optional. `place`
    is the location of its definition. `problem` says why it cannot be used, or is empty.
    """

    name: str
    arguments: int
    default: str | None
    body: str
    place: Location
    problem: str = ""


def _separate(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield lines one by one."""
    for text, index, at in lines:
        for number, line in enumerate(text.split("\n"), index):
            yield Line(line, number, at)


class Box(NamedTuple):
    """What hides a part of a picture, in hundredths of a percent of the picture's width or height.

    Anki stores as many digits. A round one is the ellipse that fills the box.
    """

    left: int
    top: int
    width: int
    height: int
    is_round: bool = False

    @property
    def written(self) -> str:
        """The box as in a source."""
        sides = " ".join(f"{side / 100:g}%" for side in self[:4])
        return f"({sides})" if self.is_round else sides


class Occlusion(NamedTuple):
    """The boxes on a picture, in the order of the items that are their labels.

    Unless `hides_all`, only the box that is asked is hidden. `picture` is the address as written. The width
    and height of the picture are its `size` in pixels, or 0 if they are unknown.
    """

    boxes: tuple[Box, ...]
    hides_all: bool
    picture: str = ""
    size: tuple[int, int] = (0, 0)


class Choice(NamedTuple):
    """One option of a choice note; `comment` is the text of its nested list."""

    text: Text
    comment: Text
    correct: bool


_NO_TEXT = Text()


class Comparable(Protocol):
    """A form of a note that has its key, and the keys in its `unlike`."""

    @property
    def key(self) -> str:
        """The key, which is empty for a draft without an id."""

    @property
    def unlike(self) -> tuple[str, ...]:
        """Keys of notes that look like this one."""


def are_unlike(one: Comparable, other: Comparable) -> bool:
    """Whether the author has said in one of two notes that it is not like the other."""
    return one.key in other.unlike or other.key in one.unlike


class Note(NamedTuple):
    """One question with its answer, as written.

    It contains the defaults of its file and collection, link and footnote definitions, and media, so its hash
    and its rendering depend on nothing else. `question` is the text between the heading and `### Answer` (or
    the options). In a cloze, `answer` is the text with the deletions; in a choice, it is the explanation; in
    a typed note, it is what follows the text to type; in a sequence or a set, it contains the list; in an
    occlusion, it contains the picture and the list of boxes.
    """

    location: Location
    kind: Kind
    deck: str = ""
    id: str = ""
    key: str = ""
    heading: Text = _NO_TEXT
    question: Text = _NO_TEXT
    answer: Text = _NO_TEXT
    choices: tuple[Choice, ...] = ()
    typed: str = ""
    hint: Text = _NO_TEXT
    details: Text = _NO_TEXT
    sources: Text = _NO_TEXT
    difficulty: str = ""
    tags: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    """keys of notes that look like this one; the author has found that they are not"""
    translated: str = ""
    """the digest of the text of which it is the translation"""
    media: tuple[Media, ...] = ()
    items: tuple[Text, ...] = ()
    """the items of the list in `answer`, if each is a card; those of an occlusion are the boxes' labels"""
    occlusion: Occlusion | None = None
    before: int = 0
    """how many items before the one that is asked a sequence shows; 0 means all"""
    code_deletions: bool = False
    """whether deletions in the code of `answer` count, because `kind=cloze` was set"""
    context: str = ""
    """the headings above it in its file, if they should be on the card"""
    language: str = ""
    """the language of its texts, if it is not the deck's, or those of question and answer: `es,de`"""
    labels: str = ""
    """the language of the labels on a choice, if it is not English"""
    own_type: str = ""
    """the key of its note type, if that is one of the collection's own"""
    fields: tuple[tuple[str, Text], ...] = ()
    """the names and texts of such a note's fields, in order.

    The first text is empty if it is the heading. Of the texts above, such a note has only the heading.
    """
    macros: tuple[Macro, ...] = ()
    """the macros that its formulas use, directly or through other macros"""

    @property
    def note_type(self) -> str:
        """The key of its note type: `qa`, `cloze`, `occlusion`, or one of the collection's own."""
        if self.kind is Kind.OCCLUSION:
            return "occlusion"
        return self.own_type or ("cloze" if self.kind.is_cloze else "qa")

    @property
    def all_texts(self) -> tuple[Text, ...]:
        """All its texts: those of its parts, of its fields and of its options."""
        options = (text for choice in self.choices for text in (choice.text, choice.comment))
        return (*(getattr(self, name) for name in TEXTS), *(text for _, text in self.fields), *options)

    @property
    def first_field(self) -> Text:
        """The first field of a note with one of the collection's own note types."""
        return self.fields[0][1] or self.heading

    @property
    def title(self) -> str:
        """The note's title: the first line of its heading or question, or of its text for a cloze.

        The link definitions that a heading uses are below its first line.
        """
        text = next((each.markdown for each in (self.heading, self.question) if each), "")
        if self.own_type and self.kind is Kind.CLOZE:
            text = plain_name(text)
        text = text or plain_name(self.answer.markdown)
        return text.partition("\n")[0]

    @property
    def heading_place(self) -> Location:
        """The location of its heading, after the mark; of its text if a cloze has no heading of its own."""
        place, text = self.location, (self.heading or self.answer).location()
        return Location(place.path, place.line, text.column) if text.line == place.line else place

    @property
    def heading_length(self) -> int:
        """The number of characters that a caret line underlines there."""
        return max(1, len((self.heading or self.answer).markdown.partition("\n")[0]))

    @property
    def topic(self) -> str:
        """The last level of its deck's name."""
        return topic_of(self.deck)


TEXTS = tuple(name for name, default in Note._field_defaults.items() if default == _NO_TEXT)
"""The names of a note's texts, in order."""


class Identified(NamedTuple):
    """A note with its GUID, and `mod`, the time when its content last changed (Unix seconds)."""

    note: Note
    guid: str
    mod: int


class LeftOutCard(NamedTuple):
    """A card that cannot become a note; `cause` is what it lacks, or the rule of an error.

    `cure` says what to do unless the rule does, and `doubtful` that only another program takes it for a card.
    """

    place: Location
    heading: str
    cause: str
    cure: str = ""
    doubtful: bool = False
