"""Differences between two Markdown texts, word by word, and the lists of changed notes that show them."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from ptcards.diagnostics import Location
from ptcards.diagnostics.layout import Terminal, limited
from ptcards.notes.closings import Closings

MOST_SHOWN_LINES = 20
"""How many lines of a part's difference to show, unless all are requested."""
_CHANGE = re.compile(r"\[-|\{\+")
_CHANGE_ENDS = {"[-": re.compile(r"-\]"), "{+": re.compile(r"\+\}")}
_COLOURS = {"[-": "31", "{+": "32"}

MOST_LINES = 2000
"""How many lines of both texts together to compare one by one; the time may grow with the square."""
MOST_WORDS = 2000
"""How many words of a changed passage to compare one by one; the time grows with the square."""
_TOKEN = re.compile(r"\s*\S+")


def word_diff(old: str, new: str) -> str:
    """Return the changed lines of a text, with removed words as `[-words-]` and added ones as `{+words+}`.

    Unchanged lines in between are shown as one line `…`.
    """
    before, after = old.split("\n") if old else [], new.split("\n") if new else []
    if len(before) + len(after) > MOST_LINES:
        return _passage(old, new)
    passages = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            passages.append("…")
        else:
            passages.append(_passage("\n".join(before[i1:i2]), "\n".join(after[j1:j2])))
    if passages[:1] == ["…"]:
        passages.pop(0)
    if passages[-1:] == ["…"]:
        passages.pop()
    return "\n".join(passages)


def _passage(old: str, new: str) -> str:
    before, after = _TOKEN.findall(old.rstrip()), _TOKEN.findall(new.rstrip())
    if len(before) + len(after) > MOST_WORDS:
        return _marked(old, "[-", "-]") + "\n" + _marked(new, "{+", "+}")
    marked: list[str] = []
    # White space is not a change: a rewrapped paragraph says the same.
    words, new_words = ([word.strip() for word in some] for some in (before, after))
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, words, new_words, autojunk=False).get_opcodes():
        if tag == "equal":
            kept = "".join(after[j1:j2])
            # The first word has no space before it, even after removed words.
            marked.append(f" {kept}" if marked and not kept[0].isspace() else kept)
        else:
            gone, come = "".join(before[i1:i2]), "".join(after[j1:j2])
            marked.append(_marked(gone, "[-", "-]") + _marked(come, "{+", "+}"))
    return "".join(marked)


def _marked(text: str, begin: str, end: str) -> str:
    """Return a text with marks around it, leaving leading white space outside."""
    words = text.lstrip()
    return f"{text[: len(text) - len(words)]}{begin}{words}{end}" if words else ""


class ChangedPart(NamedTuple):
    """A changed part of a note, with removed and added words marked."""

    name: str
    diff: str


class Item(NamedTuple):
    """A note in a list, with its `place` in the sources, a `remark`, and a `doubt` for the author.

    `guid` is that of the note, if the list is for a page that shows it.
    """

    deck: str
    heading: str
    place: Location | None = None
    remark: str = ""
    parts: tuple[ChangedPart, ...] = ()
    doubt: str = ""
    guid: str = ""


class Search(NamedTuple):
    """Lines to paste into Anki's browser, and their purpose."""

    purpose: str
    lines: tuple[str, ...]


class KindOfChange(NamedTuple):
    """A kind of change, and what Anki does about it."""

    title: str
    effect: str
    items: tuple[Item, ...] = ()
    searches: tuple[Search, ...] = ()
    steps: tuple[str, ...] = ()
    """what learners should do, a line for each"""


def part_lines(part: ChangedPart, terminal: Terminal) -> list[str]:
    """Return the lines of a changed part; all except the first are indented."""
    most = MOST_SHOWN_LINES if terminal.short else None
    text = "\n".join(limited(part.diff.split("\n"), most, "… ({} more lines)".format, slack=1))
    first, *more = (_coloured(text) if terminal.color else text).split("\n")
    return [f"{part.name}: {first}", *(f"  {line}" for line in more)]


def fenced(lines: Sequence[str], info: str = "text") -> list[str]:
    """Return lines in a fence of Markdown that none of them can close."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{info}", *lines, fence]


def marked_pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a marked text, each with its mark, `[-`, `{+` or none, which it still contains."""
    closings = Closings(text)
    at = search_at = 0
    while change := _CHANGE.search(text, search_at):
        search_at = change.start() + 1
        if end := closings.end((_CHANGE_ENDS[change[0]],), change.end()):
            yield "", text[at : change.start()]
            yield change[0], text[change.start() : end]
            at = search_at = end
    yield "", text[at:]


def _coloured(text: str) -> str:
    return "".join(
        f"\x1b[{_COLOURS[mark]}m{piece}\x1b[0m" if mark else piece for mark, piece in marked_pieces(text)
    )
