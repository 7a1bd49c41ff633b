"""The values that flow through the stages: frozen, whole in themselves."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from ptcards.diagnostics import Location
from ptcards.pickling import pickled_by_parts


class Kind(StrEnum):
    """What a learner is asked to do with a note."""

    BASIC = "basic"
    REVERSED = "reversed"
    TYPED = "typed"
    CHOICE = "choice"
    CLOZE = "cloze"


DIFFICULTIES = ("easy", "medium", "hard")


class Line(NamedTuple):
    """A line of Markdown and where it begins.

    `index` (from 0) and `column` (from 1) are places in the `Text` it was cut from.
    """

    text: str
    index: int  # type: ignore[assignment]  # hides a method of tuple that has no use here
    column: int = 1


class Run(NamedTuple):
    """From the text's line `index` (from 0) on, lines stand in the file from (`line`, `column`) on."""

    index: int  # type: ignore[assignment]  # hides a method of tuple that has no use here
    line: int
    column: int


@pickled_by_parts
@dataclass(frozen=True, slots=True)
class Text:
    """Markdown that knows where in its file each line stands.

    Lines end with LF. `runs` is sorted by index and begins at index 0; within a run file lines follow
    each other and all begin in the run's column.
    """

    markdown: str = ""
    path: str = ""
    runs: tuple[Run, ...] = (Run(0, 1, 1),)

    def __bool__(self) -> bool:
        return bool(self.markdown)

    def location(self, index: int = 0, column: int = 1) -> Location:
        """Say where the character `column` (from 1) of line `index` (from 0) stands in the file."""
        run = self._run(index)
        return Location(self.path, run.line + index - run.index, run.column + column - 1)

    def _run(self, index: int) -> Run:
        if len(self.runs) == 1:
            return self.runs[0]
        return next(run for run in reversed(self.runs) if run.index <= index)

    def cut(self, lines: Iterable[Line]) -> Self:
        """Make a text of these lines, which lie in this one, keeping their places in the file."""
        kept: list[str] = []
        runs: list[Run] = []
        single = self.runs[0] if len(self.runs) == 1 else None
        expected = (0, 0)
        for text, index, at in lines:
            run = single or self._run(index)
            place = row, column = run.line + index - run.index, run.column + at - 1
            if place != expected:
                runs.append(Run(len(kept), row, column))
            expected = row + 1, column
            kept.append(text)
        return type(self)("\n".join(kept), self.path, tuple(runs) or self.runs[:1])


@dataclass(frozen=True, slots=True)
class Media:
    """A file that a note shows.

    `written` is the address as it stands in the Markdown, `digest` the SHA-256 of the content in hex,
    `name` what the file is called in Anki: `<stem>-<8 hex of the digest>.<ext>`.
    """

    written: str
    file: Path = field(compare=False)
    digest: str
    name: str


@pickled_by_parts
@dataclass(frozen=True, slots=True)
class Choice:
    """One option of a choice note; `comment` is the text of its nested list."""

    text: Text
    comment: Text
    correct: bool


@pickled_by_parts
@dataclass(frozen=True, slots=True)
class Note:
    """One question with its answer, as written.

    Defaults of file and collection, link and footnote definitions and media are resolved into it, so
    that its hash and its rendering depend on nothing else. `question` is what stands between the heading and
    `### Answer` (or the options); `answer` is the text with the deletions of a cloze, the explanation of a
    choice, and what follows the text to type of a typed note.
    """

    location: Location
    deck: str
    kind: Kind
    id: str
    key: str
    heading: Text
    question: Text
    answer: Text
    choices: tuple[Choice, ...]
    typed: str
    hint: Text
    details: Text
    sources: Text
    difficulty: str
    tags: tuple[str, ...]
    ignore: tuple[str, ...]
    media: tuple[Media, ...]
    code_deletions: bool = False
    """`kind=cloze` was set and there are deletions in the code of `answer`: they are asked, else they are literal"""

    @property
    def note_type(self) -> str:
        """Which of the two note types holds it: `qa` or `cloze`."""
        return "cloze" if self.kind is Kind.CLOZE else "qa"

    @property
    def topic(self) -> str:
        """The last level of the deck name."""
        return self.deck.rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Identified:
    """A note with what Anki knows it by: the GUID, and `mod`, when its content last changed (Unix seconds)."""

    note: Note
    guid: str
    mod: int


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck by its full name, `A::B::C`, and its description in Markdown."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class RenderedNote:
    """A note as Anki gets it: `fields` are HTML in the order of `notetypes.FIELDS`."""

    guid: str
    mod: int
    deck: str
    note_type: str
    fields: tuple[str, ...]
    tags: tuple[str, ...]
    media: tuple[Media, ...]
