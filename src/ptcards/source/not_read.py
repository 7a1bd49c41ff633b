"""Decides which files are not read although they could be sources, as those that git ignores."""

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ptcards.files.git import ignore_files, ignored_files, index_file
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, file_digest, read_input
from ptcards.identity.hashes import LONGEST_HEADING, one_line
from ptcards.identity.lock_reading import read_lock
from ptcards.notes import plain_name

ABOUT_REPOSITORY = frozenset(
    {"CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE.md", "SECURITY.md"}
)
"""Files next to `.git` that are not sources."""


_FOR_MODELS = "it is for models"


class NotRead(NamedTuple):
    """Why files that could be sources are not read, by name, and the files that decide this.

    The latter may not exist.
    """

    reasons: Mapping[str, str]
    deciding: tuple[Path, ...]

    @property
    def unexpected(self) -> int:
        """The number of these files, without those that nobody expects to be read."""
        return sum(reason != _FOR_MODELS for reason in self.reasons.values())


ALL_READ = NotRead({}, ())


def is_drawing(path: str) -> bool:
    """Whether a file is a drawing of Excalidraw."""
    return path.lower().endswith(".excalidraw.md")


def is_for_models(path: str) -> bool:
    """Whether a file tells language models how to work here."""
    return path.rpartition("/")[2].lower() == "agents.md"


def find_unread(root: Path, names: Sequence[str], doubtful: Sequence[str], collection_id: str) -> NotRead:
    """Return which of the `doubtful` names of files below a root are not read.

    `names` are those of all files that could be sources; if git ignores all of them, it does not count. A
    file with published notes is read, because git ignores other files on another machine, where its notes
    would be retired otherwise.
    """
    folders: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    deciding = [*ignore_files(root), *sorted(root / folder / ".gitignore" for folder in folders)]
    index = index_file(root)
    state = tuple(_digest(file) for file in (*deciding, *([index] if index else ())))
    matching, ignored = _ask_git(root, tuple(names), state) if index else ([], [])
    # The index only matters if it may have a file that git would ignore.
    deciding += [index] if index and matching else []
    reasons = dict.fromkeys(ignored, "git ignores it") if len(ignored) < len(names) else {}
    reasons |= {name: "it is about the repository" for name in names if _is_about_repository(root / name)}
    reasons |= {name: _FOR_MODELS for name in names if is_for_models(name)}
    reasons |= {name: "it is a drawing" for name in names if is_drawing(name)}
    reasons = {name: reasons[name] for name in doubtful if name in reasons}
    headings = _published(root, collection_id) if reasons else frozenset[str]()
    unread = {name: why for name, why in reasons.items() if not _has_any(root / name, root, headings)}
    return NotRead(unread, tuple(deciding))


@lru_cache(maxsize=8)
def _ask_git(root: Path, names: tuple[str, ...], _state: object) -> tuple[list[str], list[str]]:
    """Ask git once as long as its files are in the same state."""
    return ignored_files(root, names)


def _digest(file: Path) -> str:
    try:
        return file_digest(file)
    except OSError:  # an unreadable file counts as a missing one
        return ""


def _is_about_repository(file: Path) -> bool:
    return file.name in ABOUT_REPOSITORY and os.path.lexists(file.parent / ".git")


def _published(root: Path, collection_id: str) -> frozenset[str]:
    """Return the headings of the published notes; if the lock is unusable, `""`, which every file has."""
    lock, _ = read_lock(root / "deck.lock", shown="", collection_id=collection_id)
    if lock is None:
        return frozenset({""})
    return frozenset(record.fingerprint.heading for record in lock.records if record.live)


def _has_any(file: Path, root: Path, headings: frozenset[str]) -> bool:
    """Whether one of these headings is a line of a file, or the file cannot be read."""
    if not headings:
        return False
    try:
        text = read_input(file, root, MAX_SOURCE_BYTES).decode("utf-8-sig", "replace")
    except InputError:
        return True
    lines = (line.strip().lstrip("#").rstrip("#").strip() for line in text.splitlines())
    return "" in headings or any(
        one_line(plain_name(line))[:LONGEST_HEADING].rstrip() in headings for line in lines
    )
