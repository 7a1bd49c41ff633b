"""The facts that an answer depends on: the state of files and folders, and the version of ptcards."""

import hashlib
import os
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptcards.files import is_held
from ptcards.files.inputs import file_digest

_PACKAGE = Path(__file__).parents[1]
_LIBRARIES = ("genanki-", "latex2mathml-", "markdown-", "pygments-", "pyyaml-")
_RECORDS = (".dist-info", ".egg-info")


class Facts(NamedTuple):
    """What an answer depends on: the state of files, folders and repositories.

    `files` are the digests of files, and `listings` those of the names below each root. An item of `media`
    describes a file used by a note: the places to look for it, the real path of the first that exists, and
    its digest; the last two are empty if it was not found.

    No build may be writing to any of the `folders`. `repositories` are digests of git's commits and tags, by
    folder.
    """

    files: Mapping[str, str]
    listings: Mapping[str, str]
    media: Sequence[tuple[tuple[str, ...], str, str]]
    folders: Sequence[str]
    repositories: Mapping[str, str]


def listing(root: str) -> str:
    """Return a digest of the names below a root that decide which files are sources."""
    names = b"".join(os.fsencode(name) + b"\0" for name in _names(root, ""))
    return hashlib.sha256(names).hexdigest()


@cache
def versions() -> str:
    """Return a digest of Python, of the libraries that affect outputs, and of our own files.

    Libraries are identified by the folders that record their versions, so edits to their code go unnoticed.
    Our files are identified by size and time.
    """
    found = [sys.version, zlib.ZLIB_RUNTIME_VERSION, *sorted(_components()), *sorted(_files(_PACKAGE))]
    return hashlib.sha256("\0".join(found).encode("utf-8", "surrogatepass")).hexdigest()


def hold(facts: Facts) -> bool:
    """Whether all these facts are unchanged. Raises OSError if a file is unreadable."""
    return (
        all(file_digest(path) == digest for path, digest in facts.files.items())
        and all(listing(root) == digest for root, digest in facts.listings.items())
        and all(_shows(*shown) for shown in facts.media)
        # Another process may be writing there, or was killed and left files to delete.
        and not any(map(is_held, facts.folders))
        and all(refs_digest(root) == digest for root, digest in facts.repositories.items())
    )


def refs_digest(root: str) -> str:
    """Return a digest of the refs of the repository that contains a folder; empty if git cannot tell."""
    from ptcards.files import git  # noqa: PLC0415 - slow to import

    return git.refs_digest(Path(root))


def _shows(places: Sequence[str], target: str, digest: str) -> bool:
    found = next((place for place in places if os.path.lexists(place)), None)
    if found is None or not target:
        return found is None and not target
    return os.path.realpath(found) == target and file_digest(target) == digest


def _names(folder: str, below: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = f"{below}/{entry.name}"
        if entry.is_dir():
            if entry.name.startswith(("_", ".")) or name == "/build":
                continue
            yield f"{name}/{'link' if entry.is_symlink() else ''}"
            if not entry.is_symlink():
                yield from _names(entry.path, name)
        elif entry.name.lower().endswith((".md", "deck.toml", "deck.lock")) and entry.name != "deck.lock":
            yield name


def _components() -> Iterator[str]:
    for folder in sys.path:
        with suppress(OSError):
            for name in os.listdir(folder or "."):  # noqa: PTH208 - takes a tenth of the time
                if name.endswith(_RECORDS) and name.lower().startswith(_LIBRARIES):
                    yield name


def _files(folder: Path | str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                status = entry.stat()
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
            elif entry.name != "__pycache__":
                yield from _files(entry.path)
