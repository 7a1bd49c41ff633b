"""Reads an Anki package and determines which of its decks to import.

Schema 11 of its database stores JSON in one row; newer schemas use tables with Protocol Buffers.
"""

import html
import json
import lzma
import re
import sqlite3
import unicodedata
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from ptcards.extensions.importing.problems import damaged, quoted, refuse, unsafe
from ptcards.extensions.importing.protobuf import ProtobufMessage, read_message, signed
from ptcards.files import reason_of
from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.files.inputs import open_regular, shown
from ptcards.files.temporary import temporary_folder
from ptcards.notes.notetypes import LATEX_FOOTER, LATEX_HEADER, AnkiExtras, Field, NoteType, Template
from ptcards.packing import zstd

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
RED_FLAG, MARKED = "red flag", "marked"
"""What a learner can put on a note that the inbox lists."""


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
                        limit = f"{MAX_BYTES >> 30} GB or {MAX_RATIO} times its size"
                        raise unsafe(self.path, f"{quoted(name)} unpacks to over {limit}")
                    if self._unpacked > self._most:
                        raise unsafe(self.path, f"the package unpacks to over {self._most >> 20:,} MB")
                    yield piece
        except (
            zipfile.BadZipFile,
            zlib.error,
            zstd.ZstdError,
            lzma.LZMAError,
            EOFError,
            RuntimeError,
            UnicodeDecodeError,
            OSError,
        ) as failure:
            said = str(failure).lower() or "it is cut off"
            raise damaged(self.path, f"{quoted(name)}: {said}") from failure

    def read(self, name: str, most: int) -> bytes:
        """Return the unpacked content of a member, cut off soon after `most` bytes."""
        with closing(self.pieces(name)) as pieces:
            return b"".join(islice(pieces, most // _PIECE + 1))

    def write(self, name: str, target: Path) -> None:
        """Write the unpacked content of a member to a new file."""
        with target.open("xb") as stream:
            stream.writelines(self.pieces(name))

    def _is_zstd(self, info: zipfile.ZipInfo) -> bool:
        with self._file.open(info) as stream:
            return stream.read(len(_ZSTD)) == _ZSTD


def _regular(file: Path, path: str) -> BinaryIO:
    try:
        return BufferedReader(open_regular(file.resolve()))
    except OSError as failure:
        message = f"the file cannot be read: {reason_of(failure)}"
        raise refuse(path, "no-package", message, "name an `.apkg` or `.colpkg` file") from failure


_LFS = b"version https://git-lfs"


def _zip(stream: BinaryIO, path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError) as failure:
        stream.seek(0)
        begin = stream.read(len(_LFS))
        rule, message = "no-package", "this is not an Anki package"
        fix = "name an `.apkg` or `.colpkg` file"
        if begin == _LFS:
            message, fix = "this is a pointer of Git LFS, not the package", "run `git lfs pull`"
        elif begin.startswith(b"PK\x03\x04"):
            rule, message = "damaged-package", "the package is damaged: its list of files is missing"
            fix = "download the package again: its end is missing"
        raise refuse(path, rule, message, fix) from failure


@dataclass(frozen=True, slots=True)
class PackageNoteType(NoteType):
    """A note type of a package; `mod` is the time of its last change in Unix seconds. Its key is empty."""

    mod: int = 0

    @property
    def is_occlusion(self) -> bool:
        """Whether its notes are image occlusions: Anki's own, or made elsewhere with Anki's script."""
        uses_script = self.is_cloze and any("imageOcclusion.setup" in each.front for each in self.templates)
        return len(self.fields) > 2 and (uses_script or self.extras.stock_kind == _OCCLUSION)


@dataclass(frozen=True, slots=True)
class PackageDeck:
    """A deck with its full name; its author chose whether `description` is Markdown or HTML."""

    name: str
    description: str = ""
    is_markdown: bool = False


@dataclass(frozen=True, slots=True)
class PackageNote:
    """A note of a package, in the deck of its first card; `mod` is in Unix seconds."""

    id: int
    guid: str
    note_type: int
    mod: int
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    deck: str
    ordinals: tuple[int, ...]
    is_apart: bool
    """its cards are in several decks"""


_MAX_VALUE = 16 << 20
"""The maximum number of bytes in a value of a row."""
_LONGEST_TAGS = 256 << 10
_WAL_AT = 18
_JSON = JsonLimit(64 << 20, 16 << 20, 1_000_000)
"""The limit for note types and for decks in schema 11."""
_MAX_TEXTS = 64 << 20
_MOST_ROWS = 200_000
"""The limits for note types and decks in later schemas: the memory for their texts, and their rows."""
_TABLES = ("col", "notes", "cards", "notetypes", "fields", "templates", "decks", "revlog")
_Row = tuple[Any, ...]
_Card = tuple[int, int]
"""A card's number and its deck, which is the home deck if the card is in a filtered deck."""
_OCCLUSION = 6
"""Anki's number for the image-occlusion note type."""


@dataclass(frozen=True)
class Database:
    """The content of a package's database, with note types and decks by id.

    `has_log` is true if there is a review log.
    """

    note_types: Mapping[int, PackageNoteType]
    decks: Mapping[int, PackageDeck]
    connection: sqlite3.Connection
    archive: Archive
    has_log: bool

    @cached_property
    def counts(self) -> Mapping[tuple[str, int], int]:
        """The number of notes for each deck and note type.

        Notes without cards are counted under the deck `""`.
        """
        with as_damaged(self.archive):
            note_types = self.connection.execute("SELECT id, mid FROM notes ORDER BY id")
            counts: Counter[tuple[str, int]] = Counter()
            for (_, note_type), cards in self._with_cards(note_types):
                counts[self._name(cards), int(note_type)] += 1
            return counts

    def guids_twice(self) -> frozenset[str]:
        """Return the GUIDs that several notes share."""
        counts = Counter(self.guids().values())
        return frozenset(guid for guid, count in counts.items() if count > 1)

    def guids(self) -> dict[int, str]:
        """Return the GUIDs of all notes by their ids."""
        with as_damaged(self.archive):
            found = self.connection.execute("SELECT id, guid FROM notes")
            return {int(nid): str(guid) for nid, guid in found}

    def flagged(self) -> frozenset[int]:
        """Return the ids of the notes that have a card with a red flag."""
        with as_damaged(self.archive):
            found = self.connection.execute("SELECT DISTINCT nid FROM cards WHERE flags & 7 = 1")
            return frozenset(int(nid) for (nid,) in found)

    def notes(self) -> Iterator[PackageNote]:
        """Yield all notes in the order of their ids."""
        with as_damaged(self.archive):
            rows = self.connection.execute("SELECT id, guid, mid, mod, tags, flds FROM notes ORDER BY id")
            for row, cards in self._with_cards(rows):
                yield self._note(row, cards)

    def _with_cards(self, rows: Iterable[_Row]) -> Iterator[tuple[_Row, list[_Card]]]:
        """Yield each row, which begins with a note's id, with the note's cards."""
        # Cards are joined here because a database without an index would scan all cards for each note.
        found = self.connection.execute(
            "SELECT nid, ord, CASE WHEN odid THEN odid ELSE did END FROM cards ORDER BY nid, ord"
        )
        groups = groupby(found, key=itemgetter(0))
        nid, cards = next(groups, (None, iter(())))
        for row in rows:
            while nid is not None and nid < row[0]:
                nid, cards = next(groups, (None, iter(())))
            yield row, [(int(ordinal), int(deck)) for _, ordinal, deck in cards] if nid == row[0] else []

    def _note(self, row: _Row, cards: list[_Card]) -> PackageNote:
        nid, guid, mid, mod, tags, fields = row
        is_right = all(isinstance(each, int) for each in (nid, mid, mod)) and isinstance(fields, str)
        if not is_right or not isinstance(tags, str) or not isinstance(guid, str | int):
            raise damaged(self.archive.path, f"note {nid} has values of the wrong type")
        if mid not in self.note_types:
            raise damaged(self.archive.path, f"note {nid} has no note type")
        if len(tags) > _LONGEST_TAGS:
            raise unsafe(self.archive.path, f"note {nid} has over {_LONGEST_TAGS >> 10} KB of tags")
        wanted = len(self.note_types[mid].fields)
        values = tuple(fields.split("\x1f", wanted))
        return PackageNote(
            nid,
            str(guid),
            mid,
            mod,
            tuple(tags.split()),
            (*values, *[""] * (wanted - len(values)))[:wanted],
            self._name(cards),
            tuple(ordinal for ordinal, _ in cards),
            len({deck for _, deck in cards}) > 1,
        )

    def _name(self, cards: list[_Card]) -> str:
        """Return the name of the deck of a note's first card."""
        if not cards:
            return ""
        deck = self.decks.get(cards[0][1])
        return deck.name if deck else "Default"


@contextmanager
def open_database(file: Path, archive: Archive) -> Iterator[Database]:
    """Open a database that has just been unpacked, and read everything except its notes."""
    # Anki leaves the flag for write-ahead logging set, but the package does not contain the log.
    with file.open("r+b") as stream:
        stream.seek(_WAL_AT)
        stream.write(b"\x01\x01")
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        connection.create_collation("unicase", _unicase)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        with as_damaged(archive):
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            tables = _check_tables(connection, archive)
            (schema,) = connection.execute("SELECT ver FROM col").fetchone() or (None,)
            if schema != 11 and schema not in range(14, 19):
                message = f"the collection has schema {schema}; ptcards reads 11 and 14 to 18"
                raise refuse(
                    archive.path, "unknown-schema", message, "update ptcards, or export from a current Anki"
                )
            if "notetypes" in tables:
                note_types, decks = _tables(connection, archive.path)
            else:
                note_types, decks = _json(connection)
        yield Database(note_types, decks, connection, archive, "revlog" in tables)


@contextmanager
def as_damaged(archive: Archive) -> Iterator[None]:
    """Turn exceptions caused by damaged content into an error about the package."""
    try:
        yield
    except sqlite3.DataError as failure:  # a value is longer than `_MAX_VALUE`
        message = f"its database has a value that is larger than {_MAX_VALUE >> 20} MB"
        raise unsafe(archive.path, message) from failure
    except LargeDocumentError as failure:
        raise unsafe(archive.path, f"its database {failure}") from failure
    except sqlite3.Error as failure:
        raise damaged(archive.path, f"its database cannot be read ({failure})") from failure
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError) as failure:
        raise damaged(archive.path, "its database was not written by Anki") from failure


def _check_tables(connection: sqlite3.Connection, archive: Archive) -> frozenset[str]:
    """Return the names of the tables.

    Raises NotImportableError if reading a table would run expressions from the package.
    """
    found = connection.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
    tables = frozenset(name for name, kind, _ in found if kind == "table")
    for name, kind, sql in found:
        if str(name).casefold() in _TABLES and (
            kind != "table" or "VIRTUAL" in str(sql).upper().split("(")[0]
        ):
            raise damaged(archive.path, f"`{name}` is not a table")
    for name in tables.intersection(_TABLES):
        if any(hidden for *_, hidden in connection.execute(f"PRAGMA table_xinfo({name})")):
            raise damaged(archive.path, f"`{name}` has computed columns")
    if missing := {"col", "notes", "cards"} - tables:
        raise damaged(archive.path, f"`{min(missing)}` is missing")
    return tables


def _unicase(one: str, other: str) -> int:
    first, second = one.casefold(), other.casefold()
    return (first > second) - (first < second)


_Read = tuple[Mapping[int, PackageNoteType], Mapping[int, PackageDeck]]


def _json(connection: sqlite3.Connection) -> _Read:
    """Return the note types and decks of schema 11."""
    note_types = {}
    for each in _document(connection, "models").values():
        number = signed(int(each["id"]))
        note_types[number] = PackageNoteType(
            "",
            number,
            str(each["name"]),
            tuple(map(_field, _ordered(each["flds"]))),
            tuple(map(_template, _ordered(each["tmpls"]))),
            str(each["css"]),
            each["type"] == 1,
            mod=int(each["mod"]),
            extras=AnkiExtras(
                str(each.get("latexPre", LATEX_HEADER)),
                str(each.get("latexPost", LATEX_FOOTER)),
                bool(each.get("latexsvg")),
                _small(each.get("originalStockKind")) or 0,
            ),
        )
    return note_types, {
        int(key): PackageDeck(str(each["name"]), str(each.get("desc", "")), bool(each.get("md")))
        for key, each in _document(connection, "decks").items()
    }


def _field(each: Mapping[str, Any]) -> Field:
    is_kept = bool(each.get("preventDeletion"))
    return Field(str(each["name"]), _id(each.get("id")), _small(each.get("tag")), is_kept)


def _template(each: Mapping[str, Any]) -> Template:
    texts = [each["qfmt"], each["afmt"], each.get("bqfmt", ""), each.get("bafmt", "")]
    return Template(str(each["name"]), _id(each.get("id")), *map(str, texts))


def _document(connection: sqlite3.Connection, column: str) -> Any:
    """Return the JSON in a column of the only row of `col`."""
    (row,) = connection.execute("SELECT rowid FROM col").fetchone()
    with connection.blobopen("col", column, row, readonly=True) as blob:
        found = build_json(blob.read(_JSON.size + 1), _JSON)
    json.dumps(found, ensure_ascii=False).encode()  # raises ValueError for halves of characters
    return found


def _ordered(entries: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(entries, key=lambda each: int(each["ord"]))


def _id(number: Any) -> int | None:
    return None if number is None else signed(int(number))


def _small(number: Any) -> int | None:
    """Return a number if it can be one of the few that Anki gives to note types and fields."""
    return number if isinstance(number, int) and 0 <= number < 256 else None


def _tables(connection: sqlite3.Connection, path: str) -> _Read:
    """Return the note types and decks of schema 14 or later, unless they are too many."""
    count = size = 0

    def rows(query: str) -> Iterator[_Row]:
        nonlocal count, size
        for row in connection.execute(query):
            count += 1
            texts = (each for each in row if isinstance(each, str | bytes))
            size += sum(len(each) if each.isascii() else 4 * len(each) for each in texts)
            if count > _MOST_ROWS:
                raise unsafe(path, f"its note types and decks have over {_MOST_ROWS:,} parts")
            if size > _MAX_TEXTS:
                raise unsafe(path, f"its note types and decks are larger than {_MAX_TEXTS >> 20} MB")
            yield row

    fields: dict[int, list[Field]] = defaultdict(list)
    templates: dict[int, list[Template]] = defaultdict(list)
    for number, name, config in rows("SELECT ntid, name, config FROM fields ORDER BY ntid, ord"):
        about = read_message(config)
        fields[number].append(
            Field(str(name), about.number(9), _small(about.number(10)), bool(about.number(11)))
        )
    for number, name, config in rows("SELECT ntid, name, config FROM templates ORDER BY ntid, ord"):
        about = read_message(config)
        texts = [about.text(number) for number in (1, 2, 3, 4)]
        templates[number].append(Template(str(name), about.number(8), *texts))
    note_types = {}
    for number, name, mod, config in rows("SELECT id, name, mtime_secs, config FROM notetypes"):
        about = read_message(config)
        extras = AnkiExtras(about.text(5), about.text(6), bool(about.number(7)), _small(about.number(9)) or 0)
        note_types[number] = PackageNoteType(
            "",
            int(number),
            str(name),
            tuple(fields[number]),
            tuple(templates[number]),
            about.text(3),
            about.number(1) == 1,
            mod=int(mod),
            extras=extras,
        )
    decks = {
        int(number): PackageDeck(str(name).replace("\x1f", "::"), *_description(read_message(kind)))
        for number, name, kind in rows("SELECT id, name, kind FROM decks")
    }
    return note_types, decks


def _description(kind: ProtobufMessage) -> tuple[str, bool]:
    """Return the description of a regular deck, and whether it is Markdown."""
    return next(((message.text(4), bool(message.number(5))) for message in kind.messages(1)), ("", False))


_COLLECTIONS = {
    "collection.anki21b": "Anki 2.1.50+ package",
    "collection.anki21": "Anki 2.1 package",
    "collection.anki2": "Anki 2.0 package",
}
"""The databases that a package may contain, newest first.

A package with a newer one may also contain an older one, whose only note asks people to update Anki.
"""
_LONGEST_NAME = 255
_LONGEST_WRITTEN = 1000
"""The maximum length of a file name in HTML, where each of its bytes may be written as `%20`."""
_NAMED = re.compile(
    r"""src\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))|\[sound:([^\]\n]{1,1000}+)\]"""
    r"""|url\(\s{0,9}+["']?([^"')]{0,1000}+)["']?\s{0,9}\)""",
    re.IGNORECASE,
)
_MEDIA = JsonLimit(16 << 20, 16 << 20, 250_000)
"""The limit for the list of media: twice as many values as a package may contain files, and some room."""


@dataclass(frozen=True, slots=True)
class Package:
    """An open package. `format` describes its version, and `media` maps file names to members."""

    path: str
    format: str
    database: Database
    media: Mapping[str, str]
    archive: Archive


def files_named(fields: str, media: Container[str]) -> Iterator[tuple[str, bool]]:
    """Yield the files that HTML or CSS uses, and whether they are in `media`.

    Files on servers are left out.
    """
    if "src" in fields or "[sound:" in fields or "url(" in fields:
        for found in _NAMED.finditer(fields):
            written = next(group for group in found.groups() if group is not None)
            if len(written) > _LONGEST_WRITTEN:
                continue
            written = html.unescape(written).strip()
            name = written if written in media else unquote(written)
            is_path = "/" in name and ":" not in name and not name.startswith("//")
            if name in media or is_safe(name) or is_path:
                yield name, name in media


@contextmanager
def open_package(file: Path, path: str = "") -> Iterator[Package]:
    """Open a package of any version, called `path` in messages; raises NotImportableError for other files.

    By default, `path` is the file's path as an author would write it.
    """
    path = path or shown(file.absolute())
    with _regular(file, path) as stream, _zip(stream, path) as opened, temporary_folder("import") as folder:
        if len(opened.namelist()) > MAX_MEMBERS:
            message = f"the package contains {len(opened.namelist()):,} files, over {MAX_MEMBERS:,}"
            raise refuse(path, "unsafe-package", message, "do not open it", status=1)
        archive = Archive(opened, path)
        member = next((name for name in _COLLECTIONS if name in archive.names), "")
        if not member:
            held = ", ".join(quoted(name) for name in sorted(archive.names)[:3])
            message = f"a zip file without a collection: it contains {held or 'nothing'}"
            raise refuse(path, "no-package", message, "name an `.apkg` or `.colpkg` file")
        archive.packed = member == "collection.anki21b"
        copy = folder / "collection"
        archive.write(member, copy)
        media = dict(_media(archive))
        with open_database(copy, archive) as database:
            yield Package(path, _COLLECTIONS[member], database, media, archive)


def _media(archive: Archive) -> Iterator[tuple[str, str]]:
    """Yield the name and the member of each media file.

    Raises NotImportableError for a name that leads out of the folder.
    """
    if "media" not in archive.names:
        return
    content = archive.read("media", _MEDIA.size + 1)
    try:
        named = _listed(content) if archive.packed else _mapped(content)
    except LargeDocumentError as failure:
        raise unsafe(archive.path, f"its list of media {failure}") from failure
    except (ValueError, RecursionError) as failure:
        raise damaged(archive.path, "its list of media cannot be read") from failure
    for member, name in named:
        if not is_safe(name):
            message = f"the media name {quoted(name)} is not a valid file name"
            fix = "rename the file in Anki and export the deck again; nothing was unpacked"
            raise refuse(archive.path, "unsafe-name", message, fix, status=1)
        if member in archive.names:
            yield name, member


def _listed(content: bytes) -> Sequence[tuple[str, str]]:
    _MEDIA.check_size(content)
    return [(str(number), entry.text(1)) for number, entry in enumerate(read_message(content).messages(1))]


def _mapped(content: bytes) -> Sequence[tuple[str, str]]:
    found: Any = build_json(content or b"{}", _MEDIA)
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
        raise ValueError("not a table of names")
    return list(found.items())


def is_safe(name: str) -> bool:
    """Whether a name is valid for a file in a flat folder on every operating system."""
    is_path = any(mark in name for mark in "/\\:") or name in ("", ".", "..")
    is_for_git = name.casefold().startswith(".git")  # Such a file would change what git does in the folder.
    is_shown = not any(unicodedata.category(char) in ("Cc", "Cs") for char in name)
    return not (is_path or is_for_git) and is_shown and len(name.encode("utf-8", "replace")) <= _LONGEST_NAME
