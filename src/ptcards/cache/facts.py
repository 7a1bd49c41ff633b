"""Facts that an answer rests on: files and folders as they were, and what ptcards is made of."""

import errno
import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ptcards.files import is_held
from ptcards.inputs import open_regular

_MAX_BYTES = 200 << 20
"""Read in a second; of larger files no answer is kept."""
_PACKAGE = Path(__file__).parents[1]
_LIBRARIES = ("genanki-", "latex2mathml-", "markdown-", "pygments-", "pyyaml-")
_RECORDS = (".dist-info", ".egg-info")


class Facts(NamedTuple):
    """What an answer rests on: digests of files and of names below roots, and where shown files were found.

    A shown file is where it is looked for, where links lead from the first such place, its digest; the last two are
    empty if there was none.

    Nobody may be writing in any of the `folders`. `repositories` are digests of what git's commits and tags are there.
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


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file in hex; nothing of a file that is not there.

    Raises:
        OSError: it cannot be read, or is so large that reading it takes longer than an answer may.

    """
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > _MAX_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def lines_digest(lines: Iterable[str]) -> str:
    """Return the digest of a file that holds these lines."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()


@cache
def versions() -> str:
    """Return a digest of Python, the libraries that outputs come from, and our own files.

    Libraries count by the folders that record their versions: one changed in place is not noticed. Our files
    count by size and time.
    """
    found = [sys.version, zlib.ZLIB_RUNTIME_VERSION, *sorted(_components()), *sorted(_files(_PACKAGE))]
    return hashlib.sha256("\0".join(found).encode("utf-8", "surrogatepass")).hexdigest()


def hold(facts: Facts) -> bool:
    """Whether everything is as it was. Raises OSError for what cannot be read."""
    return (
        all(file_digest(path) == digest for path, digest in facts.files.items())
        and all(listing(root) == digest for root, digest in facts.listings.items())
        and all(_shows(*shown) for shown in facts.media)
        # Someone may be writing there, or was killed there and left files to sweep away.
        and not any(map(is_held, facts.folders))
        and all(_refs_digest(root) == digest for root, digest in facts.repositories.items())
    )


def _refs_digest(root: str) -> str:
    from ptcards.git import refs_digest  # noqa: PLC0415 - what starts processes is heavy

    return refs_digest(Path(root))


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
            for name in os.listdir(folder or "."):  # noqa: PTH208 - a tenth of the time
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
