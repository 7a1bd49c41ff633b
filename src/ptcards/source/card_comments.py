"""Writes settings into the card comments of notes, as their author would."""

import re
from collections.abc import Callable, Sequence

_CARD = re.compile(r"<!--\s*card\b")
_BARE = re.compile(r"<!--\s*card\s*-->")

Lines = list[tuple[str, str]]
"""The lines of a source, each with its line end."""


def with_setting(
    lines: Sequence[tuple[str, str]], heading: int, end: int, key: str, change: Callable[[str], str]
) -> Lines:
    """Return the lines with a setting in the card comment of the note from line `heading` to line `end`.

    `change` returns the new value for the old one, which is empty if there is none. If there is no comment,
    one is added. The result may be wrong if something else looks like a card comment.
    """
    lines = list(lines)
    first = next((n for n in range(heading, end) if _CARD.search(lines[n][0])), None)
    if first is None:
        ending = lines[heading - 1][1] or "\n"
        lines[heading - 1] = (lines[heading - 1][0], ending)
        lines.insert(heading, (f"<!-- card: {key}={change('')} -->", ending))
        return lines
    last = next((n for n in range(first, end) if "-->" in lines[n][0]), first)
    setting = re.compile(rf'(?<=[\s:]){key}=(?:"(?P<quoted>[^"]*)(?=")|(?P<plain>[^\s"]*))')
    for n in range(first, last + 1):
        text, ending = lines[n]
        if found := setting.search(text):
            group = "plain" if found["quoted"] is None else "quoted"
            value = change(found[group])
            lines[n] = (text[: found.start(group)] + value + text[found.end(group) :], ending)
            return lines
    lines[last] = (_added(lines[last][0], f"{key}={change('')}"), lines[last][1])
    return lines


def _added(text: str, setting: str) -> str:
    """Return the last line of a card comment with a setting added before the end of the comment."""
    if found := _BARE.search(text):
        return f"{text[: found.start()]}<!-- card: {setting} -->{text[found.end() :]}"
    before, mark, after = text.partition("-->")
    return f"{before.rstrip()} {setting} {mark}{after}"
