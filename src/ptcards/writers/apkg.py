"""Anki packages: a zip of a database and the media, the same bytes for the same notes.

genanki provides the schema, decks and note types. We store them ourselves, because genanki rewrites all decks
and note types for each deck, leaves its database in the temporary folder, and truncates the old package
before the new one is complete.
"""

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from typing import Any, ClassVar

from ptcards.files import OutputError, Replacing, replacing, scratch
from ptcards.notes import levels_of
from ptcards.notes.notetypes import USUAL_EXTRAS, Field, NoteType
from ptcards.notes.rendered import FIELD_END, Deck, Media, Row
from ptcards.source.media import media_content
from ptcards.writers import replaces_everything
from ptcards.writers.genanki import APKG_COL, APKG_SCHEMA, genanki

# With this page size, packages of notes like ours are a third smaller than with SQLite's default (measured).
# Anki has accepted it since 24.11.
_PAGE_BYTES = 16384
_AT_ONCE = 500
"""The number of notes in memory at the same time."""
_NEW_NOTE = "INSERT INTO notes VALUES(?, ?, ?, ?, -1, ?, ?, ?, 0, 0, '')"
# A card without reviews, with its place in the queue of new cards.
_NEW_CARD = "INSERT INTO cards VALUES(?, ?, ?, ?, ?, -1, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')"
_OLDEST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def write_package(
    *,
    path: Path,
    note_types: Sequence[tuple[NoteType, int]],
    decks: Iterable[Deck],
    rows: Iterable[tuple[str, int, Row]],
    newest: int,
    look_media: Iterable[Media] = (),
    write: Replacing = replacing,
) -> None:
    """Write an Anki package, a few notes at a time.

    Args:
        path: the file to write; `replaces_everything` must be false for its name.
        note_types: each with the time of its last change (Unix seconds, at least 1).
        decks: every deck named in `rows`; their parents may be missing.
        rows: GUID, time and row of each note, in the order of new cards.
        newest: the latest time of a note.
        look_media: files that only templates and CSS use.
        write: how the file replaces an existing one.

    Raises:
        OutputError: the package cannot be written, or a media file has changed since the sources were read.
        ValueError: Anki would refuse a note or show none of its cards, or two notes share a GUID (a caller's
        bug).

    """
    if replaces_everything(path.name):
        reason = "Anki would treat a file with this name as a backup and replace the learner's collection"
        raise OutputError(path, reason)
    package = _Package(note_types, decks, newest)
    package.media.update((item.name, item) for item in look_media)
    with write(path) as file, zipfile.ZipFile(file, "w") as archive:
        with scratch(path) as database:
            try:
                package.write_database(database, rows)
            except sqlite3.OperationalError as failure:  # a full or failing disk
                raise OutputError(path, str(failure)) from failure
            with archive.open(_entry("collection.anki2"), "w") as member:
                for page in clean_pages(database):
                    member.write(page)
        media = sorted(package.media.values(), key=lambda item: item.name)
        names = {str(number): item.name for number, item in enumerate(media)}
        archive.writestr(_entry("media"), json.dumps(names).encode())
        for number, item in enumerate(media):
            archive.writestr(_entry(str(number)), media_content(item, path))


class _Package(genanki.Package):  # type: ignore[misc]  # genanki has no types
    """A package that writes decks and note types only once, and rows without keeping them in memory."""

    def __init__(
        self, note_types: Sequence[tuple[NoteType, int]], decks: Iterable[Deck], newest: int
    ) -> None:
        decks = list(decks)
        self._by_name = _make_decks(decks)
        self._in_html = {deck.name for deck in decks if deck.is_html}
        super().__init__(list(self._by_name.values()))
        self._models = {note_type.key: _make_model(note_type) for note_type, _ in note_types}
        self._ends = {note_type.key: len(note_type.fields) - 1 for note_type, _ in note_types}
        self._mods = {note_type.key: mod for note_type, mod in note_types}
        # Ids are creation times in milliseconds; Anki changes any that a learner already has.
        self._ids = count(max([newest, *self._mods.values()]) * 1000)
        self._guids: set[str] = set()
        self._used: set[str] = set()
        # Positions run through the whole package: learners may let Anki gather new cards by position.
        self._places = count(1)
        self.media: dict[str, Media] = {}

    def write_database(self, path: Path, rows: Iterable[tuple[str, int, Row]]) -> None:
        """Write the package's SQLite database.

        Apart from what `clean_pages` blanks, the bytes are the same for the same notes.
        """
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            # An incomplete database is useless after a crash.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            cursor = connection.cursor()
            cursor.executescript(APKG_SCHEMA)
            waiting = iter(rows)
            while some := list(islice(waiting, _AT_ONCE)):
                notes: list[tuple[Any, ...]] = []
                cards: list[tuple[Any, ...]] = []
                for guid, mod, row in some:
                    self._add(guid, mod, row, notes, cards)
                cursor.executemany(_NEW_NOTE, notes)
                cursor.executemany(_NEW_CARD, cards)
            collection = self._collection_row()
            cursor.execute(f"INSERT INTO col VALUES({','.join('?' * len(collection))})", collection)
            connection.commit()

    def _add(
        self, guid: str, mod: int, row: Row, notes: list[tuple[Any, ...]], cards: list[tuple[Any, ...]]
    ) -> None:
        """Add a note and its cards as genanki does, without its quadratic search through fields."""
        fields = row.fields(guid)
        if not row.ordinals or fields.count(FIELD_END) != self._ends[row.note_type]:
            raise ValueError(f"not a note for Anki: {guid} {row}")
        if guid in self._guids:
            raise ValueError(f"two notes with the GUID {guid}")
        self._guids.add(guid)
        self._used.add(row.note_type)
        if row.media:
            self.media.update((item.name, item) for item in row.media)
        model, deck = self._models[row.note_type].model_id, self._by_name[row.deck].deck_id
        identity, sort_field = next(self._ids), fields.partition(FIELD_END)[0]
        notes.append((identity, guid, model, mod, f" {row.tags} ", fields, sort_field))
        place = next(self._places)
        cards += [(next(self._ids), identity, deck, ordinal, mod, place) for ordinal in row.ordinals]

    def _collection_row(self) -> tuple[Any, ...]:
        """Return the only row of `col`: genanki's, with our decks and note types."""
        with closing(sqlite3.connect(":memory:")) as scratch:
            scratch.executescript(APKG_SCHEMA)
            scratch.executescript(APKG_COL)
            scratch.row_factory = sqlite3.Row
            row = dict(scratch.execute("SELECT * FROM col").fetchone())
        decks = json.loads(row["decks"])
        # `md`: Anki shows the description as Markdown, not as raw HTML.
        decks |= {
            str(deck.deck_id): {**deck.to_json(), "md": deck.name not in self._in_html} for deck in self.decks
        }
        home = self.decks[0].deck_id if self.decks else 1
        used = [(self._models[key], mod) for key, mod in self._mods.items() if key in self._used]
        models = {model.model_id: model.to_json(mod, home) for model, mod in used}
        return tuple((row | {"decks": json.dumps(decks), "models": json.dumps(models)}).values())


