"""Reads `deck.toml` as text, and finds the positions of its keys, which the parser does not provide."""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.files.inputs import MAX_TOML_BYTES, InputError, read_input, read_to_show

_PART = re.compile(r"""["']?(?P<name>[\w-]+)["']?""")
_ANY_PART = _PART.pattern.replace("?P<name>", "?:")
_PARTS = rf"({_ANY_PART}(?:[ \t]*\.[ \t]*{_ANY_PART}){{0,9}})"
_KEY = re.compile(rf"[ \t]*{_PARTS}[ \t]*=")
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*{_PARTS}[ \t]*\]")
_DEEP_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]+|"(?>(?:[^"\\\n]|\\.){0,99})"|'[^'\n]{0,99}+')[ \t]*+\.[ \t]*+){16}"""
)
"""The parser's time and memory grow with the square of the number of parts in a key; few can be long."""


def read_toml(file: Path, path: str) -> tuple[str, dict[str, Any] | None, list[Diagnostic]]:
    """Return the text of a TOML file, with its document or an error."""
    text = ""
    try:
        text = read_input(file, file.parent, MAX_TOML_BYTES).decode("utf-8-sig")
        if deep := _DEEP_KEY.search(text):
            line = text.count("\n", 0, deep.start()) + 1
            place = Location(path, line, deep.start() - text.rfind("\n", 0, deep.start()))
            fix = "use only keys and tables that ptcards knows: see `ptcards explain unknown-key`"
            return text, None, [error(place, "broken-deck-toml", "a key has more than 16 parts", fix)]
        return text, tomllib.loads(text), []
    except UnicodeDecodeError:
        broken = error(Location(path, 1), "broken-deck-toml", "not UTF-8", "save the file as UTF-8")
    except InputError as failure:
        broken = failure.at(Location(path, 1), "broken-deck-toml")
    except RecursionError:
        broken = _not_toml(path, text, "nested too deeply")
    except tomllib.TOMLDecodeError as failure:
        broken = _not_toml(path, text, str(failure))
    except ValueError:  # from `int`, which limits the number of digits
        broken = _not_toml(path, text, "a number is too long")
    return text, None, [broken]


def find_place(text: str, path: str, table: str, key: str) -> Location:
    """Return the location of a key in a `deck.toml`, or of its table, or the first line."""
    wanted = f"{table}.{key}" if table else key
    while wanted:
        if found := _places(text).get(wanted):
            return Location(path, *found)
        wanted = wanted.rpartition(".")[0]
    return Location(path, 1)


def key_place(file: Path, path: str, table: str, key: str) -> Location:
    """Return the location of a key in a `deck.toml` that was read before; `path` is as in diagnostics."""
    return find_place(read_to_show(file, file.parent), path, table, key)


@lru_cache(maxsize=1)
def _places(text: str) -> Mapping[str, tuple[int, int]]:
    """Return the line and column of each key and table of a TOML file by its full name.

    If a name occurs twice, the first one counts.
    """
    places: dict[str, tuple[int, int]] = {}
    section = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        name = "" if header else section
        if found := header or _KEY.match(line):
            for part in _PART.finditer(line, found.start(1), found.end(1)):
                name += f".{part['name']}" if name else part["name"]
                places.setdefault(name, (number, part.start("name") + 1))
        if header:
            section = name
    return places


def _not_toml(path: str, text: str, message: str) -> Diagnostic:
    found = re.search(r"\(at line (\d+), column (\d+)\)$", message)
    lines = text.split("\n")
    place = (
        Location(path, int(found[1]), int(found[2]))
        if found
        else Location(path, len(lines), len(lines[-1]) + 1)
    )
    what = re.sub(r" \(at [^()]*\)$", "", message)
    fix = "see https://toml.io for the syntax"
    return error(place, "broken-deck-toml", f"not TOML: {what[:1].lower()}{what[1:]}", fix)
