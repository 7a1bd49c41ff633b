"""Anki packages of at most 6 MB designed to cost memory, each with the error that names the reason."""

import json
import random
import sqlite3
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from packages import a_database, write_zip

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Make = Callable[[Path], bytes]

Content = Callable[[], bytes]
"""Makes content when a test needs it: every process of a test run imports this module."""

_RANDOM = random.Random(1).randbytes(2_000_000)
"""What does not compress, so that the package as a whole does not compress too well."""


def _parts() -> bytes:
    """Return 60 MB of JSON that would take 4 GB."""
    return b"[" + b"[],{}," * (10 << 20) + b"0]"


def _column(name: str, content: Content) -> Make:
    def make(folder: Path) -> bytes:
        _database(folder)
        with sqlite3.connect(folder / "made.sqlite") as connection:
            connection.execute(f"UPDATE col SET {name} = CAST(? AS TEXT)", (content(),))
        connection.close()
        return (folder / "made.sqlite").read_bytes()

    return make


def _statement(*statements: str) -> Make:
    return lambda folder: _database(folder, *statements)


def _database(folder: Path, *statements: str, schema: int = 11) -> bytes:
    random_table = f"CREATE TABLE random AS SELECT x'{_RANDOM.hex()}'"
    return a_database(folder, random_table, *statements, schema=schema)


def _newest(*statements: str) -> Make:
    """Return a function that makes a database of schema 18, which stores note types in tables."""
    tables = (
        "CREATE TABLE notetypes (id, name, mtime_secs, config)",
        "CREATE TABLE fields (ntid, ord, name, config)",
        "CREATE TABLE templates (ntid, ord, name, config)",
        "CREATE TABLE decks (id, name, kind)",
    )
    return lambda folder: _database(folder, *tables, *statements, schema=18)


def _many(table: str, count: int, values: str) -> str:
    numbers = f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count})"
    return f"INSERT INTO {table} {numbers} SELECT {values} FROM n"


DATABASES: Mapping[str, tuple[Make, str]] = MappingProxyType(
    {
        "note types of millions of lists": (
            _column("models", _parts),
            "its database has over 1,000,000 values",
        ),
        "decks of millions of lists": (_column("decks", _parts), "its database has over 1,000,000 values"),
        "note types of 70 MB": (
            _column("models", lambda: b'{"' + b" " * (70 << 20) + b'": 1}'),
            "its database is larger than 64 MB",
        ),
        "note types of 20 MB with an emoji": (
            _column("models", lambda: b'{"\\ud83d\\ude00' + b" " * (20 << 20) + b'": 1}'),
            "its database is larger than 16 MB",
        ),
        "a note of 60 MB": (
            _statement(f"UPDATE notes SET flds = printf('%.{60 << 20}c', 'x')"),
            "its database has a value that is larger than 16 MB",
        ),
        "a note of 15 MB of tags": (
            _statement(f"UPDATE notes SET tags = replace(printf('%.{5 << 20}c', 'x'), 'x', 'ab ')"),
            "note 1 has over 256 KB of tags",
        ),
        "300,000 fields": (
            _newest(_many("fields", 300_000, "1, x, 'a', x''")),
            "its note types and decks have over 200,000 parts",
        ),
        "250,000 decks": (
            _newest(_many("decks", 250_000, "x, 'a' || x, x''")),
            "its note types and decks have over 200,000 parts",
        ),
        "100 MB of style sheets": (
            _newest(
                _many(
                    "notetypes", 10, f"x, 'a', 1, CAST(x'1a80808005' || printf('%.{10 << 20}c', 'x') AS BLOB)"
                )
            ),
            "its note types and decks are larger than 64 MB",
        ),
        "a message of millions of values": (
            _newest(f"INSERT INTO notetypes VALUES (1, 'a', 1, zeroblob({15 << 20}))"),
            "its database has over 100,000 values",
        ),
    }
)
"""Databases, and what is wrong with them."""

MEDIA: Mapping[str, tuple[Content, bool, str]] = MappingProxyType(
    {
        "millions of lists": (
            lambda: b'["' + _RANDOM.hex()[:300_000].encode() + b'",' + _parts()[1 : 15 << 20],
            False,
            "its list of media has over 250,000 values",
        ),
        "half a million names": (
            lambda: json.dumps({str(number): f"{number}.png" for number in range(500_000)}).encode(),
            False,
            "its list of media has over 250,000 values",
        ),
        "17 MB": (
            lambda: _RANDOM.hex()[:300_000].encode() + b" " * (17 << 20),
            False,
            "its list of media is larger than 16 MB",
        ),
        "a million entries of Protocol Buffers": (
            lambda: b"\x12\x80\x80\x0c" + _RANDOM[: 3 << 16] + b"\x0a\x03\x0a\x01a" * 1_000_000,
            True,
            "its list of media has over 100,000 values",
        ),
    }
)
"""Lists of media, whether they are in the newest format, and what is wrong with them."""


def database_package(folder: Path, name: str) -> tuple[Path, str]:
    """Write a package with one of the databases, and return it with what is wrong."""
    make, said = DATABASES[name]
    return write_zip(folder / "deck.apkg", {"collection.anki2": make(folder)}), said


def media_package(folder: Path, name: str) -> tuple[Path, str]:
    """Write a package with one of the lists of media, and return it with what is wrong."""
    make, is_newest, said = MEDIA[name]
    content = make()
    if is_newest:
        packed = zstd.compress(a_database(folder)), zstd.compress(content)
        members = dict(zip(("collection.anki21b", "media"), packed, strict=True))
    else:
        members = {"collection.anki2": a_database(folder), "media": content}
    return write_zip(folder / "deck.apkg", members), said
