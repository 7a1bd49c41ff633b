"""Writes files so that a crash, a full disk or a second build never leaves an incomplete one.

This package also reads files that authors name (`inputs`) and their older versions (`git`).
"""

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_TEMPORARY = ".ptcards-{}.tmp"
_LOCK = ".ptcards.lock"
_PIECE = 1 << 20
_LONGEST = 259
"""In characters; Windows refuses longer paths, unless its owner allows them."""


class NoSuchSourceError(Exception):
    """A SOURCE cannot be built at all (exit status 2); `path` is the SOURCE, if it is known."""

    def __init__(self, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.path = path


class NoMarkdownError(NoSuchSourceError):
    """A collection without Markdown files: there is nothing to build, but the preview can wait for some."""


class SourceChangedError(Exception):
    """A source was saved while a command still needed its old content."""

    def __init__(self, path: str) -> None:
        super().__init__(f"`{path}` changed while it was being read; try again")


class OutputError(Exception):
    """An output cannot be written; the existing file is unchanged."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write `{path.as_posix()}`: {reason}")
        self.path = path
        self.reason = reason


class CacheError(Exception):
    """Something in the user's cache cannot be used; the message tells the user why."""


Replacing = Callable[[Path], AbstractContextManager[BinaryIO]]
"""Given a path, returns a block in which to write the file that replaces it."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces `path` when the block ends, completely or not at all.

    The content is written to a temporary file in the same folder (created if missing), which is flushed to
    disk and then renamed; its mode follows the umask. If the file already has this content, it keeps its
    time. If the block raises, the temporary file is deleted. Hold the folder's lock (`locked`) meanwhile;
    otherwise another build may delete the temporary file.

    Raises:
        OutputError: the folder, the file or the disk cannot be written, or the block raises an `OSError`.

    """
    with replacing_together() as files, files.replacing(path) as file:
        yield file


@contextmanager
def replacing_together() -> Iterator["Replacements"]:
    """Yield files to write; all are complete and on the disk before the first of them replaces another.

    They replace others when the block ends, in the order in which they were written. If the block raises, no
    file changes. Hold the lock of their folders (`locked`) meanwhile. Raises OutputError like `replacing`.
    """
    with ExitStack() as temporary:
        files = Replacements(temporary)
        yield files
        for content, path in files.waiting:
            with _as_output(path):
                try:
                    content.replace(path)
                except PermissionError as failure:
                    # The folder is writable, as the content is in it: the file itself is in use on Windows.
                    if failure.errno != errno.EACCES or not os.access(path, os.W_OK):
                        raise
                    raise OutputError(path, _IN_USE) from failure
                _keep_name(path.parent)


class Replacements:
    """Files that replace others together; `waiting` are those with new content, each with what it replaces.

    Temporary files that are left are deleted when `temporary` ends.
    """

    def __init__(self, temporary: ExitStack) -> None:
        self.waiting: list[tuple[Path, Path]] = []
        self._temporary = temporary

    @contextmanager
    def replacing(self, path: Path) -> Iterator[BinaryIO]:
        """Yield a file that will replace `path`, unless it has the same content."""
        content = path.parent / _TEMPORARY.format(os.urandom(8).hex())
        with _as_output(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with content.open("xb") as file:
                self._temporary.callback(_unlink_quietly, content)
                yield file
                file.flush()
                is_same = _is_same(content, path)
                if not is_same:
                    os.fsync(file.fileno())
        if not is_same:
            self.waiting.append((content, path))


@contextmanager
def _as_output(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that says that `path` cannot be written."""
    try:
        yield
    except OSError as failure:
        raise OutputError(path, reason_of(failure)) from failure


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`, deleted when the block ends.

    Hold the folder's lock meanwhile.
    """
    temporary = path.parent / _TEMPORARY.format(os.urandom(8).hex())
    try:
        yield temporary
    finally:
        _unlink_quietly(temporary)


def home_folder() -> Path | None:
    """Return the user's home folder, or `None` if neither `HOME` nor the system's list of users has one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Return our folder in the user's cache, or `None` for a user without a home."""
    return _our_folder(environ, "XDG_CACHE_HOME", ".cache", "Library/Caches", "cache")


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """Return our folder for lasting data, or `None` for a user without a home."""
    return _our_folder(environ, "XDG_STATE_HOME", ".local/state", "Library/Application Support", "state")


def _our_folder(environ: Mapping[str, str], variable: str, xdg: str, macos: str, windows: str) -> Path | None:
    """Return our folder by the conventions of XDG, macOS or Windows.

    As the XDG specification requires, relative paths are ignored: one could lead to a repository that
    contains forged results.
    """
    given = Path(environ.get(variable, ""))
    if given.is_absolute():
        return given / "ptcards"
    home = home_folder()
    if home is None:
        return None
    if sys.platform == "darwin":
        return home / macos / "ptcards"
    if local := environ.get("LOCALAPPDATA"):
        return Path(local) / "ptcards" / windows
    return home / xdg / "ptcards"


def cache_file(environ: Mapping[str, str]) -> Path | None:
    """Return the path of our cache file, or `None` for a user without a home."""
    folder = cache_folder(environ)
    return folder / "cache.sqlite" if folder else None


def make_private_folder(folder: Path) -> None:
    """Create a folder that nobody else can enter, or accept an existing one that nobody else can write to.

    Raises:
        CacheError: it cannot be created, is not a folder, or somebody else could have put something there.

    """
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700, parents=True)
        _refuse_foreign(folder, folder.stat(), stat.S_ISDIR)
    except OSError as failure:
        message = f"ignoring the cache: cannot open `{folder.as_posix()}`: {reason_of(failure)}"
        raise CacheError(message) from failure


def check_private_file(file: Path) -> None:
    """Raise CacheError if a cache file is not a regular file, or somebody else could have written to it.

    A missing file is fine. In a private folder, nobody can replace it afterwards.
    """
    try:
        _refuse_foreign(file, file.lstat(), stat.S_ISREG)
    except FileNotFoundError:
        return
    except OSError as failure:
        message = f"ignoring the cache: cannot open `{file.as_posix()}`: {reason_of(failure)}"
        raise CacheError(message) from failure


def _refuse_foreign(path: Path, status: os.stat_result, is_right: Callable[[int], bool]) -> None:
    """Raise CacheError if others could have made a path: anyone who can write the cache can change decks."""
    reason = ""
    if not is_right(status.st_mode):
        reason = f"`{path.as_posix()}` is not a {'folder' if is_right is stat.S_ISDIR else 'regular file'}"
    elif sys.platform != "win32" and status.st_uid != os.geteuid():
        reason = f"`{path.as_posix()}` belongs to another user"
    elif sys.platform != "win32" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        reason = f"others can write to `{path.as_posix()}`"
    if reason:
        raise CacheError(f"ignoring the cache: {reason}; delete it")


@contextmanager
def locked(*folders: Path, waiting: Callable[[Path], None]) -> Iterator[None]:
    """Lock these folders against other builds, and delete what killed builds left in them.

    If another build has locked one of them, this calls `waiting` once with that folder, and waits. Missing
    folders are created, and deleted again if they stay empty. A folder that we cannot write to is left alone:
    no other process of this user can change it either, and reading it needs no lock.

    Raises:
        OutputError: a folder cannot be created or locked.

    """
    with ExitStack() as held:
        # Always in the same order, so that two builds that need the same folders cannot deadlock.
        for folder in sorted({Path(os.path.realpath(folder)) for folder in folders}):
            try:
                _lock(folder, waiting, held)
                _sweep(folder)
            except OSError as failure:
                if failure.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
                    raise OutputError(folder, reason_of(failure)) from failure
        yield


def is_held(folder: str) -> bool:
    """Whether a build has locked a folder, or was killed and left files there to delete."""
    return os.path.lexists(f"{folder}/{_LOCK}")


def _is_same(one: Path, other: Path) -> bool:
    """Whether two files have the same content; False if one is unreadable."""
    try:
        there = other.lstat()
        # A link is replaced, whatever its target.
        if not stat.S_ISREG(there.st_mode) or one.stat().st_size != there.st_size:
            return False
        with one.open("rb") as first, other.open("rb") as second:
            while piece := first.read(_PIECE):
                if piece != second.read(_PIECE):
                    return False
    except OSError:
        return False
    return True


def _lock(folder: Path, waiting: Callable[[Path], None], held: ExitStack) -> None:
    from filelock import FileLock, Timeout  # noqa: PLC0415 - 30 ms, only a build needs it

    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in reversed(missing):
        held.callback(_remove_if_empty, path)
    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        waiting(folder)
        lock.acquire()
    held.callback(lock.release)
    # Runs before the release: filelock (3.30 or newer) notices that the lock file was deleted while it
    # waited, and retries.
    held.callback(_unlink_quietly, folder / _LOCK)


def _sweep(folder: Path) -> None:
    for stale in folder.glob(_TEMPORARY.format("*")):
        _unlink_quietly(stale)


def _unlink_quietly(path: Path) -> None:
    """Delete one of our files; on Windows, a process that has it open deletes it later."""
    with suppress(OSError):
        path.unlink()


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _keep_name(folder: Path) -> None:
    """Flush the folder's new entry to the disk, where the system supports it.

    Windows and some network drives cannot.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_IN_USE = "another program has it open; close it and try again"
_SHARING_VIOLATION = 32
"""Windows's number for that (https://learn.microsoft.com/windows/win32/debug/system-error-codes)."""


def reason_of(failure: OSError) -> str:
    """Return why the system refuses something, for the end of a sentence."""
    if getattr(failure, "winerror", None) == _SHARING_VIOLATION:
        return _IN_USE
    if isinstance(failure.filename, str) and sys.platform == "win32":
        path = os.path.abspath(failure.filename)  # noqa: PTH100 - a path may be too long for pathlib too
        if len(path) > _LONGEST:
            return f"the path has {len(path)} characters, and Windows allows {_LONGEST}; use shorter names"
    return (failure.strerror or str(failure)).lower()
