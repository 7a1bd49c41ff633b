"""Rows of earlier builds: one SQLite file among the user's caches, which may be deleted at any time.

A row's slot and digest say all that it rests on, so that a row is right or not found. Whatever goes wrong, there is just no cache.
"""

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ptcards.building.compiling import Job
from ptcards.building.rows import Row, is_whole
from ptcards.files import CacheError, check_private_file, make_private_folder

MOST_BYTES = 256 * 1024 * 1024
"""How large the file may grow; then the rows that were not used for longest go, until half is left."""

_DAY = 24 * 3600
_TABLE = """sources(
    slot TEXT, digest TEXT, used INTEGER, sum INTEGER, outline BLOB, rendered BLOB, cells BLOB, PRIMARY KEY(slot, digest)
)"""
_SCHEMA = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"


class Cache:
    """The rows of one version of ptcards and its libraries, in a file; without a file it is empty and stays so."""

    def __init__(
        self, file: Path | None, versions: Sequence[str], tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self._versions = hashlib.sha256(json.dumps(versions).encode()).hexdigest()
        self._file = file
        self._tell = tell
        self._connection: sqlite3.Connection | None = None
        self._has_said = False
        self._used: list[tuple[str, str]] = []
        self._today = int(time.time()) // _DAY
        for _ in range(2):  # a damaged file makes room for a new one
            if self._connection is None:
                with self._forgiving():
                    self._connection = _open(file) if file else None

    def slot(self, job: Job) -> str:
        """Name what the rows of a source rest on beside its content."""
        settings = job.settings
        about = [
            self._versions,
            job.render,
            str(job.source.file),
            job.source.path,
            job.source.name,
            str(settings.root),
            settings.configured,
            settings.name,
            settings.tags,
            settings.single,
        ]
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()

    def get(self, slot: str, digest: str) -> Row | None:
        """Give the row of a source whose content has this digest; None if there is none that is whole."""
        row, used = self._find("slot = ? AND digest = ?", slot, digest)
        if row is not None and used != self._today:
            self._used.append((slot, digest))
        return row

    def last(self, slot: str) -> Row | None:
        """Give the row of a source as it was when it was last put; None if there is none that is whole."""
        return self._find("slot = ? ORDER BY rowid DESC LIMIT 1", slot)[0]

    def put(self, rows: Sequence[tuple[str, str, Row]]) -> None:
        """Keep rows, each with its slot and digest, and remember which were used."""
        with self._forgiving():
            if self._connection is not None and (rows or self._used):
                self._write(self._connection, rows)

    def close(self) -> None:
        """Let go of the file."""
        with self._forgiving():
            if self._connection is not None:
                self._connection.close()
        self._connection = None

    def _find(self, where: str, *values: str) -> tuple[Row | None, int]:
        """Give a row and the day it was last used on."""
        found = None
        with self._forgiving():
            if self._connection is not None:
                query = f"SELECT used, sum, outline, rendered, cells FROM sources WHERE {where}"  # noqa: S608 - from above
                found = self._connection.execute(query, values).fetchone()
        match found:
            case (used, checksum, bytes(outline), bytes(rendered), bytes(cells)):
                row = Row(outline, rendered, cells)
                if zlib.crc32(b"".join(_blobs(row))) == checksum and is_whole(row):
                    return row, used
        if found is not None:
            self._say(f"rebuilding the cache: `{self._file}` is damaged")
        return None, 0

    def _write(self, connection: sqlite3.Connection, rows: Sequence[tuple[str, str, Row]]) -> None:
        with connection:
            used = [(self._today, *each) for each in self._used]
            connection.executemany("UPDATE sources SET used = ? WHERE slot = ? AND digest = ?", used)
            connection.executemany(
                "INSERT OR REPLACE INTO sources VALUES(?, ?, ?, ?, ?, ?, ?)",
                [
                    (slot, digest, self._today, zlib.crc32(b"".join(_blobs(row))), *_blobs(row))
                    for slot, digest, row in rows
                ],
            )
        self._used = []
        if _bytes_used(connection) > MOST_BYTES:
            with connection:
                oldest = connection.execute("SELECT rowid FROM sources ORDER BY used, rowid").fetchall()
                connection.executemany(
                    "DELETE FROM sources WHERE rowid = ?", oldest[: (len(oldest) + 1) // 2]
                )

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """Give the cache up at the first fault; a file that is no database makes room for one."""
        try:
            yield
        except CacheError as failure:
            self._connection = None
            self._say(str(failure))
        # Messages of a damaged file hold bytes of it, which may be no text.
        except (sqlite3.Error, OSError, UnicodeDecodeError) as failure:
            self._connection = None
            if self._file and type(failure) in {sqlite3.DatabaseError, UnicodeDecodeError}:
                self._say(f"rebuilding the cache: `{self._file}` is damaged")
                with suppress(OSError):
                    _remove(self._file)
            else:
                self._say(f"ignoring the cache: `{self._file}`: {failure}")

    def _say(self, message: str) -> None:
        """Say why the cache is of no use, once."""
        if not self._has_said:
            self._has_said = True
            self._tell(message)


def _blobs(row: Row) -> tuple[bytes, bytes, bytes]:
    return row.outline, row.rendered, row.cells


def _bytes_used(connection: sqlite3.Connection) -> int:
    pages, free, size = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int(pages - free) * int(size)


def _open(file: Path) -> sqlite3.Connection:
    make_private_folder(file.parent)
    for each in _files(file):
        check_private_file(each)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(file, timeout=2)
    try:
        # Readers and a writer at once.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {_TABLE}")
        # A view or a trigger could do anything.
        is_ours = connection.execute(_SCHEMA).fetchall() == [(f"CREATE TABLE {_TABLE}",)]
    except BaseException:
        connection.close()
        raise
    if not is_ours:
        connection.close()
        raise sqlite3.DatabaseError
    return connection


def _files(file: Path) -> list[Path]:
    """Return the database's file and those that SQLite puts beside it."""
    return [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def _remove(file: Path) -> None:
    """Remove a database; what lies beside it would be put into the next one."""
    for each in _files(file):
        each.unlink(missing_ok=True)
