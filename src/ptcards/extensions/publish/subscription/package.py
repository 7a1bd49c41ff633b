"""Packages of releases: reads a stranger's within limits, and writes new ones from checked values only."""

import json
import re
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from html import escape, unescape
from pathlib import Path
from typing import IO, Any, NamedTuple

from ptcards.files.foreign_json import JsonLimit, build_json
from ptcards.notes.rendered import FIELD_END

MAX_PACKAGE_BYTES = 1 << 30
"""The size of the largest package that is loaded."""
_MAX_FILES = 20_000
_MAX_UNPACKED = 2 << 30
_MAX_RATIO = 60
_FREE_BYTES = 64 << 20
"""What any package may unpack to; more only in proportion to its size."""
_MAX_DATABASE = 32 << 20
"""Its texts need up to five times as much memory in Anki's own process."""
_MAX_NOTES, _MAX_NOTE = 40_000, 1_000_000
_MAX_TYPES, _MAX_FIELDS, _MAX_TEMPLATES = 100, 200, 100
_MAX_NESTING = 100
"""How deep sections may be in each other; some ten thousand would end Anki, which reads them recursively."""
_JSON_LIMIT = JsonLimit(8 << 20, 8 << 20, 300_000)
_MAX_STYLES = 4 << 20
_MAX_LEVELS = 10
"""How many decks may be inside each other; Anki refuses a package with more than eleven."""
_MAX_PLACE = 1_000_000
"""The last place among new cards; Anki's Check Database repairs those above two million."""
_MAX_CLOZE = 500
_DATABASE, _MEDIA = "collection.anki2", "media"
OWN_NAMES = ("_", "latex-")
"""How the names of media files begin that Anki keeps though no note may name them."""
_GUID = re.compile(r"[^\s\x00-\x1f\x7f]{1,255}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_IN_TEXT = re.compile(
    r"(?:src|data|href|poster)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>\"']+))"
    r"|\[sound:([^\]]*)\]",
    re.IGNORECASE,
)
_COLUMNS = {
    "col": "crt mod scm ver dty usn ls conf* models* decks* dconf* tags*",
    "notes": "guid* mid mod usn tags* flds* sfld csum flags data*",
    "cards": "nid did ord mod usn type queue due ivl factor reps lapses left odue odid flags data*",
    "revlog": "cid usn ease ivl lastIvl factor time type",
    "graves": "usn oid type",
}
"""The columns of Anki's tables; those with a star contain text. All but the last table also have an id."""
_INDEXES = (
    "notes_usn on notes (usn)",
    "cards_usn on cards (usn)",
    "revlog_usn on revlog (usn)",
    "cards_nid on cards (nid)",
    "cards_sched on cards (did, queue, due)",
    "revlog_cid on revlog (cid)",
    "notes_csum on notes (csum)",
)


class RefusedPackageError(ValueError):
    """A package is not one that ptcards writes; the message says why, after `it`."""


class ReleasedCard(NamedTuple):
    """A card in a package: its id, the number of its template or deletion, and its place among new cards."""

    id: int
    ordinal: int
    place: int


