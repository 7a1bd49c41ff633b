"""Finds out how to get back a `deck.lock` that cannot be read."""

from collections.abc import Callable
from pathlib import Path

from ptcards.files.git import GitError, Repository
from ptcards.files.programs import in_shell

_TAKE_A_SIDE = (
    "run `git checkout --ours {lock}` (or `--theirs`) and build again; "
    "nothing is lost: GUIDs of unpublished notes are derived again"
)
_RESTORE = "restore the lock with `git checkout HEAD -- {lock}`, and build again"
_RESTORE_OLDER = (
    "the last commit has this problem, too: restore the lock with `git checkout {commit} -- {lock}`, "
    "commit it, and build again; GUIDs of later notes are derived again"
)
_FIND_A_COPY = "restore the lock from a backup or another copy of the collection, and build again"
_MOST_COMMITS = 20
"""How many commits to search for a lock that can be read."""


def cure_of(file: Path, shown: str, is_readable: Callable[[bytes], bool], *, conflict: bool) -> str:
    """Return what to do about a lock that cannot be read; it may have conflict markers.

    During a merge, that is to take a side; otherwise to restore the last committed lock that can be read.
    """
    lock = in_shell(shown)
    try:
        repository = Repository(file.parent)
        if repository.is_unmerged(file.name):
            return _TAKE_A_SIDE.format(lock=lock)
        for commit in ("HEAD", *repository.changing(file.name, _MOST_COMMITS)):
            content = repository.content(commit, file.name)
            if content is not None and is_readable(content):
                return (_RESTORE if commit == "HEAD" else _RESTORE_OLDER).format(lock=lock, commit=commit)
    except GitError:
        pass
    return (_TAKE_A_SIDE if conflict else _FIND_A_COPY).format(lock=lock)
