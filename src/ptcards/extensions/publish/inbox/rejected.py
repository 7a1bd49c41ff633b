"""Remembers which entries of an inbox were rejected, in the user's state folder."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ptcards.files import replacing


def rejected_file(state: Path, collection_id: str) -> Path:
    """Return the file with the names of the rejected entries of a collection, one on each line."""
    return state / "inbox" / f"{collection_id}.txt"


def read_rejected(file: Path) -> frozenset[str]:
    """Return the names of the rejected entries; none if the file is missing or unreadable."""
    with suppress(OSError, UnicodeDecodeError):
        return frozenset(file.read_text("utf-8").split())
    return frozenset()


def reject(file: Path, names: Iterable[str]) -> None:
    """Add names to the rejected ones.

    Raises:
        OutputError: the file cannot be written.

    """
    with replacing(file) as stream:
        stream.writelines(f"{name}\n".encode() for name in sorted({*read_rejected(file), *names}))
