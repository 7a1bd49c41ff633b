"""Folders for code that runs without a sandbox.

They are deleted after their run, and the next run deletes what a killed one left.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_PREFIX = "ptcards-verify-"


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yield a folder that is deleted when the block ends."""
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        lock = _hold(folder, wait=True)
        if lock is None or os.path.isdir(folder):  # noqa: PTH112 - otherwise it was deleted before it was locked
            break
        os.close(lock)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep() -> None:
    """Delete the folders of killed runs: nobody has them locked."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = _hold(str(folder), wait=False)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _hold(folder: str, *, wait: bool) -> int | None:
    """Return a descriptor that locks a folder until it is closed, or `None` if it cannot be locked."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return None
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(number).st_uid == os.getuid():
                fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                return number
        except OSError:  # another run has locked it
            pass
        os.close(number)
    return None
