"""The database of a package, in schema 11 or 14 to 18.

Schema 11 stores JSON in one row; newer schemas use tables with Protocol Buffers.
"""

import json
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

from ptcards.importing.archive import Archive
from ptcards.importing.problems import damaged, refuse
from ptcards.importing.protobuf import Message, read_message, signed
from ptcards.importing.values import Deck, Note, NoteType
from ptcards.notes.notetypes import Field, Template

_MAX_VALUE = 256 << 20
_WAL_AT = 18
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

    def guids_twice(self) -> list[str]:
        """Return the GUIDs that several notes share."""
        with telling(self.archive):
            found = self.connection.execute(
                "SELECT guid FROM notes GROUP BY guid HAVING count(*) > 1 ORDER BY guid"
            )
            return [str(guid) for (guid,) in found]

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
        values = tuple(fields.split("\x1f"))
        wanted = len(self.note_types[mid].fields)
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
            read = _tables if "notetypes" in tables else _json
            note_types, decks = read(connection)
        yield Database(note_types, decks, connection, archive, "revlog" in tables)


@contextmanager
def telling(archive: Archive) -> Iterator[None]:
    """Turn exceptions caused by damaged content into an error about the package."""
    try:
        yield
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
    models, decks = (
        json.loads(text) for text in connection.execute("SELECT models, decks FROM col").fetchone()
    )
    note_types = {}
    for each in models.values():
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
        for key, each in decks.items()
    }


def _ordered(entries: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(entries, key=lambda each: int(each["ord"]))


def _id(number: Any) -> int | None:
    return None if number is None else signed(int(number))


def _tables(connection: sqlite3.Connection) -> _Read:
    """Return the note types and decks of schema 14 or later."""
    fields: dict[int, list[Field]] = defaultdict(list)
    templates: dict[int, list[Template]] = defaultdict(list)
    for number, name, config in connection.execute(
        "SELECT ntid, name, config FROM fields ORDER BY ntid, ord"
    ):
        fields[number].append(Field(str(name), read_message(config).number(9)))
    for number, name, config in connection.execute(
        "SELECT ntid, name, config FROM templates ORDER BY ntid, ord"
    ):
        about = read_message(config)
        texts = [about.text(number) for number in (1, 2, 3, 4)]
        templates[number].append(Template(str(name), about.number(8), *texts))
    note_types = {}
    for number, name, mod, config in connection.execute("SELECT id, name, mtime_secs, config FROM notetypes"):
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
        for number, name, kind in connection.execute("SELECT id, name, kind FROM decks")
    }
    return note_types, decks


def _description(kind: Message) -> tuple[str, bool]:
    """Return the description of a regular deck, and whether it is Markdown."""
    return next(((each.text(4), bool(each.number(5))) for each in kind.messages(1)), ("", False))
