"""Folders for code that runs without a sandbox.

They go with their run, and what a killed run left goes with the next.
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
    """Make a folder that is gone when the block ends."""
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX)
        lock = _hold(folder, wait=True)
        if lock is None or os.path.isdir(folder):  # noqa: PTH112 - else it was swept before it was held
            break
        os.close(lock)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep() -> None:
    """Delete the folders of runs that were killed: nobody holds them."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = _hold(str(folder), wait=False)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def _hold(folder: str, *, wait: bool) -> int | None:
    """Lock a folder of ours until the number is closed; `None` if that cannot be done."""
    if sys.platform == "win32":  # a folder cannot be opened there
        return None
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            if os.fstat(number).st_uid == os.getuid():
                fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
                return number
        except OSError:  # another run holds it
            pass
        os.close(number)
    return None
