"""The results of earlier runs, in one SQLite file in the user's cache folder; it is safe to delete.

The table `entries` contains what was made from each source, and what each note's code did when it ran. Its
keys are digests of everything that an entry depends on, so an entry that is found is always right. The table
`answers` contains the complete output of commands, with the facts that it depended on: the state of files and
folders. An entry may vanish at any time; callers then remake it. This module imports very little, because it
is used before everything else.
"""

import hashlib
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from ptcards.files import CacheError, check_private_file, is_held, make_private_folder
from ptcards.files.inputs import file_digest, is_installed
from ptcards.packing import CachePart, pack, plain, typed, unpack

T = TypeVar("T")

_PACKAGE = Path(__file__).parent
_LIBRARIES = ("genanki-", "latex2mathml-", "markdown-", "pygments-", "pyyaml-")
_RECORDS = (".dist-info", ".egg-info")


class Facts(NamedTuple):
    """What an answer depends on: the state of files, folders and repositories.

    `files` are the digests of files, and `listings` those of the names below each root. An item of `media`
    describes a file used by a note: the places to look for it, the real path of the first that exists, and
    its digest; the last two are empty if it was not found.

    No build may be writing to any of the `folders`. `repositories` are digests of git's commits and tags, by
    folder.
    """

    files: Mapping[str, str]
    listings: Mapping[str, str]
    media: Sequence[tuple[tuple[str, ...], str, str]]
    folders: Sequence[str]
    repositories: Mapping[str, str]


LATEX = "latex-"
"""How the names of the pictures begin that Anki draws of LaTeX."""


def listing(root: str) -> str:
    """Return a digest of the names below a root that decide which files are read without being named."""
    names = b"".join(os.fsencode(name) + b"\0" for name in _names(root, ""))
    return hashlib.sha256(names).hexdigest()


@cache
def versions() -> str:
    """Return a digest of Python, of the libraries that affect outputs, and of our own files.

    Libraries are identified by the folders that record their versions, so edits to their code go unnoticed.
    Our files are identified by size and time.
    """
    found = [sys.version, zlib.ZLIB_RUNTIME_VERSION, *sorted(_components()), *sorted(_files_below(_PACKAGE))]
    return hashlib.sha256("\0".join(found).encode("utf-8", "surrogatepass")).hexdigest()


def hold(facts: Facts) -> bool:
    """Whether all these facts are unchanged. Raises OSError if a file is unreadable."""
    return (
        all(file_digest(path) == digest for path, digest in facts.files.items())
        and all(listing(root) == digest for root, digest in facts.listings.items())
        and all(_shows(*shown) for shown in facts.media)
        # Another process may be writing there, or was killed and left files to delete.
        and not any(map(is_held, facts.folders))
        and all(refs_digest(root) == digest for root, digest in facts.repositories.items())
    )


def refs_digest(root: str) -> str:
    """Return a digest of the refs of the repository that contains a folder; empty if git cannot tell."""
    from ptcards.files import git  # noqa: PLC0415 - slow to import

    return git.refs_digest(Path(root))


def _shows(places: Sequence[str], target: str, digest: str) -> bool:
    found = next((place for place in places if os.path.lexists(place)), None)
    if found is None or not target:
        return found is None and not target
    return os.path.realpath(found) == target and file_digest(target) == digest


