"""Reads `deck.toml`, and finds the positions of its keys, which the parser does not provide."""

import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.files.inputs import MAX_TOML_BYTES, InputError, read_input, read_to_show, real_path, shown
from ptcards.files.limits import DeepKeyError, parse_toml

_PART = re.compile(r"""["']?(?P<name>[\w-]+)["']?""")
_ANY_PART = _PART.pattern.replace("?P<name>", "?:")
_PARTS = rf"({_ANY_PART}(?:[ \t]*\.[ \t]*{_ANY_PART}){{0,9}})"
_KEY = re.compile(rf"[ \t]*{_PARTS}[ \t]*=")
_HEADER = re.compile(rf"[ \t]*\[\[?[ \t]*{_PARTS}[ \t]*\]")


def read_toml(file: Path, path: str) -> tuple[str, dict[str, Any] | None, list[Diagnostic]]:
    """Return the text of a TOML file, with its document or an error."""
    text = ""
    try:
        text = read_input(file, file.parent, MAX_TOML_BYTES).decode("utf-8-sig")
        return text, parse_toml(text), []
    except UnicodeDecodeError:
        broken = error(Location(path, 1), "broken-deck-toml", "not UTF-8", "save the file as UTF-8")
    except InputError as failure:
        broken = failure.at(Location(path, 1), "broken-deck-toml")
    except DeepKeyError as failure:
        fix = "use only keys and tables that ptcards knows: see `ptcards explain unknown-key`"
        place = Location.within(path, text, failure.start)
        broken = error(place, "broken-deck-toml", str(failure), fix)
    except RecursionError:
        broken = _not_toml(path, text, "nested too deeply")
    except tomllib.TOMLDecodeError as failure:
        broken = _not_toml(path, text, str(failure))
    except ValueError:  # from `int`, which limits the number of digits
        broken = _not_toml(path, text, "a number is too long")
    return text, None, [broken]


def extended_file(file: Path, name: object = None) -> Path | None:
    """Return the file that a `deck.toml` extends, which may be missing; it names it, or `name` does.

    Raises OutsideError if it is outside the repository or, without one, outside the folder above that of the
    `deck.toml`.
    """
    name = name or (read_toml(file, "")[1] or {}).get("extends")
    if not isinstance(name, str) or not name:
        return None
    folder = file.absolute().parent
    root = next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), folder.parent)
    extended = Path(os.path.normpath(folder / name))
    real_path(extended, root)
    return extended


def setting_file(file: Path, path: str, table: str, key: str) -> tuple[Path, str]:
    """Return the file that sets a key, a `deck.toml` or the one that it extends, and its path to show."""
    with suppress(InputError):
        if f"{table}.{key}".strip(".") not in _places(read_to_show(file, file.parent)):
            extended = extended_file(file)
            if extended and f"{table}.{key}".strip(".") in _places(read_to_show(extended, extended.parent)):
                return extended, shown(extended)
    return file, path


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
    file, path = setting_file(file, path, table, key)
    return find_place(read_to_show(file, file.parent), path, table, key)


def from_entry(text: str, table: str, number: int) -> str:
    """Return a TOML file with empty lines above the entry with this number, from 0, of an array of tables."""
    heads = list(re.finditer(rf"^[ \t]*\[\[[ \t]*{table}[ \t]*\]\]", text, re.MULTILINE))
    start = heads[number].start() if number < len(heads) else 0
    return "\n" * text.count("\n", 0, start) + text[start:]


def item_place(file: Path, path: str, table: str, key: str, item: str) -> Location:
    """Return the location of a text in the list of a key; of the key if it is written otherwise."""
    file, path = setting_file(file, path, table, key)
    place = key_place(file, path, table, key)
    lines = read_to_show(file, file.parent).split("\n")
    for number, line in enumerate(lines[place.line - 1 :], place.line):
        if found := re.search(rf"""(?<=["']){re.escape(item)}(?=["'])""", line):
            return Location(path, number, found.start() + 1)
    return place


@lru_cache(maxsize=1)
def _places(text: str) -> Mapping[str, tuple[int, int]]:
    """Return the line and column of each key and table of a TOML file, which may be malformed, by full name.

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


_MISTAKES = (
    (
        r"unterminated|illegal character '\\n'|expected \"'",
        "this text has no closing quote",
        "add it at the end",
    ),
    (
        "invalid value",
        "the value is missing or has no quotes",
        'put text in straight quotes, as in `name = "My deck"`; other values are numbers, `true` and `false`',
    ),
    (
        "expected newline",
        "a line has more than one value",
        "put text in quotes, and each key on its own line",
    ),
    ("expected '='", "`=` is missing after a key", 'write `key = "…"`, or begin a comment with `#`'),
    ("cannot ", "a key or table is set twice", "put all of it in one place"),
)
"""The commonest mistakes: how what Python's parser says begins, what is wrong, and what to do."""


def _not_toml(path: str, text: str, said: str) -> Diagnostic:
    found = re.search(r"\(at line (\d+), column (\d+)\)$", said)
    lines = text.replace("\r\n", "\n").split("\n")
    line, column = (int(found[1]), int(found[2])) if found else (len(lines), len(lines[-1]) + 1)
    what = re.sub(r" \(at [^()]*\)$", "", said)
    what = what[:1].lower() + what[1:]
    unknown = f"not TOML: {what}", "see https://toml.io for the syntax"
    known = ((message, fix) for begin, message, fix in _MISTAKES if re.match(begin, what))
    return error(Location(path, line, column), "broken-deck-toml", *next(known, unknown))
