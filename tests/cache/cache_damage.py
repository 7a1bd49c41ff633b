"""Ways to damage a cache between two builds, and how a build reacts to them."""

import marshal
import os
import random
import resource
import shutil
import socket
import sqlite3
import stat
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from conftest import Ran
from ptcards.markdown.deadline import DeadlineError, deadline
from ptcards.packing import zstd
from scorecard.command import ptcards

SQLITE = b"SQLite format 3\0"
DECK = {
    "deck.toml": 'name = "D"\nid = "d"\n',
    "a.md": "# A\n\n## One?\n\n1 with `code` and ![alt](p.png)\n\n## Two?\n\n```python\nx = 1\n```\n",
    "b.md": "## Three?\n<!-- card: id=three -->\n\n3\x07\n\n## Four?\n\n- [ ] a\n- [x] b\n\n## Five?\n\nA {{c1::gap}}.\n",
    "p.png": "\x89PNG",
}
"""A deck whose cache contains all kinds of entries, including a warning."""

SEAL_BYTES = 32
"""the length of the digest before the packed content"""

_OTHERS: tuple[Any, ...] = (None, [], 5, "x", -1, 10**30, "\ud800")
_SOMEBODY = 54321
"""a user that does not exist"""
_SHAPES: tuple[Any, ...] = (None, [], {}, 5, -1, 10**30, 1.5, True, "x", "\ud800", [[[]]], [None], {"a": 1})


_NO_LIMIT = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
_STUCK_SECONDS = 20
SITUATIONS: dict[str, Callable[[Path], object]] = {
    "nothing changed": lambda _: None,
    "the outputs are gone": lambda deck: shutil.rmtree(deck / "out"),
    "a note was edited": lambda deck: (deck / "b.md").write_text(
        DECK["b.md"].replace("gap", "hole"), "utf-8"
    ),
}
"""Changes to the deck between the builds; each makes a build read different parts of the cache."""


@dataclass(frozen=True)
class Damage:
    """A way to damage a cache folder.

    `named` is whether the build must report the damage; if `None`, it may.
    """

    name: str
    do: Callable[[], None]
    named: bool | None = None


def damages(cache: Path, seed: int, share: int = 1) -> Iterator[Damage]:
    """Yield ways to damage this cache; `share` scales the number of random ones."""
    for path in sorted((cache, *cache.rglob("*"))):
        name = path.relative_to(cache.parent)
        if path.is_dir():
            yield from _named(name, _folder_damages(path))
            continue
        yield from _named(name, _kinds(path))
        yield from _named(name, _contents(path, random.Random(f"{seed} {path.suffix}"), share))
        if _is_database(path):
            for suffix in ("-wal", "-shm", "-journal"):
                sibling = path.with_name(path.name + suffix)
                yield from _named(f"{name}{suffix}", _kinds(sibling))
                yield Damage(
                    f"{name}{suffix}: noise",
                    partial(write_bytes, sibling, random.Random(seed).randbytes(5000)),
                )
            yield from _named(name, _tables(path))


def _named(name: object, some: Iterator[Damage]) -> Iterator[Damage]:
    for each in some:
        yield Damage(f"{name}: {each.name}", each.do, each.named)


def _is_database(path: Path) -> bool:
    return path.read_bytes().startswith(SQLITE)


def _folder_damages(path: Path) -> Iterator[Damage]:
    for mode in (0o770, 0o777, 0o702):
        yield Damage(f"mode {mode:o}", partial(path.chmod, mode), named=True)
    yield Damage("read-only", partial(path.chmod, 0o500))
    yield Damage("not to be read", partial(path.chmod, 0o000))
    yield from _kinds(path)
    elsewhere = path.with_name("elsewhere")

    def linked(mode: int, owner: int) -> None:
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        elsewhere.chmod(mode)
        os.chown(elsewhere, owner, -1)

    yield Damage("a link to another folder", partial(linked, 0o700, os.geteuid()))
    yield Damage("a link to a folder that others can write", partial(linked, 0o777, os.geteuid()), named=True)
    if os.geteuid() == 0:
        yield Damage("a link to somebody else's folder", partial(linked, 0o700, _SOMEBODY), named=True)
        yield Damage("somebody else's", partial(os.chown, path, _SOMEBODY, -1), named=True)