class ReleasedNote(NamedTuple):
    """A note in a package; `text` contains its fields as in Anki's database."""

    nid: int
    guid: str
    note_type: int
    mod: int
    tags: str
    text: str
    deck: str
    cards: tuple[ReleasedCard, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields as HTML, in stored order."""
        return tuple(self.text.split(FIELD_END))


class AnkiTemplate(NamedTuple):
    """A card template; `id` is 0 if it has none."""

    id: int
    name: str
    front: str
    back: str
    browser_front: str
    browser_back: str


class AnkiNoteType(NamedTuple):
    """A note type with the time of its last change; `fields` are ids, 0 for none, and names.

    `stock_kind` is Anki's number for the built-in note type that it was made from, 0 for none, and `tags` are
    the numbers by which Anki finds the fields of one: both make its editor open notes as image occlusions.
    """

    id: int
    name: str
    mod: int
    css: str
    is_cloze: bool
    fields: tuple[tuple[int, str], ...]
    templates: tuple[AnkiTemplate, ...]
    stock_kind: int = 0
    tags: tuple[int | None, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(name for _, name in self.fields)

    @property
    def texts(self) -> tuple[str, ...]:
        """The CSS and all sides of the templates."""
        return (self.css, *(side for template in self.templates for side in template[2:]))

    def in_anki(self, identity: int) -> dict[str, Any]:
        """Return a complete note type in Anki's form, with another id."""
        fields = [
            {"name": name, "ord": number, **({"id": own} if own else {}), "font": "Arial", "size": 20}
            | {"sticky": False, "rtl": False, "media": []}
            for number, (own, name) in enumerate(self.fields)
        ]
        for field, tag in zip(fields, self.tags, strict=False):
            field.update({} if tag is None else {"tag": tag, "preventDeletion": True})
        templates = [
            {"name": each.name, "ord": number, **({"id": each.id} if each.id else {}), "did": None}
            | {"qfmt": each.front, "afmt": each.back}
            | {"bqfmt": each.browser_front, "bafmt": each.browser_back}
            for number, each in enumerate(self.templates)
        ]
        return {
            "id": identity,
            "name": self.name,
            "type": int(self.is_cloze),
            "mod": self.mod,
            "usn": -1,
            "sortf": 0,
            "did": None,
            "css": self.css,
            "flds": fields,
            "tmpls": templates,
            **({"originalStockKind": self.stock_kind} if self.stock_kind else {}),
        }


class Description(NamedTuple):
    """The description of a deck, and in an update the one that it replaces."""

    text: str
    is_markdown: bool
    before: str = ""


class ReleasedPackage(NamedTuple):
    """What a package holds: notes by GUID, note types by id, descriptions by deck, members by media name.

    `styles` are the texts of the media that are style sheets, by name.
    """

    notes: Mapping[str, ReleasedNote]
    types: Mapping[int, AnkiNoteType]
    descriptions: Mapping[str, Description]
    media: Mapping[str, str]
    styles: Mapping[str, str]


def _schema() -> Iterator[str]:
    """Yield the statements that make the database of a package."""
    for table, columns in _COLUMNS.items():
        texts = [
            f"{each.strip('*')} {'text' if '*' in each else 'integer'} not null" for each in columns.split()
        ]
        keys = [] if table == "graves" else ["id integer primary key"]
        yield f"create table {table} ({', '.join(keys + texts)})"
    yield from (f"create index ix_{each}" for each in _INDEXES)


def _plain(statement: str) -> str:
    """Return a statement without comments and white space."""
    return re.sub(r"/\*.*?\*/|\s", "", statement, flags=re.DOTALL).casefold()


def read_package(file: Path) -> ReleasedPackage:
    """Return what a package holds, without its media.

    Raises:
        RefusedPackageError: it is damaged, too large, or not one that ptcards writes.
        OSError: the file cannot be read.

    """
    with file.open("rb") as stream:
        media, styles, database = _read_files(stream)
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(database)
            del database
            return _read_database(connection, media, styles)
    except (sqlite3.Error, ValueError, RuntimeError, OverflowError) as failure:
        raise _refused(failure, "has a damaged database") from failure


def _read_files(stream: IO[bytes]) -> tuple[dict[str, str], dict[str, str], bytes]:
    """Return the media, the texts of style sheets, and the database of an open package."""
    try:
        with zipfile.ZipFile(stream) as archive:
            media = _read_media_names(archive)
            return media, _read_styles(archive, media), archive.read(_DATABASE)
    # RuntimeError: an encrypted member; OSError: one whose place is outside the file.
    except (
        zipfile.BadZipFile,
        ValueError,
        RuntimeError,
        EOFError,
        OverflowError,
        zlib.error,
        OSError,
    ) as failure:
        raise _refused(failure, "is damaged") from failure


def _refused(failure: Exception, what: str) -> RefusedPackageError:
    """Return what to raise for a failure while reading."""
    return failure if isinstance(failure, RefusedPackageError) else RefusedPackageError(f"{what} ({failure})")


def _require(is_right: object, what: str) -> None:
    if not is_right:
        raise RefusedPackageError(what)


def _read_media_names(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the members of a zip by the names of their media, after checks of all members."""
    members = archive.infolist()
    names = [member.filename for member in members]
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    _require(len(members) <= _MAX_FILES, f"has over {_MAX_FILES:,} files")
    _require(unpacked <= min(_MAX_UNPACKED, packed * _MAX_RATIO + _FREE_BYTES), "unpacks to too much")
    _require(len({*names}) == len(names) and {_DATABASE, _MEDIA} <= {*names}, "lacks files, or has one twice")
    others = [name for name in names if name not in (_DATABASE, _MEDIA)]
    _require(
        all(name.isascii() and name.isdecimal() for name in others), "has files that ptcards never writes"
    )
    known = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    _require(all(each.compress_type in known for each in members), "is packed in an unknown way")
    size = archive.getinfo(_DATABASE).file_size
    _require(0 < size <= _MAX_DATABASE, "has a database that is empty or too large")
    _require(archive.getinfo(_MEDIA).file_size <= _JSON_LIMIT.size, "has too many media")
    media = build_json(archive.read(_MEDIA), _JSON_LIMIT)
    _require(isinstance(media, dict) and media.keys() <= {*others}, "lists media that it lacks")
    _require(all(map(_is_media_name, media.values())), "has a media file whose name leads elsewhere")
    _require(
        len({name.casefold() for name in media.values()}) == len(media), "has two media files of one name"
    )
    return {name: member for member, name in media.items()}


def _read_styles(archive: zipfile.ZipFile, media: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the style sheets among the media."""
    found = {name: member for name, member in media.items() if name.casefold().endswith(".css")}
    size = sum(archive.getinfo(member).file_size for member in found.values())
    _require(size <= _MAX_STYLES, f"has over {_MAX_STYLES >> 20} MB of style sheets")
    return {name: archive.read(member).decode("utf-8", "replace") for name, member in found.items()}


def _is_media_name(name: object) -> bool:
    return (
        isinstance(name, str)
        and 0 < len(name) <= 255
        and not name.startswith(".")
        and not re.search(r'[\x00-\x1f\x7f/\\:*?"<>|\ud800-\udfff]', name)
    )


def _read_database(
    connection: sqlite3.Connection, media: Mapping[str, str], styles: Mapping[str, str]
) -> ReleasedPackage:
    connection.execute("pragma trusted_schema=off")
    connection.execute("pragma query_only=on")
    statements = [text for (text,) in connection.execute("select sql from sqlite_master")]
    is_ours = all(statements) and sorted(map(_plain, statements)) == sorted(map(_plain, _schema()))
    _require(is_ours, "has a database with other tables")
    _require(connection.execute("pragma quick_check(1)").fetchone() == ("ok",), "has a damaged database")
    rows = connection.execute("select models, decks from col").fetchall()
    _require(len(rows) == 1, "has a damaged database")
    models, decks = (build_json(str(text).encode(), _JSON_LIMIT) for text in rows[0])
    _require(isinstance(models, dict) and isinstance(decks, dict), "has a damaged database")
    _require(len(models) <= _MAX_TYPES, f"has over {_MAX_TYPES} note types")
    types = {each.id: each for each in map(_read_type, models.items())}
    descriptions = dict(map(_read_deck, decks.values()))
    _require(len({name.casefold() for name in descriptions}) == len(decks), "has two decks of one name")
    names = dict(zip(decks, descriptions, strict=True))
    ((count,),) = connection.execute("select count(*) from notes")
    _require(count <= _MAX_NOTES, f"has over {_MAX_NOTES:,} notes")
    cards: dict[int, list[tuple[ReleasedCard, str]]] = {}
    for row in connection.execute("select id, nid, did, ord, due from cards order by nid, ord"):
        _require({*map(type, row)} == {int}, "has a card with a value of the wrong type")
        cid, nid, did, ordinal, place = row
        _require(
            cid > 0 and 0 <= place <= _MAX_PLACE and str(did) in names, f"has a card {cid} without a place"
        )
        cards.setdefault(nid, []).append((ReleasedCard(cid, ordinal, place), names[str(did)]))
    notes: dict[str, ReleasedNote] = {}
    for row in connection.execute("select id, guid, mid, mod, tags, flds from notes"):
        note = _read_note(row, types, cards.get(row[0], ()))
        _require(note.guid not in notes, f"has the note {note.guid} twice")
        notes[note.guid] = note
    return ReleasedPackage(notes, types, descriptions, media, styles)


_KINDS = (int, str, int, int, str, str)


def _read_note(
    row: tuple[Any, ...], types: Mapping[int, AnkiNoteType], cards: Collection[tuple[ReleasedCard, str]]
) -> ReleasedNote:
    _require(tuple(map(type, row)) == _KINDS, "has a note with a value of the wrong type")
    nid, guid, note_type, mod, tags, text = row
    _require(
        _GUID.fullmatch(guid) and nid > 0 and 0 < mod < 1 << 40, f"has a note {nid} that Anki cannot have"
    )
    _require(len(text) <= _MAX_NOTE, f"has a note {guid} of over {_MAX_NOTE:,} characters")
    _require(note_type in types, f"has a note {guid} of an unknown note type")
    kind = types[note_type]
    _require(
        text.count(FIELD_END) + 1 == len(kind.fields), f"has a note {guid} with the wrong number of fields"
    )
    ordinals = {card.ordinal for card, _ in cards}
    most = _MAX_CLOZE if kind.is_cloze else len(kind.templates)
    is_right = cards and len(ordinals) == len(cards) and min(ordinals) >= 0 and max(ordinals) < most
    _require(is_right, f"has a note {guid} without the right cards")
    decks = {deck for _, deck in cards}
    _require(
        len(decks) == 1 and decks.isdisjoint({"Default", "default"}), f"has a note {guid} in a wrong deck"
    )
    return ReleasedNote(
        nid, guid, note_type, mod, " ".join(tags.split()), text, decks.pop(), tuple(card for card, _ in cards)
    )


def _read_deck(deck: Any) -> tuple[str, Description]:
    text = "has a deck that Anki cannot have"
    _require(isinstance(deck, dict), text)
    name, description = deck.get("name"), deck.get("desc", "")
    _require(isinstance(name, str) and isinstance(description, str), text)
    levels = str(name).split("::")
    is_right = len(levels) <= _MAX_LEVELS and all(each and each == each.strip() for each in levels)
    _require(is_right and not _CONTROL.search(name) and _is_unicode(name, description), text)
    return name, Description(description, bool(deck.get("md", False)))


def _read_type(item: tuple[str, Any]) -> AnkiNoteType:
    key, model = item
    wrong = "has a note type that Anki cannot have"
    _require(isinstance(model, dict) and re.fullmatch(r"-?[0-9]{1,18}", key), wrong)
    name, css, kind, mod = (model.get(each) for each in ("name", "css", "type", "mod"))
    fields, templates = model.get("flds"), model.get("tmpls")
    is_right = isinstance(fields, list) and isinstance(templates, list) and fields and templates
    _require(is_right and kind in (0, 1) and isinstance(mod, int) and 0 <= mod < 1 << 40, wrong)
    _require(all(isinstance(each, dict) for each in (*fields, *templates)), wrong)
    called = tuple((_read_id(each, wrong), each.get("name")) for each in fields)
    _require(kind == 0 or len(templates) == 1, wrong)
    looks = tuple(
        AnkiTemplate(_read_id(each, wrong), *(each.get(part, "") for part in _PARTS)) for each in templates
    )
    texts = [name, css, *(name for _, name in called), *(text for look in looks for text in look[1:])]
    _require(all(isinstance(each, str) for each in texts) and _is_unicode(*texts), wrong)
    for names in ([name for _, name in called], [look.name for look in looks]):
        _require(all(names) and len({*names}) == len(names), wrong)
    is_small = len(called) <= _MAX_FIELDS and len(looks) <= _MAX_TEMPLATES
    _require(is_small, "has a note type with too many fields or cards")
    is_flat = all(_nesting(side) <= _MAX_NESTING for look in looks for side in look[2:])
    _require(is_flat, "has a card layout with too many sections in each other")
    stock, tags = model.get("originalStockKind", 0), tuple(each.get("tag") for each in fields)
    numbers = (stock, *(tag for tag in tags if tag is not None))
    _require(all(type(each) is int and 0 <= each < _MOST_KNOWN for each in numbers), wrong)
    return AnkiNoteType(int(key), str(name), mod, str(css), bool(kind), called, looks, stock, tags)


_MOST_KNOWN = 1 << 31
"""What Anki's numbers for its own note types and their fields are below."""


_PARTS = ("name", "qfmt", "afmt", "bqfmt", "bafmt")
_SECTION = r"(?:(?<!\{)\{\{|<%)\{*+\s*+"
_OPENS = re.compile(rf"{_SECTION}[#^]")
_NESTING = re.compile(rf"<!--.*?-->|{_SECTION}([#^/])", re.DOTALL)


def _nesting(side: str) -> int:
    """Return how deep the sections of a template are in each other, at most.

    Versions of Anki differ in whether a comment hides what begins a section, and all hide what ends one.
    """
    if len(_OPENS.findall(side)) <= _MAX_NESTING:
        return 0
    if has_open_ends(side, ("<!--", "-->")):
        return _MAX_NESTING + 1
    depth = deepest = 0
    for each in _NESTING.finditer(side):
        depth = max(depth - 1, 0) if each[1] == "/" else depth + len(_OPENS.findall(each[0]))
        deepest = max(deepest, depth)
    return deepest


def has_open_ends(text: str, *pairs: tuple[str, str]) -> bool:
    """Whether a text has many marks without an end: each would be a search to the end of the text."""
    return any(text.count(begin, text.rfind(end) + 1) > _MOST_OPEN for begin, end in pairs)


_MOST_OPEN = 20


def _read_id(part: Mapping[str, Any], wrong: str) -> int:
    identity = part.get("id") or 0
    _require(isinstance(identity, int) and abs(identity) < 1 << 63, wrong)
    return int(identity)


def _is_unicode(*texts: str) -> bool:
    """Whether texts can be written: JSON may contain halves of characters."""
    return not any(re.search("[\ud800-\udfff]", text) for text in texts)


def write_package(
    file: Path, source: Path, notes: Collection[ReleasedNote], types: Iterable[Mapping[str, Any]]
) -> None:
    """Write notes as a package for Anki; `types` are their note types, complete and in Anki's form.

    Media that the notes or note types use come from the package `source`, whose other content is not read.
    """
    types = list(types)
    decks = {name: 10**12 + place for place, name in enumerate(sorted({note.deck for note in notes}))}
    decks["Default"] = 1
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in _schema():
            connection.execute(statement)
        texts = json.dumps({str(each["id"]): each for each in types})
        shown = json.dumps({str(number): _deck(name, number) for name, number in decks.items()})
        connection.execute(
            "insert into col values(1,0,0,0,11,0,0,0,?,?,?,?,'{}')",
            (json.dumps({"nextPos": 1}), texts, shown, "{}"),
        )
        connection.executemany(
            "insert into notes values(?,?,?,?,-1,?,?,0,0,0,'')",
            [(each.nid, each.guid, each.note_type, each.mod, f" {each.tags} ", each.text) for each in notes],
        )
        connection.executemany(
            "insert into cards values(?,?,?,?,?,-1,0,0,?,0,0,0,0,0,0,0,0,'')",
            [
                (card.id, note.nid, decks[note.deck], card.ordinal, note.mod, card.place)
                for note in notes
                for card in note.cards
            ],
        )
        connection.commit()
        database = connection.serialize()
    looks = json.dumps(types, ensure_ascii=False)
    with zipfile.ZipFile(source) as archive, zipfile.ZipFile(file, "w") as out:
        out.writestr(_DATABASE, database, zipfile.ZIP_DEFLATED, 1)
        media = _read_media_names(archive)
        named = {name for note in notes for name in media_in(note.text)}
        used = [name for name in media if name in named or name.startswith(OWN_NAMES) or name in looks]
        out.writestr(_MEDIA, json.dumps({str(number): name for number, name in enumerate(used)}))
        for number, name in enumerate(used):
            with archive.open(media[name]) as member, out.open(str(number), "w") as target:
                shutil.copyfileobj(member, target)


def media_in(text: str) -> Iterator[str]:
    """Yield the names of the media that fields use."""
    for found in _IN_TEXT.finditer(text):
        yield unescape(found[found.lastindex or 0])


def rename_media(text: str, renamed: Callable[[str], str]) -> str:
    """Return a field in which the media have the names that `renamed` returns for theirs."""

    def replaced(found: re.Match[str]) -> str:
        number = found.lastindex or 0
        name = unescape(found[number])
        if (new := renamed(name)) == name:
            return found[0]
        begin, end = found.span(number)
        return text[found.start() : begin] + escape(new) + text[end : found.end()]

    return _IN_TEXT.sub(replaced, text)


def read_media(source: Path, name: str) -> bytes | None:
    """Return a media file of a package that was read, or `None` if it has none of this name."""
    with zipfile.ZipFile(source) as archive:
        member = _read_media_names(archive).get(name)
        return None if member is None else archive.read(member)


def _deck(name: str, identity: int) -> dict[str, Any]:
    counts = {each: [0, 0] for each in ("newToday", "revToday", "lrnToday", "timeToday")}
    return {
        "id": identity,
        "name": name,
        "desc": "",
        "conf": 1,
        "dyn": 0,
        "mod": 0,
        "usn": 0,
        "collapsed": False,
        "browserCollapsed": True,
        "extendNew": 0,
        "extendRev": 0,
        **counts,
    }
