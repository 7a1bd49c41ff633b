"""The text of a file while it is fixed, and the edits that lead from the file to it.

Fixes are found in rounds, each for the text that the round before left. Other programs have only the file, so
the rounds become edits of the file.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ptcards.lint.registry import LineEdit
from ptcards.source.source import LINE_END

_NEW = -1


class TextEdit(NamedTuple):
    """A change to a file: `text` replaces everything from one place to another.

    Lines and columns count from 1, columns in characters. Lines end with LF, CRLF or CR, and a byte order
    mark is not counted. `rules` are the rules that it fixes.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    rules: tuple[str, ...]


class _Character(NamedTuple):
    """A character, where the file has it (or `_NEW`), and the rule that inserted it (or nothing)."""

    text: str
    origin: int
    rule: str


class EditedText:
    """A text that remembers where each of its characters was in the file."""

    def __init__(self, text: str) -> None:
        self._file = text
        self._characters = [_Character(char, origin, "") for origin, char in enumerate(text)]
        self._deleted: dict[int, str] = {}

    @property
    def text(self) -> str:
        """The text as it is now."""
        return "".join(each.text for each in self._characters)

    def apply(self, edits: Iterable[LineEdit]) -> None:
        """Change the text; the edits are places in it as it is now, and do not touch each other."""
        text = self.text
        starts = _line_starts(text)
        after: list[_Character] = []
        at = 0
        for edit in sorted(edits):
            start, end = starts[edit.line - 1], starts[edit.line]
            line_end = text[start + len(_without_end(text[start:end])) : end]
            new = ""
            if edit.new is not None:
                start += edit.column - 1
                end = start + len(edit.old)
                new = edit.new.replace("\n", line_end or "\n")
            after += self._characters[at:start]
            for gone in self._characters[start:end]:
                if gone.origin != _NEW:
                    self._deleted[gone.origin] = edit.rule
            after += (_Character(char, _NEW, edit.rule) for char in new)
            at = end
        self._characters = after + self._characters[at:]

    def edits(self) -> Iterator[TextEdit]:
        """Yield the edits that turn the file into the text, in file order; no two touch each other."""
        starts = _line_starts(self._file)
        kept = [number for number, each in enumerate(self._characters) if each.origin != _NEW]
        origins = [-1, *(self._characters[number].origin for number in kept), len(self._file)]
        numbers = [-1, *kept, len(self._characters)]
        line = 0
        for (first, last), (before, after) in zip(pairwise(origins), pairwise(numbers), strict=True):
            start, end = first + 1, last
            inserted = self._characters[before + 1 : after]
            new = "".join(each.text for each in inserted)
            if new == self._file[start:end]:
                continue
            rules = [each.rule for each in inserted] + [self._deleted[place] for place in range(start, end)]
            while line + 2 < len(starts) and starts[line + 1] <= start:
                line += 1
            stop = line
            while stop + 2 < len(starts) and starts[stop + 1] <= end:
                stop += 1
            yield TextEdit(
                line + 1,
                start - starts[line] + 1,
                stop + 1,
                end - starts[stop] + 1,
                new,
                tuple(dict.fromkeys(rules)),
            )


def edits_of(text: str, rounds: Iterable[Sequence[LineEdit]]) -> tuple[TextEdit, ...]:
    """Return the edits of a text that have the same effect as these rounds, one after the other."""
    edited = EditedText(text)
    for each in rounds:
        edited.apply(each)
    return tuple(edited.edits())


def _line_starts(text: str) -> list[int]:
    """Return where each line begins, and the length of the text."""
    return [0, *(found.end() for found in LINE_END.finditer(text)), len(text)]


def _without_end(line: str) -> str:
    return line.rstrip("\r\n")
