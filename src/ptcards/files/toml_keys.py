"""Finds the keys and tables in the text of a TOML file, which may be malformed."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PART = re.compile(r"""["']?(?P<name>[\w-]+)["']?""")
_ANY_PART = _PART.pattern.replace("?P<name>", "?:")
_PARTS = rf"({_ANY_PART}(?:[ \t]*\.[ \t]*{_ANY_PART}){{0,9}})"
KEY = re.compile(rf"[ \t]*{_PARTS}[ \t]*=")
HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*{_PARTS}[ \t]*\]")


class TomlName(NamedTuple):
    """The full name of a key or table, or of a table that it is in, and its place."""

    name: str
    line: int
    column: int


def toml_names(text: str) -> Iterator[TomlName]:
    """Yield the names of each line in turn; the last one of a line is that of its key or table."""
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = HEADER.match(line)
        name = "" if header else section
        if found := header or KEY.match(line):
            for part in _PART.finditer(line, found.start(1), found.end(1)):
                name += f".{part['name']}" if name else part["name"]
                yield TomlName(name, number, part.start("name") + 1)
        if header:
            section = name
