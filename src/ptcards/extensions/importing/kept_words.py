"""Brings a change of words into a text that keeps everything else: its lines and its marks."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

_WORD = re.compile(r"[^\W_]+|([^\w\s]|_)\1*")
"""A word, or one or more copies of a mark."""
_MARKS = (
    re.compile(r"^(\s*)[-*+](?=\s)", re.MULTILINE),
    re.compile(r"^(\s*\d+)[.)](?=\s)", re.MULTILINE),
)
"""The marks of items: one of another kind begins another list."""


def with_kept_lines(text: str, before: str, after: str) -> str:
    """Return the new Markdown `after` with the author's own lines where nothing changed, and marks of items.

    `before` is the Markdown that Anki's version of `text` would have if nobody had edited it.
    """
    for mark in _MARKS:
        if found := mark.search(text):
            before, after = (mark.sub(rf"\g<1>{found[0][-1]}", each) for each in (before, after))
    own, old, new = (each.split("\n") for each in (text, before, after))
    if len(own) != len(old):
        return after
    kept: list[str] = []
    for what, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        kept += own[start:end] if what == "equal" else new[new_start:new_end]
    return "\n".join(kept)


class _Words:
    """A text, its words and marks, and where they begin and end."""

    def __init__(self, text: str) -> None:
        found = list(_WORD.finditer(text))
        self.text = text
        self.words = [each[0] for each in found]
        self.begins = [*(each.start() for each in found), len(text)]
        self._ends = [*(each.end() for each in found), 0]

    @property
    def keys(self) -> list[str]:
        """The words, with the white space before them if that has a line end."""
        gaps = [self.gap(number) for number in range(len(self.words))]
        return [gap + word if "\n" in gap else word for gap, word in zip(gaps, self.words, strict=True)]

    def end(self, number: int) -> int:
        """Return where a word ends; word -1 is the beginning of the text."""
        return self._ends[number]

    def gap(self, number: int) -> str:
        """Return the white space before a word."""
        return self.text[self.end(number - 1) : self.begins[number]]


def with_words(own: str, before: str, after: str, *, from_next: bool = False) -> str | None:
    """Return the author's text `own` with the words changed that differ between `before` and `after`.

    `own` has the words of `before` in the same order, perhaps with other marks and with more around them.
    With `from_next`, words are added before the word that follows them, otherwise after the one that precedes
    them. Return `None` if the place of a change is not found.
    """
    ours, old, new = _Words(own), _Words(before), _Words(after)
    places: dict[int, int] = {}
    for block in SequenceMatcher(None, old.words, ours.words, autojunk=False).get_matching_blocks():
        places |= {block.a + n: block.b + n for n in range(block.size)}
    changes = SequenceMatcher(None, old.keys, new.keys, autojunk=False).get_opcodes()
    for what, start, end, new_start, new_end in reversed(changes):
        if what == "equal":
            continue
        if what == "insert":
            change = _added(ours, new, places, start, (new_start, new_end), from_next=from_next)
        else:
            first, last = places.get(start), places.get(end - 1)
            if first is None or last is None or last - first != end - 1 - start:
                return None
            if what == "delete":
                change = _removed(ours, new, (first, last), new_start)
            else:
                text = new.text[new.begins[new_start] : new.end(new_end - 1)]
                change = ours.begins[first], ours.end(last), text
        if change is None:
            return None
        own = own[: change[0]] + change[2] + own[change[1] :]
    return own


def _added(
    ours: _Words, new: _Words, places: Mapping[int, int], at: int, added: tuple[int, int], *, from_next: bool
) -> tuple[int, int, str] | None:
    """Return where a text changes if words are added at position `at` of the old one, and to what."""
    first, end = added
    above, below = places.get(at - 1), places.get(at)
    sticks_to_next = end < len(new.words) and not new.gap(end)
    if below is not None and (above is None or from_next or sticks_to_next):
        place = ours.begins[below]
        return place, place, new.text[new.begins[first] : new.begins[end]]
    if above is None:
        return None
    place = ours.end(above)
    return place, place, new.text[new.end(first - 1) : new.end(end - 1)]


def _removed(ours: _Words, new: _Words, gone: tuple[int, int], at: int) -> tuple[int, int, str]:
    """Return where a text changes if words are removed, and to what; `at` is their place in the new text."""
    first, last = gone
    left, right = ours.gap(first), ours.gap(last + 1)
    if at and not new.gap(at):
        return ours.end(first - 1), ours.begins[last + 1] if at < len(new.words) else ours.end(last), ""
    if "\n" in right and "\n" not in left:
        return ours.end(first - 1), ours.end(last), ""
    return ours.begins[first], ours.begins[last + 1], ""
