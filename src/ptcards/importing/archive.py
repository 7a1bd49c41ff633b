"""The zip file of a package, which unpacks its members only within safe limits."""

import lzma
import sys
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from ptcards.files.inputs import open_regular
from ptcards.importing.problems import NotImportableError, damaged, quoted, refuse, unsafe

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_MEMBERS = 100_000
MAX_BYTES = 1 << 30
MAX_RATIO = 200
_SMALL = 1 << 20
"""The size in bytes up to which the compression ratio of a member does not matter."""
MAX_TOTAL_BYTES = 4 << 30
"""The maximum number of bytes in all members together, when reading and when writing."""
_PIECE = 1 << 20
_MEAN_RATIO = 50
"""The maximum ratio of an archive's unpacked size to its packed size; for a text database it is about ten."""
_ROOM = 64 << 20
"""The number of bytes added to the resulting limit, so that small archives may exceed the ratio."""
_ZSTD = b"\x28\xb5\x2f\xfd"


class Archive:
    """The members of a package; `packed` is true if each one is also compressed with zstd."""

    def __init__(self, file: zipfile.ZipFile, path: str) -> None:
        self._file = file
        self.path = path
        self.names = frozenset(file.namelist())
        self.packed = False
        self._unpacked = 0
        packed = sum(each.compress_size for each in file.infolist())
        self._most = min(MAX_TOTAL_BYTES, packed * _MEAN_RATIO + _ROOM)

    def pieces(self, name: str) -> Generator[bytes]:
        """Yield the unpacked content of a member.

        Raises NotImportableError if the member is damaged or too large.
        """
        info = self._file.getinfo(name)
        most = max(_SMALL, min(MAX_BYTES, info.compress_size * MAX_RATIO))
        size = 0
        try:
            with self._file.open(info) as stream:
                unpacked = zstd.ZstdFile(stream) if self.packed and self._is_zstd(info) else stream
                while piece := unpacked.read(_PIECE):
                    size += len(piece)
                    self._unpacked += len(piece)
                    if size > most:
                        raise self._bomb(name)
                    if self._unpacked > self._most:
                        raise unsafe(self.path, f"the package unpacks to over {self._most >> 20:,} MB")
                    yield piece
        except (
            zipfile.BadZipFile,
            zlib.error,
            zstd.ZstdError,
            lzma.LZMAError,
            EOFError,
            NotImplementedError,
            RuntimeError,
            UnicodeDecodeError,
            OSError,
        ) as failure:
            raise damaged(
                self.path, f"{quoted(name)}: {str(failure).lower() or 'it is cut off'}"
            ) from failure

    def read(self, name: str, most: int) -> bytes:
        """Return the unpacked content of a member, cut off soon after `most` bytes."""
        content = b""
        with closing(self.pieces(name)) as pieces:
            for piece in pieces:
                content += piece
                if len(content) > most:
                    break
        return content

    def _is_zstd(self, info: zipfile.ZipInfo) -> bool:
        with self._file.open(info) as stream:
            return stream.read(len(_ZSTD)) == _ZSTD

    def _bomb(self, name: str) -> NotImportableError:
        message = f"{quoted(name)} unpacks to over {MAX_BYTES >> 30} GB or {MAX_RATIO} times its size"
        return unsafe(self.path, message)


@contextmanager
def open_archive(file: Path, path: str) -> Iterator[Archive]:
    """Open the zip file of a package; raises NotImportableError, which names `path`, for any other file."""
    with _regular(file, path) as stream, _zip(stream, path) as opened:
        if len(opened.namelist()) > MAX_MEMBERS:
            message = f"the package contains {len(opened.namelist()):,} files, over {MAX_MEMBERS:,}"
            raise refuse(path, "unsafe-package", message, "do not open it", status=1)
        yield Archive(opened, path)


def _regular(file: Path, path: str) -> BinaryIO:
    try:
        return BufferedReader(open_regular(file.resolve()))
    except OSError as failure:
        message = f"the file cannot be read: {(failure.strerror or str(failure)).lower()}"
        raise refuse(path, "no-package", message, "name an `.apkg` or `.colpkg` file") from failure


def _zip(stream: BinaryIO, path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as failure:
        stream.seek(0)
        begins = stream.read(16)
        if begins.startswith(b"PK\x03\x04"):
            message = "the package is damaged: its list of files is missing"
            raise refuse(
                path, "damaged-package", message, "download the package again: its end is missing"
            ) from failure
        found = "an empty file" if not begins else _kind_of(begins)
        message = f"this is {found}, not an Anki package"
        raise refuse(path, "no-package", message, "name an `.apkg` or `.colpkg` file") from failure


def _kind_of(begins: bytes) -> str:
    for start, name in _KINDS.items():
        if begins.startswith(start):
            return name
    return "text" if begins.isascii() and b"\0" not in begins else "something else"


_KINDS = {
    b"SQLite format 3": "an Anki collection (an SQLite database)",
    _ZSTD: "a zstd file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF file",
    b"<": "a web page",
}
