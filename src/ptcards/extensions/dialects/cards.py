"""Collects notes for the readers of other programs' dialects, with lines and clozes rewritten as Markdown.

Each cloze mark becomes a deletion, and each deletion gets its own number unless it has one.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic
from ptcards.extensions.dialects.formats import BETWEEN
from ptcards.extensions.dialects.obsidian_syntax import (
    MARK,
    Rewritten,
    embed_dropped,
    outside_code,
    outside_comments,
    rewrite,
)
from ptcards.notes import LeftOutCard, Line, Text
from ptcards.source.attributes import Attributes
from ptcards.source.page import DeckPart, Page, ReaderResult, ReadNote
from ptcards.source.valid_names import ID

IN_CODE = "in code"
"""Why a card is left out that another program makes of code or a formula."""
EMPTY_MARKS = "no text directly between the marks"
"""Why a card is left out that another program makes of a comparison (`a == b == c`) or a line of marks."""
IN_TABLE = "in a row of a table"
"""Why a card is left out that another program cuts out of a row of a table."""
_CURES = {
    "no answer": "if you want the card, write its answer",
    "no question": "if you want the card, write its question",
    "no deletion": "put the text to recall in brackets: `[…]`",
    "no right option": "if you want the card, mark the right option with `[x]`",
    "only one option": "if you want the card, write at least two options",
    "more than 10 options": "if you want the card, write at most 10 options",
    "an option without a box": "if you want the card, begin each option with `[ ]` or `[x]`",
    "an empty option": "if you want the card, write the text of each option",
    "two lists of options": "if you want the card, write one list, without text between the options",
    "overlapping clozes": "number the clozes: `[^1]`, `[^2]`",
    "the cloze is in a comment": "if you want the card, remove the `%%`",
    "its block is not YAML": "if you want the card, correct the YAML",
    "its block has no picture or no boxes": "if you want the card, write `image` and a list `masks`",
    IN_TABLE: "if it is a card, write it outside the table",
    IN_CODE: "if it is a card, write it outside code and formulas, and without indentation",
    EMPTY_MARKS: "if it is a card, write the text to recall without spaces at its ends: `==text==`",
}


class Cards:
    """The notes found in a source so far; `seen` are its lines without code."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seen = outside_code(page.document, page.lines)
        self.notes: list[ReadNote] = []
        self.found = ReaderResult(notes=self.notes)
        self._has_comments = MARK in page.text.markdown
        self._decks: dict[tuple[str, ...], DeckPart] = {}

    def complete(self) -> ReaderResult:
        """Return everything that was found."""
        self.found.decks = list(self._decks.values())
        return self.found

    def deck(self, levels: tuple[str, ...], at: int, *, replaces: bool = False) -> DeckPart:
        """Return the deck with these levels; `at` is the line that first names it."""
        if levels not in self._decks:
            self._decks[levels] = DeckPart(levels, self.page.text.location(at), replaces=replaces)
        return self._decks[levels]

    def report(
        self, make: Callable[..., Diagnostic], at: int, rule: str, message: str, fix: str, *, length: int = 1
    ) -> None:
        """Report something about a line, whose number is from 0."""
        self.found.diagnostics.append(make(self.page.text.location(at), rule, message, fix, length))

    def leave_out(self, at: int, cause: str, heading: str = "", column: int = 1) -> None:
        """Report that the card on a line cannot be a note, with what to do about it."""
        place, is_doubtful = self.page.text.location(at, column), cause in (IN_CODE, IN_TABLE, EMPTY_MARKS)
        self.found.left_out.append(LeftOutCard(place, heading, cause, _CURES[cause], is_doubtful))

    def text(self, cuts: Sequence[Line]) -> Text:
        """Return pieces of lines as a text in GitHub's Markdown."""
        return self.cut([self.rewritten(cut) for cut in self.shown(cuts)])

    def cut(self, cuts: Sequence[Line]) -> Text:
        """Return a text whose lines are these pieces, without blank lines at its ends."""
        filled = [number for number, cut in enumerate(cuts) if cut.text.strip()]
        return self.page.text.cut(cuts[filled[0] : filled[-1] + 1] if filled else ())

    def shown(self, cuts: Sequence[Line]) -> list[Line]:
        """Return pieces of lines without the comments that fill or span lines."""
        if not self._has_comments:
            return list(cuts)
        lines = [cut.text for cut in cuts]
        parts = outside_comments(lines, [self.seen_of(cut) for cut in cuts], to_end=True)
        return [
            cut._replace(text=cut.text[start:end], column=cut.column + start)
            for cut, (start, end) in zip(cuts, parts, strict=True)
            if end > start or not cut.text
        ]

    def rewritten(self, cut: Line) -> Line:
        """Return a piece of a line in GitHub's Markdown, and report what it loses."""
        return self.as_rewritten(cut, self._rewrite(cut))

    def as_rewritten(self, cut: Line, made: Rewritten) -> Line:
        """Return what a piece of a line was rewritten to, and report what it loses."""
        self.found.diagnostics += (
            embed_dropped(self.page.text.location(cut.index), lost) for lost in made.lost
        )
        return cut if made.text == cut.text else Line(made.text, cut.index, 0)

    def seen_of(self, cut: Line) -> str | None:
        """Return a piece of a line without its code, or `None` if all of it is code."""
        seen = self.seen[cut.index]
        return None if seen is None else seen[cut.column - 1 : cut.column - 1 + len(cut.text)]

    def block_id(self, cuts: Sequence[Line]) -> str:
        """Return the block id at the end of the last piece, or an empty string."""
        last = next((cut for cut in reversed(cuts) if cut.text.strip()), None)
        return self._rewrite(last).block_id if last else ""

    def _rewrite(self, cut: Line) -> Rewritten:
        return rewrite(cut.text, self.seen_of(cut) if cut.column else cut.text)