def _make_decks(decks: Iterable[Deck]) -> dict[str, genanki.Deck]:
    """Return decks and their missing parents, sorted by name.

    Anki identifies decks only by name; within the package, their ids must differ, and none may be 0 or the
    default deck's.
    """
    described = {deck.name: deck.description for deck in decks}
    for name in list(described):
        for above in levels_of(name):
            described.setdefault(above, "")
    made: dict[str, genanki.Deck] = {}
    taken: set[int] = set()
    for name in sorted(described):
        identity = 10**12 + int(hashlib.sha256(name.encode()).hexdigest()[:10], 16) % 10**12
        while identity in taken:
            identity += 1
        taken.add(identity)
        made[name] = genanki.Deck(identity, name, described[name])
    return made


class _Model(genanki.Model):  # type: ignore[misc]  # genanki has no types
    """A note type in the form that Anki imports."""

    extras = USUAL_EXTRAS
    _req: ClassVar[list[object]] = []  # only Anki before 2.1.28 read it; for others, it is empty

    def to_json(self, timestamp: float, deck_id: int) -> dict[str, Any]:
        """Return the note type as Anki's JSON, with what genanki does not know."""
        made: dict[str, Any] = super().to_json(timestamp, deck_id)
        made["latexsvg"] = self.extras.latex_svg
        if self.extras.stock_kind:
            made["originalStockKind"] = self.extras.stock_kind
        return made


def _make_model(note_type: NoteType) -> genanki.Model:
    """Return genanki's note type with all ids, so that fields and templates can be renamed later."""
    model = _Model(
        note_type.id,
        note_type.name,
        fields=list(map(_field, note_type.fields)),
        templates=[
            {
                "name": template.name,
                **_with_id(template.id),
                "qfmt": template.front,
                "afmt": template.back,
                "bqfmt": template.browser_front,
                "bafmt": template.browser_back,
            }
            for template in note_type.templates
        ],
        css=note_type.css,
        model_type=genanki.Model.CLOZE if note_type.is_cloze else genanki.Model.FRONT_BACK,
        latex_pre=note_type.extras.latex_header,
        latex_post=note_type.extras.latex_footer,
    )
    model.extras = note_type.extras
    return model


def _field(field: Field) -> dict[str, Any]:
    made: dict[str, Any] = {"name": field.name, **_with_id(field.id)}
    made |= {} if field.tag is None else {"tag": field.tag}
    return made | ({"preventDeletion": True} if field.is_kept else {})


def _with_id(identity: int | None) -> dict[str, int]:
    return {} if identity is None else {"id": identity}


def clean_pages(database: Path) -> Iterator[bytes]:
    """Yield the pages of a database, blanking everything that differs between versions of SQLite.

    In the header (https://www.sqlite.org/fileformat2.html#the_database_header), this is the change counter,
    the version-valid-for number and the version itself; in each b-tree page, it is the space between cell
    pointers and cells, and the space that moved cells left.
    """
    with database.open("rb") as file:
        first = bytearray(file.read(_PAGE_BYTES))
        first[24:28] = bytes(4)
        first[92:100] = bytes(8)
        yield _without_leftovers(first, 100)
        while page := file.read(_PAGE_BYTES):
            yield _without_leftovers(bytearray(page), 0)


def _without_leftovers(page: bytearray, header: int) -> bytes:
    def number(place: int) -> int:
        return int.from_bytes(page[place : place + 2], "big")

    # 2 and 5 are inner pages with 12 bytes of header, 10 and 13 leaves with 8; other pages have no cells.
    size = {2: 12, 5: 12, 10: 8, 13: 8}.get(page[header])
    if size is not None:
        start = header + size + 2 * number(header + 3)
        content = number(header + 5)
        page[start:content] = bytes(content - start)
        free = number(header + 1)
        while free:
            end = free + number(free + 2)
            page[free + 4 : end] = bytes(end - free - 4)
            free = number(free)
    return bytes(page)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a zip entry that does not reveal when, where or by whom it was made."""
    entry = zipfile.ZipInfo(name, _OLDEST_ZIP_TIME)
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
