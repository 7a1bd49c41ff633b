"""The rules of other systems, on Linux."""

import errno
import fcntl
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest


def files_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse what Windows refuses: to replace, move or delete an open file, and to flush one only read.

    Only files that this process has open count.
    """
    for name in ("replace", "rename", "unlink", "remove"):
        monkeypatch.setattr(os, name, _refusing(getattr(os, name)))
    monkeypatch.setattr(os, "fsync", _fsync)


def _refusing(change: Callable[..., None]) -> Callable[..., None]:
    def refuse(*paths: Any, **options: Any) -> None:
        if not options:  # paths relative to an open folder do not exist on Windows
            for path in paths:
                if _is_open(Path(os.fsdecode(path)).absolute()):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        change(*paths, **options)

    return refuse


def _is_open(path: Path) -> bool:
    """Whether this process has a file open at a path or below it."""
    for number in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the listing itself
            opened = number.readlink()
            if opened.is_relative_to(path) and not opened.is_dir():
                return True
    return False


_flush = os.fsync


def _fsync(number: int) -> None:
    is_folder = Path(f"/proc/self/fd/{number}").is_dir()
    if not is_folder and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    _flush(number)