def _kinds(path: Path) -> Iterator[Damage]:
    """Yield replacements for a file or folder."""
    outside = path.parent.parent / "outside"

    def instead(make: Callable[[], object]) -> None:
        remove(path)
        make()

    def bind() -> None:
        # The complete path may be too long for the address of a socket.
        before = Path.cwd()
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
        os.chdir(before)

    def link_to_own() -> None:
        if path.is_file():
            shutil.copy(path, outside)
        else:
            outside.write_bytes(b"")
        path.symlink_to(outside)

    yield Damage("a FIFO", partial(instead, partial(os.mkfifo, path, 0o600)), named=True)
    yield Damage("a socket", partial(instead, bind), named=True)
    yield Damage("a link to /dev/zero", partial(instead, partial(path.symlink_to, "/dev/zero")), named=True)
    yield Damage(
        "a link to /etc/passwd", partial(instead, partial(path.symlink_to, "/etc/passwd")), named=True
    )
    if path.is_dir():
        yield Damage("a file", partial(instead, path.touch), named=True)
        return
    yield Damage("a folder", partial(instead, partial(path.mkdir, 0o700)), named=True)
    yield Damage("a link to a file", partial(instead, link_to_own), named=True)
    yield Damage("a link to nowhere", partial(instead, partial(path.symlink_to, "nowhere")), named=True)
    yield Damage("a link to itself", partial(instead, partial(path.symlink_to, path.name)), named=True)
    if os.geteuid() == 0:
        yield Damage("somebody else's", partial(_owned, path), named=True)
    for mode in (0o660, 0o606, 0o666):
        yield Damage(f"mode {mode:o}", partial(_moded, path, mode), named=True)
    for mode in (0o000, 0o400, 0o644):
        yield Damage(f"mode {mode:o}", partial(_moded, path, mode))


def _owned(path: Path) -> None:
    path.touch()
    os.chown(path, _SOMEBODY, -1)


def _moded(path: Path, mode: int) -> None:
    path.touch()
    path.chmod(mode)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file."""
    path.write_bytes(content)


def remove(path: Path) -> None:
    """Delete a file or folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _contents(path: Path, source: random.Random, share: int) -> Iterator[Damage]:
    whole = path.read_bytes()
    for content in (b"", b"\0", b"x", bytes(len(whole)), SQLITE, whole * 2, b"I am plain text. " * 99):
        yield Damage(f"{content[:20]!r} times {len(content)}", partial(write_bytes, path, content))
    for number in range(12 * share):
        yield Damage(
            f"noise {number}", partial(write_bytes, path, source.randbytes(source.choice((10, 500, 20_000))))
        )
        headed = SQLITE + whole[16:100] + source.randbytes(len(whole) - 100)
        yield Damage(f"noise after the header {number}", partial(write_bytes, path, headed))
        end = source.randrange(len(whole))
        yield Damage(f"cut at {end}", partial(write_bytes, path, whole[:end]))
        flipped = bytearray(whole)
        for _ in range(source.choice((1, 10, 300))):
            flipped[source.randrange(len(flipped))] ^= 1 << source.randrange(8)
        yield Damage(f"bits flipped {number}", partial(write_bytes, path, bytes(flipped)))
        at = source.randrange(len(whole))
        holed = whole[:at] + bytes(4096) + whole[at + 4096 :]
        yield Damage(f"a hole at {at}", partial(write_bytes, path, holed[: len(whole)]))


def _tables(path: Path) -> Iterator[Damage]:
    """Yield changes to the tables of a database and to the values in their cells."""

    def run(*statements: str) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    with closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: _columns(connection, table) for table in tables}
    for table in tables:
        yield Damage(f"{table} dropped", partial(run, f"DROP TABLE {table}"))
        yield Damage(f"{table} emptied", partial(run, f"DELETE FROM {table}"), named=False)
        yield Damage(f"{table} renamed", partial(run, f"ALTER TABLE {table} RENAME TO other"))
        yield Damage(
            f"{table} of another shape",
            partial(run, f"DROP TABLE {table}", f"CREATE TABLE {table}(one, two)"),
        )
        yield Damage(
            f"{table} without end",
            partial(
                run,
                f"DROP TABLE {table}",
                f"CREATE VIEW {table} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                f"SELECT {', '.join(f'i AS {column}' for column in columns[table])} FROM n",
            ),
        )
        yield Damage(
            f"{table} with a trigger",
            partial(run, f"CREATE TRIGGER t BEFORE INSERT ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END"),
        )
        for column in columns[table]:
            yield Damage(
                f"{table} without {column}",
                partial(run, f"ALTER TABLE {table} RENAME COLUMN {column} TO other"),
            )
            for value in (
                "NULL",
                "5",
                "-1",
                "1e300",
                "'text'",
                "x'80'",
                "zeroblob(100000)",
                "CAST(x'ff80' AS TEXT)",
            ):
                statement = f"UPDATE OR REPLACE {table} SET {column} = {value}"
                yield Damage(f"{table}.{column} is {value}", partial(run, statement))
            for number in range(24):
                yield Damage(
                    f"{table}.{column} of another shape {number}",
                    partial(_reshape, path, table, column, number),
                )
    yield Damage("on a full disk", partial(_fill, path))
    yield Damage("version 9", partial(run, "PRAGMA user_version = 9"))
    yield Damage("another table as well", partial(run, "CREATE TABLE other(one)"))


