"""Reads the files of a collection: nothing outside its folder, no devices, nothing endless.

It also shows their names as text, words and slugs, and finds names that clash on other systems.
"""

import errno
import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from ptcards.diagnostics import Diagnostic, Location, error
from ptcards.files import reason_of

# A FIFO without a writer must not block, and no terminal may become our controlling terminal. Windows has
# neither, but opens files as text by default.
_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK")
)

_PIECE = 1 << 20
_MAX_SHOWN_BYTES = 8 << 20
"""No lines of a larger file are shown: splitting it into lines takes ten times its size in memory."""

MAX_SOURCE_BYTES = 16 << 20
"""About 50,000 notes: nobody can find anything in a longer file."""
MAX_TOML_BYTES = 256 << 10
"""Hundreds of times the usual size, for which the Python parser takes a second."""
MAX_CSS_BYTES = 1 << 20
"""The CSS is in both note types, and every learner's device reads it for every card."""
MAX_TEMPLATE_BYTES = 256 << 10
"""Anki reads it for every card; the templates of the most elaborate shared decks have half of it."""
MAX_LOCK_BYTES = 32 << 20
"""About 170,000 notes."""
MAX_LOCK_LINES = 400_000
"""More lines than a file of that size can contain, even with the shortest records."""
MAX_MEDIA_BYTES = 100_000_000
"""AnkiWeb does not accept larger files."""
_MAX_DIGESTED_BYTES = 200 << 20
"""The size of a file that can be read in a second."""


class InputError(Exception):
    """A file cannot be used; `reason` says why, and `help` says what its author can do."""

    def __init__(self, reason: str, help: str) -> None:  # noqa: A002 - the word that authors see
        super().__init__(reason)
        self.reason = reason
        self.help = help

    def at(self, place: Location, rule: str, length: int = 1) -> Diagnostic:
        """Return the error at a location, with `rule` unless this kind of error has its own rule."""
        return error(place, rule, self.reason, self.help, length)


class ClosedError(InputError):
    """The file cannot be opened or read."""

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot be read: {why}", "check that the file exists and is readable")


class MissingError(ClosedError):
    """There is no such file."""


class OutsideError(InputError):
    """The path leads out of the collection, through a link or with `..`."""

    def __init__(self) -> None:
        super().__init__("is outside the collection", "replace the link with a copy of the file")

    def at(self, place: Location, rule: str, length: int = 1) -> Diagnostic:  # noqa: ARG002 - it has its own
        """Return the error at a location, with the rule about links."""
        return error(place, "outside-collection", self.reason, self.help, length)


class IrregularError(InputError):
    """The path leads to a folder, a pipe, a socket or a device."""

    def __init__(self, mode: int) -> None:
        what = "is a folder" if stat.S_ISDIR(mode) else "is not a regular file"
        super().__init__(what, "replace it with a file")


class TooLargeError(InputError):
    """The file is larger than allowed for its kind; `size` is in bytes."""

    def __init__(self, limit: int, size: int) -> None:
        at_most = f"{limit >> 20} MB" if limit >= 1 << 20 else f"{limit >> 10} KB"
        super().__init__(f"is larger than {at_most}", "make the file smaller")
        self.size = size


def real_path(file: Path, folder: Path) -> Path:
    """Return a path with all links resolved; it must be inside the folder.

    This function alone decides what belongs to a collection.

    Raises:
        OutsideError: it leads out of the folder.
        MissingError: no file can have this name.

    """
    try:
        real = Path(os.path.realpath(file))
    except (ValueError, OSError) as failure:  # a NUL, which no file name contains; on Windows, a device
        raise MissingError(str(failure)) from failure
    if not real.is_relative_to(os.path.realpath(folder)):
        raise OutsideError
    return real


def refuse_backslash(name: str) -> None:
    r"""Raise MissingError if a name has a `\` that separates folders on this system, but not on others."""
    if os.sep != "/" and os.sep in name:
        raise MissingError(os.strerror(errno.ENOENT))


def open_input(file: Path, folder: Path, limit: int) -> FileIO:
    """Return an open file below a folder: a regular file of at most `limit` bytes.

    Raises:
        InputError: it cannot be used; only regular files below the folder are ever opened.

    """
    real = real_path(file, folder)
    with _refusing():
        status = real.stat()  # before opening it: opening a device may have side effects
    if not stat.S_ISREG(status.st_mode):
        raise IrregularError(status.st_mode)
    if status.st_size > limit:
        raise TooLargeError(limit, status.st_size)
    with _refusing():
        stream = open_regular(real)
    # One of its parent folders may have become a link by now.
    if os.path.realpath(file) != str(real):
        stream.close()
        raise OutsideError
    return stream


def open_regular(file: str | Path) -> FileIO:
    """Return an open file that is not a link, a folder, a pipe or a device.

    Raises:
        OSError: it is one of these, or cannot be opened.

    """
    stream = FileIO(os.open(file, _FLAGS))
    if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        return stream
    stream.close()
    raise OSError(errno.EINVAL, "not a regular file", str(file))


def read_input(file: Path, folder: Path, limit: int) -> bytes:
    """Return the content of a file below a folder.

    Raises:
        InputError: see `open_input`.

    """
    with open_input(file, folder, limit) as stream, _refusing():
        content = stream.read(os.fstat(stream.fileno()).st_size + 1)
        # The file is still growing, or is in a system folder, where files have no size.
        while len(content) <= limit and (more := stream.read(_PIECE)):
            content += more
    if len(content) > limit:
        raise TooLargeError(limit, len(content))
    return content


