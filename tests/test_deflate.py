"""A large member of a zip is compressed on several processors; every unzip reads it."""

import random
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

from ptcards.writers.deflate import PIECE_BYTES, Compressor, write_member

OLDEST = (1980, 1, 1, 0, 0, 0)
PAGES = [random.Random(number % 7).randbytes(500) * 32 for number in range(5 * PIECE_BYTES // 16000)]


def entry() -> zipfile.ZipInfo:
    """Return an entry that does not depend on the time."""
    made = zipfile.ZipInfo("database", OLDEST)
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def written(pages: list[bytes]) -> bytes:
    """Write a zip whose only member has these parts."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        write_member(archive, entry(), pages)
    return buffer.getvalue()


def test_a_member_of_many_pieces_is_read_back_and_always_has_the_same_bytes() -> None:
    packed = written(PAGES)
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        assert archive.testzip() is None
        assert archive.read("database") == b"".join(PAGES)
    assert len(packed) < len(b"".join(PAGES)) / 10
    assert written(PAGES) == packed


def test_a_member_of_one_piece_has_the_bytes_that_zipfile_writes() -> None:
    pages = PAGES[:20]
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry(), b"".join(pages))
    assert written(pages) == buffer.getvalue()


def test_the_bytes_are_the_same_where_no_thread_can_start() -> None:
    with ThreadPoolExecutor(2) as pool:
        several = Compressor(pool)
        expected = b"".join([*map(several.compress, PAGES), several.flush()])
    alone = Compressor(pool)  # now closed, so it does not start another thread
    assert b"".join([*map(alone.compress, PAGES), alone.flush()]) == expected
