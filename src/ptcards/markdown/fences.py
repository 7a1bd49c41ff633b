"""The words on a fence line: the language, then how to show the code and how to run it."""

import re
from dataclasses import dataclass

from ptcards.suggest import did_you_mean

OUTPUT = "output"
MATH = "math"
WORDS = ("hl_lines", "title", "no-run", "raises")

DIAGRAMS = frozenset({"geojson", "mermaid", "stl", "topojson"})
"""Languages that GitHub draws."""

_WORD = re.compile(r"""([^\s=]+)(?:=("[^"]*"|'[^']*'|\S*))?""")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class FenceInfo:
    """The words of a fence: the language in lower case, and the settings.

    `highlighted` are line numbers from 1, and `raises` the name of an exception. `no_run` is the reason,
    empty if none is given, or `None` if the block is run. `complaints` are messages with their help.
    """

    language: str = ""
    highlighted: frozenset[int] = frozenset()
    title: str = ""
    no_run: str | None = None
    raises: str = ""
    complaints: tuple[tuple[str, str], ...] = ()


def read_info(info: str) -> FenceInfo:
    """Return the words after a fence's marks (a block's `info`)."""
    language, _, rest = info.strip().partition(" ")
    if "=" in language:
        language, rest = "", info
    values: dict[str, str] = {}
    complaints: list[tuple[str, str]] = []
    for match in _WORD.finditer(rest):
        name, value = match[1], match[2] or ""
        if name not in WORDS:
            fix = did_you_mean(name, WORDS, f"use one of `{'`, `'.join(WORDS)}`")
            complaints.append((f"`{name}` is not a known word on a fence line", fix))
        elif value[:1] in ("'", '"'):
            values[name] = value[1:-1]
        else:
            values[name] = value
    highlighted: set[int] = set()
    for part in re.split(r"[\s,]+", values.get("hl_lines", "").strip()):
        span = _RANGE.fullmatch(part)
        if span is not None:
            highlighted.update(range(int(span[1]), int(span[2] or span[1]) + 1))
        elif part:
            complaints.append((f"`{part}` in `hl_lines` is not a line", 'write `hl_lines="2-3 5"`'))
    return FenceInfo(
        language.lower(),
        frozenset(highlighted),
        values.get("title", ""),
        values.get("no-run"),
        values.get("raises", ""),
        tuple(complaints),
    )
