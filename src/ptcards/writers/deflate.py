"""Compresses a large zip member on several processors; the output is the same however many are used."""

import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

PIECE_BYTES = 2 << 20
"""The size of the pieces of a large member; a smaller member has the bytes that zipfile writes."""
_THREADS = 2
"""How many threads compress while the main thread continues to read; more would have little to do."""
_END = zlib.compressobj(wbits=-zlib.MAX_WBITS).flush()


def write_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, content: Iterable[bytes]) -> None:
    """Write a deflated member of a zip; `content` is in parts of any size."""
    pieces = _pieces(content)
    begin = next(pieces, b"")
    with ThreadPoolExecutor(_THREADS) as pool, archive.open(entry, "w") as member:
        if len(begin) >= PIECE_BYTES:
            # zipfile has no public way to use another compressor.
            vars(member)["_compressor"] = Compressor(pool)
        member.write(begin)
        for piece in pieces:
            member.write(piece)


class Compressor:
    """Replaces zlib's compressor: each piece can be decompressed without the pieces before it."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._running: deque[Future[bytes]] = deque()

    def compress(self, piece: bytes) -> bytes:
        """Begin to compress a piece; return what is ready of earlier ones."""
        try:
            self._running.append(self._pool.submit(_deflate, piece))
        except RuntimeError:  # the system allows no more threads
            return self._finished(0) + _deflate(piece)
        return self._finished(_THREADS)

    def flush(self) -> bytes:
        """Return the rest."""
        return self._finished(0) + _END

    def _finished(self, most: int) -> bytes:
        """Return the oldest pieces until at most this many are left."""
        count = max(0, len(self._running) - most)
        return b"".join([self._running.popleft().result() for _ in range(count)])


def _deflate(piece: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(piece) + compressor.flush(zlib.Z_FULL_FLUSH)


def _pieces(content: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the content in pieces of `PIECE_BYTES` or a little more; the last may be smaller."""
    piece = bytearray()
    for part in content:
        piece += part
        if len(piece) >= PIECE_BYTES:
            yield bytes(piece)
            piece.clear()
    if piece:
        yield bytes(piece)
