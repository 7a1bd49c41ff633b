"""Finds what closes a mark in time that grows with the text, however often the mark is opened.

A regular expression such as `<!--.*?-->` searches to the end of the text for each mark that is never closed.
"""

import re
from collections.abc import Sequence

Passage = tuple[re.Pattern[str], ...]
"""How a passage begins, and what must follow in this order; the last pattern ends it."""


class Closings:
    """Finds the next match of a pattern in a text, from offsets that never decrease."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def find(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        """Return the next match that begins at an offset or after it, or `None` if there is none."""
        since, found = self._known.get(pattern, (len(self._text) + 1, None))
        if at < since or (found is not None and found.start() < at):
            found = pattern.search(self._text, at)
            self._known[pattern] = at, found
        return found

    def end(self, patterns: Sequence[re.Pattern[str]], at: int) -> int | None:
        """Return the offset after matches of all patterns, each after the previous one, or `None`."""
        for pattern in patterns:
            found = self.find(pattern, at)
            if found is None:
                return None
            at = found.end()
        return at


def without(text: str, opening: re.Pattern[str], passages: Sequence[Passage]) -> str:
    """Return a text without the passages that begin where `opening` matches; earlier ones take precedence."""
    closings = Closings(text)
    kept: list[str] = []
    at = search_at = 0
    while found := opening.search(text, search_at):
        search_at = found.start() + 1
        for begin, *rest in passages:
            begun = begin.match(text, found.start())
            end = begun and closings.end(rest, begun.end())
            if end:
                kept.append(text[at : found.start()])
                at = search_at = end
                break
    return "".join(kept) + text[at:]


_DIVIDER = re.compile("::")
_DELETION_END = re.compile(r"\}\}")
_LINE_END = re.compile("\n")


def with_hidden_text(text: str, opening: re.Pattern[str], *, on_one_line: bool) -> str:
    """Return a text with what each deletion hides in its place, without its hint.

    A deletion ends at the next two braces. Its hint follows the first `::` after any other brace. If
    deletions must be `on_one_line`, what they hide cannot contain a line end.
    """
    closings = Closings(text)
    shown: list[str] = []
    at = search_at = 0
    while begun := opening.search(text, search_at):
        closing = closings.find(_DELETION_END, begun.end())
        if closing is None:
            break
        search_at, end = begun.start() + 1, closing.start()
        brace = max(text.rfind("{", at, end), text.rfind("}", at, end))
        hint = closings.find(_DIVIDER, max(begun.end(), brace + 1))
        if hint:
            end = min(end, hint.start())
        line_end = closings.find(_LINE_END, begun.end()) if on_one_line else None
        if line_end is None or line_end.start() >= end:
            shown += text[at : begun.start()], text[begun.end() : end]
            at = search_at = closing.end()
    return "".join(shown) + text[at:]
