"""The database of a package, in schema 11 or 14 to 18.

Schema 11 stores JSON in one row; newer schemas use tables with Protocol Buffers.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from ptcards.files.foreign_json import JsonLimit, LargeDocumentError, build_json
from ptcards.importing.archive import Archive
from ptcards.importing.problems import damaged, refuse, unsafe
from ptcards.importing.protobuf import Message, read_message, signed
from ptcards.importing.values import Deck, Note, NoteType
from ptcards.notes.notetypes import Field, Template

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

    note_types: Mapping[int, NoteType]
    decks: Mapping[int, Deck]
    connection: sqlite3.Connection
    archive: Archive
    has_log: bool

    @cached_property
    def counts(self) -> Mapping[tuple[str, int], int]:
        """The number of notes for each deck and note type.

        Notes without cards are counted under the deck `""`.
        """
        with telling(self.archive):
            note_types = self.connection.execute("SELECT id, mid FROM notes ORDER BY id")
            counts: Counter[tuple[str, int]] = Counter()
            for (_, note_type), cards in self._with_cards(note_types):
                counts[self._name(cards), int(note_type)] += 1
            return counts

    def guid_twice(self) -> str | None:
        """Return the first GUID that several notes share, or `None` if there is none."""
        with telling(self.archive):
            found = self.connection.execute(
                "SELECT guid FROM notes GROUP BY guid HAVING count(*) > 1 ORDER BY guid"
            ).fetchone()
            return None if found is None else str(found[0])

    def guids(self) -> dict[int, str]:
        """Return the GUIDs of all notes by their ids."""
        with telling(self.archive):
            found = self.connection.execute("SELECT id, guid FROM notes")
            return {int(nid): str(guid) for nid, guid in found}

    def notes(self) -> Iterator[Note]:
        """Yield all notes in the order of their ids."""
        with telling(self.archive):
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

    def _note(self, row: _Row, cards: list[_Card]) -> Note:
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
        return Note(
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
        with telling(archive):
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
                note_types, decks = _tables(_Tables(connection, archive.path))
            else:
                note_types, decks = _json(connection)
        yield Database(note_types, decks, connection, archive, "revlog" in tables)


@contextmanager
def telling(archive: Archive) -> Iterator[None]:
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
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        OverflowError,
        RecursionError,
    ) as failure:
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


_Read = tuple[Mapping[int, NoteType], Mapping[int, Deck]]


def _json(connection: sqlite3.Connection) -> _Read:
    """Return the note types and decks of schema 11."""
    note_types = {}
    for each in _document(connection, "models").values():
        number = signed(int(each["id"]))
        note_types[number] = NoteType(
            number,
            str(each["name"]),
            int(each["mod"]),
            each["type"] == 1,
            each.get("originalStockKind") == _OCCLUSION,
            tuple(Field(str(one["name"]), _id(one.get("id"))) for one in _ordered(each["flds"])),
            tuple(
                Template(
                    str(one["name"]),
                    _id(one.get("id")),
                    str(one["qfmt"]),
                    str(one["afmt"]),
                    str(one.get("bqfmt", "")),
                    str(one.get("bafmt", "")),
                )
                for one in _ordered(each["tmpls"])
            ),
            str(each["css"]),
        )
    return note_types, {
        int(key): Deck(str(each["name"]), str(each.get("desc", "")), bool(each.get("md")))
        for key, each in _document(connection, "decks").items()
    }


def _document(connection: sqlite3.Connection, column: str) -> Any:
    """Return the JSON in a column of the only row of `col`."""
    (row,) = connection.execute("SELECT rowid FROM col").fetchone()
    with connection.blobopen("col", column, row, readonly=True) as blob:
        return build_json(blob.read(_JSON.size + 1), _JSON)


def _ordered(entries: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(entries, key=lambda each: int(each["ord"]))


def _id(number: Any) -> int | None:
    return None if number is None else signed(int(number))


class _Tables:
    """Reads the rows of note types and decks, unless there are too many."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._path = path
        self._rows = self._size = 0

    def rows(self, query: str) -> Iterator[_Row]:
        """Yield what a query finds; raises NotImportableError if all queries together find too much."""
        for row in self._connection.execute(query):
            self._rows += 1
            texts = (each for each in row if isinstance(each, str | bytes))
            self._size += sum(len(each) if each.isascii() else 4 * len(each) for each in texts)
            if self._rows > _MOST_ROWS:
                raise unsafe(self._path, f"its note types and decks have over {_MOST_ROWS:,} parts")
            if self._size > _MAX_TEXTS:
                raise unsafe(self._path, f"its note types and decks are larger than {_MAX_TEXTS >> 20} MB")
            yield row


def _tables(tables: _Tables) -> _Read:
    """Return the note types and decks of schema 14 or later."""
    fields: dict[int, list[Field]] = defaultdict(list)
    templates: dict[int, list[Template]] = defaultdict(list)
    for number, name, config in tables.rows("SELECT ntid, name, config FROM fields ORDER BY ntid, ord"):
        fields[number].append(Field(str(name), read_message(config).number(9)))
    for number, name, config in tables.rows("SELECT ntid, name, config FROM templates ORDER BY ntid, ord"):
        about = read_message(config)
        texts = [about.text(number) for number in (1, 2, 3, 4)]
        templates[number].append(Template(str(name), about.number(8), *texts))
    note_types = {}
    for number, name, mod, config in tables.rows("SELECT id, name, mtime_secs, config FROM notetypes"):
        about = read_message(config)
        note_types[number] = NoteType(
            int(number),
            str(name),
            int(mod),
            about.number(1) == 1,
            about.number(9) == _OCCLUSION,
            tuple(fields[number]),
            tuple(templates[number]),
            about.text(3),
        )
    decks = {
        int(number): Deck(str(name).replace("\x1f", "::"), *_description(read_message(kind)))
        for number, name, kind in tables.rows("SELECT id, name, kind FROM decks")
    }
    return note_types, decks


def _description(kind: Message) -> tuple[str, bool]:
    """Return the description of a regular deck, and whether it is Markdown."""
    return next(((each.text(4), bool(each.number(5))) for each in kind.messages(1)), ("", False))
