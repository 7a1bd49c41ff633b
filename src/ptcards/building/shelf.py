"""Bytes put aside until they are asked for again: in memory as long as they are few, then in a file."""

from io import FileIO
from tempfile import TemporaryFile
from types import TracebackType
from typing import Self

MOST_IN_MEMORY = 8 * 1024 * 1024
"""Bytes from which on they go to a file: those of some 20,000 notes."""

Place = bytes | tuple[int, int]
"""Where something lies in the file, offset and length; or itself."""


class Shelf:
    """Takes bytes, and gives them back in any order; the file goes when the shelf is closed."""

    def __init__(self) -> None:
        self._room = MOST_IN_MEMORY
        self._file: FileIO | None = None
        self._end = 0

    def put(self, content: bytes) -> Place:
        """Take bytes."""
        self._room -= len(content)
        if self._room >= 0:
            return content
        place = self._end, len(content)
        try:
            if self._file is None:
                self._file = TemporaryFile(buffering=0)  # noqa: SIM115 - closed by `__exit__`
            self._file.seek(self._end)
            if self._file.write(content) != len(content):
                return content
        except OSError:  # a full disk is no reason to stop: outputs may go to another
            return content
        self._end += len(content)
        return place

    def get(self, place: Place) -> bytes:
        """Give bytes back. Raises OSError if the disk fails."""
        if isinstance(place, bytes):
            return place
        assert self._file is not None  # noqa: S101 - it gave the place
        offset, length = place
        self._file.seek(offset)
        return self._file.read(length)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
