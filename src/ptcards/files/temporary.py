"""Temporary folders: deleted after use, or by the next command that needs one if their process was killed."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_RANDOM = "[a-z0-9_]{8}"
"""The part of a name that `mkdtemp` appends to a prefix."""


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Yield a private folder that is deleted when the block ends; its name contains the purpose."""
    sweep(purpose)
    with _held(lambda: Path(tempfile.mkdtemp(prefix=_prefix(purpose)))) as folder:
        yield folder


@contextmanager
def folder_beside(target: Path, purpose: str) -> Iterator[Path]:
    """Yield a folder next to `target` that is deleted when the block ends, unless the block renames it.

    Missing parents are created, and what killed processes left there for this purpose is deleted.

    Raises:
        OSError: the folder cannot be created.

    """

    def make() -> Path:
        folder = target.parent / f".ptcards-{os.urandom(8).hex()}.{purpose}"
        folder.mkdir(parents=True)
        return folder

    _sweep(target.parent, re.compile(rf"\.ptcards-[0-9a-f]{{16}}\.{purpose}"))
    with _held(make) as folder:
        yield folder


def sweep(purpose: str) -> None:
    """Delete the unlocked folders that killed processes left behind for this purpose."""
    _sweep(Path(tempfile.gettempdir()), re.compile(rf"{_prefix(purpose)}{_RANDOM}"))


def _sweep(parent: Path, name: re.Pattern[str]) -> None:
    for folder in parent.glob("*ptcards-*"):
        if not name.fullmatch(folder.name):
            continue  # somebody else's folder
        lock = _hold(folder, wait=False)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


@contextmanager
def _held(make: Callable[[], Path]) -> Iterator[Path]:
    """Yield a new folder that other processes do not delete; it is deleted when the block ends."""
    while True:
        folder = make()
        lock = _hold(folder, wait=True)
        if folder.is_dir():  # otherwise it was deleted before it could be locked
            break
        if lock is not None:
            os.close(lock)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _prefix(purpose: str) -> str:
    return f"ptcards-{purpose}-"


def _hold(folder: Path, *, wait: bool) -> int | None:
    """Return a descriptor that locks a folder until it is closed, or `None` if it cannot be locked."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return None
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(number).st_uid == os.getuid():
                fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                return number
        except OSError:  # another process has locked it
            pass
        os.close(number)
    return None
