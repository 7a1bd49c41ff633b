"""Names of files: as text, as words, as file names, and which of them some system takes for one."""

import os
import unicodedata
from collections.abc import Iterable, Mapping


def as_text(name: str) -> str:
    """Return a file's name in UTF-8, whatever the locale takes its bytes for.

    What is not UTF-8 stays surrogates.
    """
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape")


def in_words(name: str) -> str:
    """Turn a file or folder name into words: `loss-functions` is `Loss functions`."""
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def slug(name: str) -> str:
    """Turn a name into a file name: letters and digits of any script, lower case, joined by `-`."""
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", name).lower())
    return "-".join(kept.split()) or "deck"


def one_file(name: str) -> str:
    """Return what names have in common that some system takes for one file.

    MacOS and Windows ignore case, macOS also how accents are written.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def in_other_case(names: Iterable[str]) -> Mapping[str, str]:
    """Return the names that some systems take for `deck.toml` or `deck.lock`, with the one they mean."""
    return {
        name: own
        for name in names
        for own in ("deck.toml", "deck.lock")
        if name != own and one_file(name) == own
    }
