"""What this ptcards is made of: whatever is kept from an earlier run counts only as long as that is the same.

Imports next to nothing, since it is asked before all else.
"""

import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).parent.parent
_COMPONENTS = (
    "genanki-",
    "latex2mathml-",
    "markdown-",
    "pathspec-",
    "pygments-",
    "pyyaml-",
)
_RECORDS = (".dist-info", ".egg-info")


def versions() -> list[str]:
    """Name Python, the libraries that outputs come from, by the folders that record their versions, and our own files.

    A library changed in place, without another version, is not noticed. Our own files count by size and time.
    """
    return [sys.version, zlib.ZLIB_RUNTIME_VERSION, *sorted(_components()), *sorted(_files(_PACKAGE))]


def _components() -> Iterator[str]:
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")  # noqa: PTH208 - a tenth of the time
        except OSError:
            continue
        for name in names:
            if name.endswith(_RECORDS) and name.lower().startswith(_COMPONENTS):
                yield name


def _files(folder: Path | str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path)
            else:
                status = entry.stat()
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