def named(prefix: str, name: str) -> Attributes:
    """Return the settings of a card; its id is the name with the prefix, unless that is not a valid id."""
    written = f"{prefix}-{name}" if name else ""
    return Attributes(id=written if ID.fullmatch(written) else "")


_FOOT = re.compile(r"(?P<number>\[\^(?P<seq>[\dahs]+)\])|(?P<hint>\^\[(?P<text>[^\]]{0,500}+)\])")
_MOST = 99
_MARKS: Mapping[str, tuple[str, str, re.Pattern[str]]] = {
    "mark": ("==", "==", re.compile(r"==(?P<inner>.+?)==")),
    # Limited in length: otherwise, the search for the partner of each mark may run to the end of a long line.
    "bold": ("**", "**", re.compile(r"\*\*(?P<inner>(?=\S).{1,500}?(?<=\S))\*\*")),
    "curly": ("{{", "}}", re.compile(r"\{\{(?P<inner>.{1,500}?)\}\}")),
}


def _ends(name: str) -> tuple[str, ...]:
    """Return the two marks of a cloze pattern."""
    return _MARKS[name][:2] if name in _MARKS else tuple(name.split(BETWEEN, 1))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    begin, end = map(re.escape, _ends(name))
    return _MARKS[name][2] if name in _MARKS else re.compile(rf"{begin}(?P<inner>(?!{end}).{{1,500}}?){end}")


class Deleted(NamedTuple):
    """A line with deletions, the same line without code, and the number of `marks`."""

    text: str
    seen: str | None
    marks: int


class _Deletion(NamedTuple):
    """A mark to turn into a deletion, from `start` to `end` of a line, with its number, text and hint."""

    start: int
    end: int
    number: int
    inner: tuple[int, int]
    hint: str = ""


def has_cloze(seen: str | None, names: Sequence[str]) -> bool:
    """Whether a line has a cloze mark; `seen` is the line without its code, or `None` if it is all code."""
    return seen is not None and any(True for _ in _found(seen, names))


def has_marks(line: str, names: Sequence[str]) -> bool:
    """Whether a line has two marks with any character between them, which is a cloze for the plugin."""
    return any(
        begin in line and end in line[line.index(begin) + len(begin) + 1 :]
        for begin, end in map(_ends, names)
    )


def with_deletions(line: str, seen: str | None, names: Sequence[str], number: int) -> Deleted | None:
    """Return a line with its marks turned into deletions, or `None` if these overlap.

    `number` is how many marks the lines above have.
    """
    marks = sorted(_found(seen, names) if seen is not None else (), key=lambda found: found.start())
    made: list[_Deletion] = []
    for mark in marks:
        if made and mark.start() < made[-1].end:
            continue
        count = len(made) + 1
        end, which, hint = _foot(line, mark.end())
        if which and not which.isdigit():
            return None
        inner, which, hint = _inside(line, mark, which, hint)
        given = int(which) if which and 1 <= int(which[:3]) <= _MOST else number + count
        made.append(_Deletion(mark.start(), end, given, inner, f"::{hint}" if hint else ""))
    return _deleted(line, seen, made)


def _inside(line: str, mark: re.Match[str], which: str, hint: str) -> tuple[tuple[int, int], str, str]:
    """Return where the text to recall is inside a mark, its number and its hint: `==1;;text;;hint==`."""
    start, end = mark.span("inner")
    between = "::" if mark[0].startswith("{{") else ";;"
    if numbered := re.compile(rf"(\d{{1,2}}){between}").match(line, start, end):
        which, start = numbered[1], numbered.end()
    hinted = line.find(between, start, end)
    if hinted > start and not re.compile(r"c\d+::").match(line, start):
        hint, end = line[hinted + len(between) : end], hinted
    return (start, end), which, hint


def with_brackets(line: str, seen: str | None, mark: re.Pattern[str], number: int) -> Deleted:
    """Return a line with matches of `mark` turned into deletions; its group `inner` is the text to recall."""
    made: list[_Deletion] = []
    for found in mark.finditer(seen or ""):
        given = int(found.groupdict().get("number") or number + len(made) + 1)
        made.append(_Deletion(*found.span(), given or 1, found.span("inner")))
    return _deleted(line, seen, made)


def _deleted(line: str, seen: str | None, made: Sequence[_Deletion]) -> Deleted:
    text, bare = (each and "".join(_with(each, made)) for each in (line, seen))
    return Deleted(text or "", bare, len(made))


def _with(line: str, made: Sequence[_Deletion]) -> Iterator[str]:
    """Yield the pieces of a line, with some of them turned into deletions."""
    at = 0
    for deletion in made:
        inner = line[slice(*deletion.inner)]
        yield f"{line[at : deletion.start]}{{{{c{min(deletion.number, _MOST)}::{inner}{deletion.hint}}}}}"
        at = deletion.end
    yield line[at:]


def _found(seen: str, names: Sequence[str]) -> Iterator[re.Match[str]]:
    """Yield the cloze marks of a line; one with spaces at both of its ends is a comparison."""
    for name in names:
        for found in _pattern(name).finditer(seen):
            inner = found["inner"]
            if inner.strip("= ") and not (inner[0] == " " == inner[-1]):
                yield found


def _foot(line: str, at: int) -> tuple[int, str, str]:
    """Return the offset after a mark's number and hint, and the two values."""
    number = hint = ""
    while found := _FOOT.match(line, at):
        number, hint, at = (
            found["seq"] or number,
            hint if found["text"] is None else found["text"],
            found.end(),
        )
    return at, number, hint
