"""Temporary folders: deleted after use, or by the next command that needs one if their process was killed."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_RANDOM = "[0-9a-f]{16}"
"""The random part of a name."""
_PRIVATE = 0o700
_USUAL = 0o777
"""Modes of folders; the second one leaves it to the umask."""


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """Yield a private folder that is deleted when the block ends; its name contains the purpose."""
    sweep(purpose)
    with _held(lambda: Path(tempfile.gettempdir()) / f"{_prefix(purpose)}{_random()}", _PRIVATE) as folder:
        yield folder


@contextmanager
def folder_beside(target: Path, purpose: str) -> Iterator[Path]:
    """Yield a folder next to `target` that is deleted when the block ends, unless the block renames it.

    Missing parents are created, and what killed processes left there for this purpose is deleted.

    Raises:
        OSError: the folder cannot be created.

    """
    _sweep(target.parent, re.compile(rf"\.ptcards-{_RANDOM}\.{purpose}"))
    with _held(lambda: target.parent / f".ptcards-{_random()}.{purpose}", _USUAL) as folder:
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
def _held(new_path: Callable[[], Path], mode: int) -> Iterator[Path]:
    """Yield a new folder that other processes do not delete; it is deleted when the block ends.

    Nothing is left if the process is asked to end at any moment from the creation of the folder on.
    """
    while True:
        folder = new_path()
        lock = None
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode)
            lock = _hold(folder, wait=True)
            if folder.is_dir():  # otherwise it was deleted before it could be locked
                yield folder
                return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def _random() -> str:
    return os.urandom(8).hex()


def _prefix(purpose: str) -> str:
    return f"ptcards-{purpose}-"


def _hold(folder: Path, *, wait: bool) -> int | None:
    """Return a descriptor that locks a folder until it is closed, or `None` if it cannot be locked."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return None
    import fcntl  # noqa: PLC0415 - Windows lacks it

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
