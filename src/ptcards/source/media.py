"""Files that notes show: found below the collection's root, hashed, named for Anki."""

import hashlib
import os
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ptcards.diagnostics import Diagnostic, error
from ptcards.inputs import (
    MAX_MEDIA_BYTES,
    InputError,
    IrregularError,
    MissingError,
    OutsideError,
    TooLargeError,
    open_input,
)
from ptcards.notes import Media
from ptcards.source.content import Reference
from ptcards.suggest import suggest


class MediaFolder:
    """The files below a root; each is read once."""

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))
        self._known: dict[Path, Media | tuple[str, str, str]] = {}

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        """Find the file that a source refers to; errors say why it cannot be used."""
        address = reference.address
        names = (
            address,
            unquote(address),
        )  # GitHub decodes %20; a name with a literal % is found as it is written.
        existing = next((name for name in names if self._exists(source, name)), None)
        if reference.optional and existing is None:
            return None, []
        parts = urlsplit(address) if ":" in address or address.startswith("//") else None
        if parts is not None and (parts.scheme or parts.netloc) and existing != address:
            fix = "save the file into the collection and refer to it by its path"
            return None, [
                error(
                    reference.location,
                    "remote-media",
                    f"`{_short(address)}` is not a file of the collection",
                    fix,
                    reference.length,
                )
            ]
        path = Path(os.path.normpath(source.parent / (existing or unquote(address))))
        if path not in self._known:
            self._known[path] = self._read(path, address)
        found = self._known[path]
        if isinstance(found, Media):
            return Media(address, found.file, found.digest, found.name), []
        rule, message, fix = found
        return None, [error(reference.location, rule, message, fix, reference.length)]

    @staticmethod
    def _exists(source: Path, name: str) -> bool:
        return "\0" not in name and os.path.lexists(source.parent / name)

    def _read(self, path: Path, address: str) -> Media | tuple[str, str, str]:
        try:
            with open_input(path, self._root, MAX_MEDIA_BYTES) as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
                is_empty = content.tell() == 0
        except OutsideError:
            fix = "copy the file into the collection, not as a link"
            return ("unsafe-media", f"`{address}` lies outside the collection", fix)
        except MissingError:
            return ("missing-media", f"no file `{address}`", _nearest(path))
        except IrregularError as failure:
            fix = "refer to a picture, a sound or a video"
            return ("unsafe-media", f"`{address}` {failure.reason}", fix)
        except TooLargeError:
            message = f"`{address}` is larger than 100 MB, which AnkiWeb refuses"
            return ("media-too-large", message, "make the file smaller")
        except InputError as failure:
            return ("missing-media", f"`{address}` {failure.reason}", "make the file readable")
        if is_empty:
            return ("empty-media", f"`{address}` is empty", "save the file again")
        return Media(address, path, digest, media_name(path, digest))


def media_name(path: Path, digest: str) -> str:
    """Return a name by a file's content, which no client of Anki changes (docs/anki.md, Media)."""
    stem = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", path.stem)).strip("-._")
    while len(stem.encode()) > 60:  # Anki cuts names at about 120 bytes
        stem = stem[:-1]
    suffix = re.sub(r"[^\w.]+", "", unicodedata.normalize("NFC", path.suffix))[:16]
    return f"{stem or 'media'}-{digest[:8]}{suffix.lower()}"


def _nearest(path: Path) -> str:
    try:
        names = sorted(file.name for file in path.parent.iterdir())
    except (OSError, ValueError):
        names = []
    names = [name for name in names if not name.lower().endswith((".md", ".toml", ".lock"))]
    near = suggest(path.name, names)
    return f"did you mean `{near}`?" if near else "paths start at the folder of the Markdown file"


def _short(address: str) -> str:
    return address if len(address) <= 60 else address[:57] + "…"
