"""Where other programs are: never in the current folder, which may be somebody else's repository."""

import os
import shutil
import sys
from pathlib import Path


def search_path(path: str, current: str, *, windows: bool) -> list[str]:
    """Return the folders of a search path in which a program may be looked for.

    Relative and empty entries mean the current folder, so they are left out, and so is the current folder itself.
    """
    separator = ";" if windows else ":"
    folders = [entry.strip('"') if windows else entry for entry in path.split(separator)]
    return [
        folder for folder in folders if _is_absolute(folder, windows=windows) and not _same(folder, current)
    ]


def find_program(name: str) -> str | None:
    """Return the absolute path of a program in `PATH`; `None` if it is not there."""
    windows = sys.platform == "win32"
    endings = os.environ.get("PATHEXT", ".EXE").split(";") if windows else []
    path = os.environ.get("PATH", os.defpath)
    for folder in search_path(path, str(Path.cwd()), windows=windows):
        for ending in (*endings, ""):
            # A name with a folder is not searched for: neither in `PATH` nor, on Windows, in the current folder.
            if found := shutil.which(os.path.join(folder, name + ending)):  # noqa: PTH118 - a string comes and goes
                return found
    return None


def _is_absolute(folder: str, *, windows: bool) -> bool:
    if windows:
        return folder[1:3] in (":\\", ":/") or folder.startswith("\\\\")
    return folder.startswith("/")


def _same(folder: str, other: str) -> bool:
    return os.path.normpath(folder) == os.path.normpath(other)
