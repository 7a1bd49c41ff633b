"""Finds programs in PATH only, never in the current folder, which may belong to a stranger.

It also writes command lines for people.
"""

import ntpath
import os
import posixpath
import re
import shlex
import sys
from collections.abc import Sequence


def find_program(*names: str) -> str | None:
    """Return the absolute path of the first program in PATH with one of these names, or `None`."""
    places = program_paths(
        names,
        os.environ.get("PATH", os.defpath),
        os.getcwd(),  # noqa: PTH109 - compared as text
        platform=sys.platform,
        endings=os.environ.get("PATHEXT", ".COM;.EXE"),
    )
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), None)  # noqa: PTH113


def program_paths(
    names: Sequence[str], search_path: str, current_folder: str, *, platform: str, endings: str = ""
) -> list[str]:
    """Return the absolute paths where one of these programs may be, best first.

    Relative folders in the search path depend on the current folder, so they are left out, as is that folder
    itself. Windows always searches that folder first, so the paths are built here. `endings` is the value of
    PATHEXT on Windows.
    """
    if platform != "win32":
        folders = [folder for folder in search_path.split(":") if posixpath.isabs(folder)]
        there = posixpath.normpath(current_folder)
        folders = [folder for folder in folders if posixpath.normpath(folder) != there]
        return [posixpath.join(folder, name) for folder in folders for name in names]
    there = ntpath.normcase(ntpath.normpath(current_folder))
    folders = [folder.strip('"') for folder in search_path.split(";")]
    # `\bin` and `c:bin` also depend on the current drive or folder.
    folders = [folder for folder in folders if ntpath.splitdrive(folder)[0] and _is_rooted(folder)]
    folders = [folder for folder in folders if ntpath.normcase(ntpath.normpath(folder)) != there]
    known = [ending.lower() for ending in endings.split(";") if ending]
    return [
        ntpath.join(folder, name + ending)
        for folder in folders
        for name in names
        for ending in ([""] if ntpath.splitext(name)[1].lower() in known else known)
    ]


def _is_rooted(folder: str) -> bool:
    return ntpath.splitdrive(folder)[1].startswith(("\\", "/"))


def in_shell(*words: str) -> str:
    """Return words of a command line, ready to paste into a shell: on Windows, PowerShell or cmd."""
    if sys.platform != "win32":
        return shlex.join(words)
    return " ".join(word if re.fullmatch(r"[\w./\\:=+,-]+", word) else f'"{word}"' for word in words)