def _names(folder: str, below: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        name = f"{below}/{entry.name}"
        if entry.is_dir():
            if entry.name.startswith(("_", ".")) or name == "/build" or is_installed(entry.path):
                continue
            yield f"{name}/{'link' if entry.is_symlink() else ''}"
            if not entry.is_symlink():
                yield from _names(entry.path, name)
        elif entry.name.startswith(LATEX) or (
            entry.name.lower().endswith((".md", "deck.toml", "deck.lock")) and entry.name != "deck.lock"
        ):
            yield name


def _components() -> Iterator[str]:
    for folder in sys.path:
        with suppress(OSError):
            for name in os.listdir(folder or "."):  # noqa: PTH208 - takes a tenth of the time
                if name.endswith(_RECORDS) and name.lower().startswith(_LIBRARIES):
                    yield name


def _files_below(folder: Path | str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir():
                status = entry.stat()
                yield f"{entry.path} {status.st_size} {status.st_mtime_ns}"
            elif entry.name != "__pycache__":
                yield from _files_below(entry.path)


MOST_BYTES = 256 * 1024 * 1024
"""The maximum size of the file; if it grows larger, the least recently used half is deleted."""

_DAY = 24 * 3600
_SEAL_BYTES = 32
_SCHEMA = (
    ("TABLE", "entries(key BLOB, part TEXT, slot BLOB, used INTEGER, packed BLOB, PRIMARY KEY(key, part))"),
    ("INDEX", "slots ON entries(slot, part)"),
    ("TABLE", "answers(question BLOB PRIMARY KEY, used INTEGER, packed BLOB)"),
)


class Entry(NamedTuple):
    """One part of what was made from a source.

    `key` is a digest of everything it depends on, `slot` of everything except the source's content.
    """

    key: bytes
    part: str
    slot: bytes
    packed: bytes

    @classmethod
    def of(cls, key: bytes, part: CachePart[T], slot: bytes, value: T) -> Self:
        """Return the entry with a value."""
        return cls(key, part.name, slot, pack(value, part.kind))


class Cache:
    """The entries and answers for one version of ptcards and its libraries.

    Without a file, they only last for this process. `tell` is called at most once, with the reason why the
    file cannot be used.
    """

    def __init__(self, file: Path | None, tell: Callable[[str], None] = lambda _: None) -> None:
        self.file = file
        self._tell = tell
        self._has_told = False
        self._today = int(time.time()) // _DAY
        self._used: set[tuple[bytes, str]] = set()
        self._passing: dict[tuple[bytes, str], bytes] = {}
        self._newest: dict[tuple[bytes, str], bytes] = {}
        self._connection = _open_unnamed()
        self._open(again=True)

    def get(self, key: bytes, part: CachePart[T]) -> T | None:
        """Return the part with this `key`, or None if it is missing or damaged."""
        packed = self._passing.get((key, part.name)) or self._kept(key, part.name)
        value: T | None = unpack(packed, part.kind) if packed else None
        return value

    def _kept(self, key: bytes, part: str) -> bytes | None:
        row = self._row("SELECT packed, used FROM entries WHERE key = ? AND part = ?", key, part)
        packed = self._unsealed(row[0], key, part) if row else None
        if row and packed and row[1] != self._today:
            self._used.add((key, part))
        return packed

    def has(self, keys: Mapping[str, bytes]) -> bool:
        """Whether all of these parts are stored, each under its key."""
        kept = [(key, part) for part, key in keys.items() if (key, part) not in self._passing]
        wanted = " OR ".join(["key = ? AND part = ?"] * len(kept))
        query = f"SELECT count(*) FROM entries WHERE {wanted}"  # noqa: S608 - only placeholders
        return not kept or self._row(query, *chain(*kept)) == (len(kept),)

    def last(self, slot: bytes, part: CachePart[Any]) -> bytes | None:
        """Return a part as last made from a source, still packed, or None if there is none."""
        query = "SELECT packed, key FROM entries WHERE slot = ? AND part = ? ORDER BY rowid DESC LIMIT 1"
        row = self._row(query, slot, part.name)
        return self._unsealed(row[0], row[1], part.name) if row else None

    def put(self, entries: Iterable[Entry], *, keep: bool = True) -> None:
        """Store entries; without `keep`, store them only for this process."""
        if not keep:
            for entry in entries:  # only one per source, because a preview runs for hours
                before = self._newest.get((entry.slot, entry.part), b"")
                self._passing.pop((before, entry.part), None)
                self._newest[entry.slot, entry.part] = entry.key
                self._passing[entry.key, entry.part] = entry.packed
            return
        entries = list(entries)
        for entry in entries:  # remade after a missing file appeared: its temporary entry must not hide it
            self._passing.pop((entry.key, entry.part), None)
        rows = [
            (entry.key, entry.part, entry.slot, self._today, _sealed(entry.packed, entry.key, entry.part))
            for entry in entries
        ]
        with self._forgiving(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO entries VALUES(?, ?, ?, ?, ?)", rows)

    def recall(self, question: Sequence[object], kind: type[T]) -> T | None:
        """Return the answer to a question if everything that it depended on is unchanged, otherwise None."""
        asked = _asked(question)
        row = self._row("SELECT packed FROM answers WHERE question = ?", asked)
        packed = self._unsealed(row[0], asked) if row else None
        if packed:
            facts, encoded = unpack(packed)
            with suppress(OSError):
                answer: T | None = typed(encoded, kind) if hold(typed(facts, Facts)) else None
                return answer
        return None

    def remember(self, question: Sequence[object], facts: Facts, answer: T, kind: type[T]) -> None:
        """Store an answer, of a type that `pack` supports, with the facts it depended on."""
        asked = _asked(question)
        packed = pack([plain(facts, Facts), plain(answer, kind)])
        row = (asked, self._today, _sealed(packed, asked))
        with self._forgiving(), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO answers VALUES(?, ?, ?)", row)

    def close(self) -> None:
        """Record which entries were used, delete the oldest if the file is too large, and close it."""
        with self._forgiving(), self._connection:
            used = [(self._today, *each) for each in self._used]
            self._connection.executemany("UPDATE entries SET used = ? WHERE key = ? AND part = ?", used)
            if _bytes_used(self._connection) > MOST_BYTES:
                _drop_older_half(self._connection)
        self._connection.close()

    def _open(self, *, again: bool) -> None:
        """Open the file, if there should be one, and replace it if it is damaged."""
        before = self._connection
        with self._forgiving():
            self._connection = _open(self.file) if self.file else before
        if again and self.file and not os.path.lexists(self.file):
            self._open(again=False)

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        with self._forgiving():
            found: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
            return found
        return None

    def _unsealed(self, sealed: Any, *about: object) -> bytes | None:
        """Return the sealed content, or None if it is damaged or belongs to something else."""
        if isinstance(sealed, bytes):
            seal, packed = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
            if seal == _seal(packed, about):
                return packed
        self._say(f"rebuilding the cache: `{self.file}` is damaged")
        return None

    @contextmanager
    def _forgiving(self) -> Iterator[None]:
        """After an error, continue with an empty cache for this process.

        If the file is not our database, delete it.
        """
        try:
            yield
        except CacheError as failure:
            self._connection = _open_unnamed()
            self._say(str(failure))
        # Messages about a damaged file contain bytes from it, which may not be text.
        except (sqlite3.Error, OSError, UnicodeDecodeError) as failure:
            self._connection = _open_unnamed()
            if self.file and type(failure) in {sqlite3.DatabaseError, UnicodeDecodeError}:
                self._say(f"rebuilding the cache: `{self.file}` is damaged")
                with suppress(OSError):
                    _remove(self.file)
            else:
                self._say(f"ignoring the cache: `{self.file}`: {failure}")

    def _say(self, message: str) -> None:
        if self.file and not self._has_told:
            self._has_told = True
            self._tell(message)


def digest_of(*about: object) -> bytes:
    """Return a digest of values and of this version of ptcards, its libraries and Python."""
    return hashlib.sha256(repr((versions(), about)).encode("utf-8", "surrogatepass")).digest()


def _bytes_used(connection: sqlite3.Connection) -> int:
    names = ("page_count", "freelist_count", "page_size")
    pages, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return int(pages - free) * int(size)


def _drop_older_half(connection: sqlite3.Connection) -> None:
    for table in ("entries", "answers"):
        query = f"SELECT rowid FROM {table} ORDER BY used, rowid"  # noqa: S608 - a fixed name
        oldest = connection.execute(query).fetchall()
        half = oldest[: (len(oldest) + 1) // 2]
        connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", half)  # noqa: S608 - as above


def _asked(question: Sequence[object]) -> bytes:
    return digest_of(os.getcwd(), *question)  # noqa: PTH109 - as the system returns it


def _sealed(packed: bytes, *about: object) -> bytes:
    return _seal(packed, about) + packed


def _seal(packed: bytes, about: Sequence[object]) -> bytes:
    """Return a digest of bytes and of what they describe."""
    return hashlib.sha256(repr(about).encode() + packed).digest()


def _open(file: Path) -> sqlite3.Connection:
    make_private_folder(file.parent)
    for path in _files(file):
        check_private_file(path)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(file, timeout=2)
    try:
        connection.execute("PRAGMA journal_mode = WAL")  # readers and a writer at the same time
        connection.execute("PRAGMA synchronous = NORMAL")
        _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    """Create the tables, if the database is empty.

    Raises DatabaseError if it contains anything else: a view or a trigger could do anything.
    """
    if not _schema(connection):
        with connection:
            connection.execute("BEGIN IMMEDIATE")  # no other process may see only some tables
            for kind, what in _SCHEMA:
                connection.execute(f"CREATE {kind} IF NOT EXISTS {what}")
    if _schema(connection) != [f"CREATE {kind} {what}" for kind, what in _SCHEMA]:
        raise sqlite3.DatabaseError


def _schema(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid")
    return [sql for (sql,) in rows]


def _open_unnamed() -> sqlite3.Connection:
    """Return an unnamed database, which SQLite keeps in memory, or in a temporary file once it grows."""
    connection = sqlite3.connect("")
    _make_tables(connection)
    return connection


def _files(file: Path) -> list[Path]:
    """Return the database's file and the files that SQLite puts next to it."""
    return [file.with_name(file.name + suffix) for suffix in ("", "-wal", "-shm", "-journal")]


def _remove(file: Path) -> None:
    """Delete a database and the files next to it, which SQLite would otherwise apply to the next one."""
    for path in _files(file):
        path.unlink(missing_ok=True)
