"""File names as text, words and slugs; paths as authors write them; names that clash on other systems."""

import os
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path

_LONGEST = 200
"""In bytes; file systems accept up to 255."""


def as_text(name: str) -> str:
    """Return a file name decoded as UTF-8, whatever the locale.

    Bytes that are not UTF-8 remain surrogates.
    """
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape")


def shown(file: Path) -> str:
    """Return a path as the author would write it: relative if it is below the working folder."""
    working = Path.cwd()
    return as_text((file.relative_to(working) if file.is_relative_to(working) else file).as_posix())


def in_words(name: str) -> str:
    """Return a file or folder name as words: `loss-functions` becomes `Loss functions`."""
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def slug(name: str) -> str:
    """Return a name as a file name: letters and digits of any script, in lower case, joined with `-`.

    It is short enough for every file system, even with a number and an ending added.
    """
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", name).lower())
    joined = "-".join(kept.split()).encode()[:_LONGEST].decode(errors="ignore")
    return joined.rstrip("-") or "deck"


def one_file(name: str) -> str:
    """Return a form that is equal for names that are the same file on some systems.

    Windows and macOS ignore case, and macOS also ignores how accents are encoded.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def in_other_case(names: Iterable[str]) -> Mapping[str, str]:
    """Return the names that some systems treat as `deck.toml` or `deck.lock`, each with that name."""
    return {
        name: own
        for name in names
        for own in ("deck.toml", "deck.lock")
        if name != own and one_file(name) == own
    }