def _fill(path: Path) -> None:
    """Limit files to 800 kB, and give the cache free pages beyond that."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE filler AS SELECT zeroblob(1000000)")
        connection.execute("DROP TABLE filler")
        connection.commit()
    resource.setrlimit(resource.RLIMIT_FSIZE, (800_000, _NO_LIMIT))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _reshape(path: Path, table: str, column: str, number: int) -> None:
    """Change the shape of the values in a column, with the right checksum; the seal stays."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        for row in connection.execute(f"SELECT rowid AS number, * FROM {table}").fetchall():
            cells = dict(row)
            packed = cells[column]
            other = _repacked(packed, number) if isinstance(packed, bytes) else None
            if other is None:
                continue
            cells[column] = other
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (other, cells["number"]))


def _repacked(packed: bytes, number: int) -> bytes | None:
    """Return a packed value with another shape, packed in the same way, or `None` if it is not packed."""
    seal, content = packed[:SEAL_BYTES], packed[SEAL_BYTES:]
    with suppress(zstd.ZstdError):
        others = list(_others(marshal.loads(zstd.decompress(content))))
        return seal + zstd.compress(marshal.dumps(random.Random(number).choice(others)), 1)
    return None


def _others(value: Any) -> Iterator[Any]:
    """Yield values of other shapes, with the entire value replaced, and with each part replaced."""
    # An empty list has the shape of any other.
    yield from (
        shape for shape in _SHAPES if shape != value and not (shape == [] and isinstance(value, list))
    )
    if isinstance(value, Mapping):
        yield from (dict.fromkeys(value, shape) for shape in _SHAPES)
    elif isinstance(value, list | tuple):
        if len(set(map(type, value))) > 1:  # a list of equal items may have any length
            yield list(value[:-1])
            yield [*value, "more"]
        for place, part in enumerate(value):
            for other in _OTHERS:
                # Another text, or another possible number, is not another shape.
                if type(other) is not type(part) or other in (-1, 10**30, "\ud800"):
                    yield [*value[:place], other, *value[place + 1 :]]
            if isinstance(part, list | tuple):
                for other in _others(part):
                    yield [*value[:place], other, *value[place + 1 :]]


def modes(cache: Path) -> set[tuple[str, int]]:
    """Return the kinds of files in a cache, each with its mode."""
    return {
        ("folder" if path.is_dir() else "file", stat.S_IMODE(path.lstat().st_mode))
        for path in (cache, *cache.rglob("*"))
    }


class Site:
    """A built deck, its cache, and the results of its builds without a cache."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder / "cache" / "ptcards"
        self._folder = folder
        self._deck = folder / "deck"
        self._deck.mkdir(parents=True)
        for name, text in DECK.items():
            (self._deck / name).write_text(text, "utf-8")
        self.build()
        shutil.copytree(self.cache, folder / "whole")
        shutil.copytree(self._deck, folder / "before")
        self._expected = {situation: self._without_cache(situation) for situation in SITUATIONS}

    def restore(self) -> None:
        """Restore the cache and the deck to their state after the first build."""
        resource.setrlimit(resource.RLIMIT_FSIZE, (_NO_LIMIT, _NO_LIMIT))
        for path, kept in ((self.cache, "whole"), (self._deck, "before")):
            remove(path.with_name("elsewhere"))
            remove(path)
            shutil.copytree(self._folder / kept, path)
        remove(self._folder / "outside")

    def survives(self, damage: Damage, situation: str) -> str:
        """Apply a damage, build, and return what was wrong; empty if nothing was."""
        self.restore()
        SITUATIONS[situation](self._deck)
        damage.do()
        try:
            with deadline(_STUCK_SECONDS):
                ran = self.build()
        except DeadlineError:
            return "it hangs"
        except Exception:  # noqa: BLE001 - what breaks is what is looked for
            return traceback.format_exc()
        lines = [line for line in ran.err.splitlines() if " the cache: " in line]
        if (ran.status, self._outputs()) != (0, self._expected[situation]):
            return f"other outputs, status {ran.status}: {ran.err}"
        # If nothing changed, a build must not read the entire cache.
        named = None if situation == "nothing changed" else damage.named
        if len(lines) > 1 or named not in (None, bool(lines)):
            return f"says {lines}"
        return ""

    def _without_cache(self, situation: str) -> object:
        self.restore()
        SITUATIONS[situation](self._deck)
        remove(self.cache)
        self.build()
        return self._outputs()

    def build(self) -> Ran:
        """Build the deck."""
        environment = {"XDG_CACHE_HOME": str(self.cache.parent), "SOURCE_DATE_EPOCH": "1800000000"}
        return ptcards("build", self._deck, "-o", self._deck / "out", **environment)

    def _outputs(self) -> object:
        files = (*(self._deck / "out").glob("*"), self._deck / "deck.lock")
        return {file.name: file.read_bytes() for file in files}


def failures(site: Site, some: Iterable[Damage]) -> list[str]:
    """Return the damages that a build does not survive, with the change to the deck."""
    return [
        f"{situation}, {damage.name}: {trouble}"
        for damage in some
        for situation in SITUATIONS
        if (trouble := site.survives(damage, situation))
    ]