def read_text(file: Path, folder: Path, limit: int) -> str:
    """Return the text of a file below a folder, with LF line ends, without a byte order mark.

    Raises:
        InputError: see `open_input`.
        UnicodeDecodeError: it is not UTF-8.

    """
    return read_input(file, folder, limit).decode("utf-8-sig").replace("\r\n", "\n")


def is_collection(folder: Path) -> bool:
    """Whether a folder has a `deck.toml`, even an unreadable one.

    A broken link also counts, so that it is reported.
    """
    toml = folder / "deck.toml"
    # Path's `is_dir` raises for a folder that we cannot read.
    return os.path.lexists(toml) and not os.path.isdir(toml)  # noqa: PTH112


def is_installed(folder: str) -> bool:
    """Whether a folder contains what a package manager installs: a Python environment, or `node_modules`."""
    return os.path.basename(folder) == "node_modules" or os.path.lexists(os.path.join(folder, "pyvenv.cfg"))  # noqa: PTH118, PTH119 - a tenth of the time


def has_home(folder: Path) -> bool:
    """Whether a folder is the root of the file system, or contains the user's home folder or is it."""
    home, real = (os.path.realpath(os.path.expanduser(path)) for path in ("~", folder))  # noqa: PTH111 - `Path.home` may raise
    return os.path.dirname(real) == real or Path(home).is_relative_to(real)  # noqa: PTH120


def find_root(path: Path) -> Path:
    """Return the folder of the `deck.toml` that applies to a path, or the path itself."""
    for folder in (path, *path.parents):
        if is_collection(folder):
            return folder
    return path


def text_at(path: str) -> str:
    """Return the text of the file with this path in diagnostics; empty if it is unreadable."""
    # The locale may not support the letters in the name.
    file = Path(os.fsdecode(path.encode("utf-8", "surrogateescape"))).absolute()
    return read_to_show(file, find_root(file.parent))


def source_lines() -> Callable[[Location], str | None]:
    """Return a function that returns the source line at a location, or None if there is none."""
    read: dict[str, list[str]] = {}

    def line_at(location: Location) -> str | None:
        if location.path not in read:
            text = text_at(location.path).replace("\r\n", "\n").replace("\r", "\n")
            read[location.path] = text.split("\n") if text else []
        lines = read[location.path]
        return lines[location.line - 1] if location.line <= len(lines) else None

    return line_at


def read_to_show(file: Path, folder: Path) -> str:
    """Return the text of a file below a folder, to show its lines in messages; empty if unreadable."""
    try:
        return read_input(file, folder, _MAX_SHOWN_BYTES).decode("utf-8-sig", "replace")
    except InputError:
        return ""


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as failure:
        raise MissingError(reason_of(failure)) from failure
    except OSError as failure:
        raise ClosedError(reason_of(failure)) from failure


_TEXT_FILES = (".css", ".html", ".js", ".json", ".svg", ".txt", ".xml")


def without_cr(content: bytes, name: str) -> bytes:
    """Return the content of a file with this name as it is in git, which may check out text with CR LF."""
    return content.replace(b"\r\n", b"\n") if name.lower().endswith(_TEXT_FILES) else content


def digest_of(file: FileIO, name: str) -> str:
    """Return the SHA-256 in hex of an open file with this name, without the CR that git may have added."""
    if name.lower().endswith(_TEXT_FILES):
        return hashlib.sha256(without_cr(file.read(), name)).hexdigest()
    return hashlib.file_digest(file, "sha256").hexdigest()


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file in hex as `digest_of` does, or an empty string if it does not exist.

    Raises:
        OSError: the file cannot be read, or would take too long to read.

    """
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > _MAX_DIGESTED_BYTES:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
            return digest_of(file, str(path))
    except FileNotFoundError:
        return ""


_LONGEST = 200
"""In bytes; file systems accept up to 255."""


def as_text(name: str) -> str:
    """Return a file name decoded as UTF-8, whatever the locale.

    Bytes that are not UTF-8 remain surrogates.
    """
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape")


def shown(file: Path) -> str:
    """Return a path as the author would write it: relative if it is below the working folder."""
    with suppress(ValueError):
        file = file.relative_to(Path.cwd())
    return as_text(file.as_posix())


def in_words(name: str) -> str:
    """Return a file or folder name as words: `loss-functions` becomes `Loss functions`.

    Accents are composed, which some systems divide in names.
    """
    words = " ".join(unicodedata.normalize("NFC", name).replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def slug(name: str) -> str:
    """Return a name as a file name: letters and digits of any script, in lower case, joined with `-`.

    It is short enough for every file system, even with a number and an ending added.
    """
    kept = "".join(c if c.isalnum() else " " for c in unicodedata.normalize("NFC", name).lower())
    joined = "-".join(kept.split()).encode()[:_LONGEST].decode(errors="ignore")
    return joined.rstrip("-") or "deck"


def one_file(name: str) -> str:
    """Return a form that is equal for names that are the same file on some systems.

    Windows and macOS ignore case, and macOS also ignores how accents are encoded.
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def in_other_case(names: Iterable[str]) -> Mapping[str, str]:
    """Return the names that some systems treat as `deck.toml` or `deck.lock`, each with that name."""
    return {
        name: own
        for name in names
        for own in ("deck.toml", "deck.lock")
        if name != own and one_file(name) == own
    }
