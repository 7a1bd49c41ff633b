"""Corrects misspelt keys in the text of `deck.toml`; everything else in the file stays the same."""

import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ptcards.diagnostics.suggest import slip_of, surely
from ptcards.files.toml import find_place
from ptcards.source.config_keys import known_keys
from ptcards.source.source import rewrite

_SHORTEST = 4
"""The minimum length of a key to correct; too many shorter words differ in only one letter."""


class _Slip(NamedTuple):
    """An unknown key, its table (empty at the top level), and the key that was clearly intended."""

    table: str
    key: str
    meant: str


def fix_keys(toml: Path) -> int:
    """Correct the clearly misspelt keys in a `deck.toml`; return the number of corrections.

    Raises OutputError if the file cannot be written.
    """
    count = 0

    def change(before: bytes) -> bytes:
        nonlocal count
        mark = "\ufeff" if before.startswith(b"\xef\xbb\xbf") else ""
        text = before.decode("utf-8-sig")
        # Correct one key at a time: a misspelt table may contain misspelt keys.
        while after := next(filter(None, (_corrected(text, slip) for slip in _slips(text))), None):
            text, count = after, count + 1
        return (mark + text).encode()

    rewrite(toml, toml.parent, change)
    return count


def _slips(text: str) -> Iterator[_Slip]:
    tables = known_keys()
    document = _parsed(text)
    for table, known in tables.items():
        entries = document.get(table, {}) if table else document
        top = (*known, *filter(None, tables)) if not table else known
        for key in entries if isinstance(entries, dict) else ():
            if key not in top and (meant := _meant(key, top)):
                yield _Slip(table, key, meant)


def _meant(key: str, known: Iterable[str]) -> str | None:
    """Return the key that was clearly intended, or `None` if that is uncertain."""
    known = [*known]
    near = surely(key, known) or slip_of(key, known)
    return near if near and len(key) >= _SHORTEST and near[0] == key[0] else None


def _corrected(text: str, slip: _Slip) -> str | None:
    """Return the text with a key corrected, or `None` if the correction would change anything else."""
    table, key, meant = slip
    place = find_place(text, "", table, key)
    lines = text.split("\n")
    line, start = lines[place.line - 1], place.column - 1
    if not line.startswith(key, start):
        return None
    lines[place.line - 1] = line[:start] + meant + line[start + len(key) :]
    tried = "\n".join(lines)
    before, after = _parsed(text), _parsed(tried)
    entries = before[table] if table else before
    if meant in entries or not after:
        return None
    entries[meant] = entries.pop(key)
    return tried if before == after else None


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}
