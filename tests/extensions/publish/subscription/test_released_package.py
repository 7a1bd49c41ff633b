"""Packages of releases: a stranger's is read within limits or refused, and Anki reads what we write."""

import json
import sqlite3
import struct
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anki_backend import assert_healthy, import_package, learner
from following import START, Author, geo_type
from ptcards.extensions.publish.subscription.package import (
    AnkiNoteType,
    AnkiTemplate,
    Description,
    RefusedPackageError,
    ReleasedCard,
    ReleasedNote,
    media_in,
    read_media,
    read_package,
    write_package,
)
from ptcards.notes.notetypes import Template

Change = Callable[[sqlite3.Connection], object]


@pytest.fixture
def author(tmp_path: Path) -> Author:
    author = Author(tmp_path / "dist", media={"a-11111111.png": b"one", "_font.woff2": b"two"})
    author.descriptions = {"Geo": "About"}
    author.put("n0", 'Question <img src="a-11111111.png">', "Answer", "more", tags="one two")
    author.put("n1", "Question 1", "Answer 1", deck="Geo::Rivers")
    author.release("1")
    return author


def test_a_package_is_read(author: Author) -> None:
    package = read_package(author.file)
    nid = package.notes["n0"].nid
    assert package.notes == {
        "n0": ReleasedNote(
            nid,
            "n0",
            1_600_000_000_001,
            START + 10,
            "one two",
            'Question <img src="a-11111111.png">\x1fAnswer\x1fmore',
            "Geo",
            (ReleasedCard(nid + 1, 0, 1), ReleasedCard(nid + 2, 1, 1)),
        ),
        "n1": package.notes["n1"],
    }
    assert package.notes["n1"].deck == "Geo::Rivers"
    assert package.types == {
        1_600_000_000_001: AnkiNoteType(
            1_600_000_000_001,
            "Geo",
            START,
            ".card {}",
            False,
            ((11, "Front"), (12, "Back"), (13, "Extra")),
            (
                AnkiTemplate(21, "Card 1", "{{Front}}", "{{FrontSide}}<hr id=answer>{{Back}}", "", ""),
                AnkiTemplate(22, "Card 2", "{{#Extra}}{{Back}}{{/Extra}}", "{{FrontSide}}{{Front}}", "", ""),
            ),
            tags=(None, None, None),
        )
    }
    assert package.descriptions == {
        "Default": Description("", False),
        "Geo": Description("About", True),
        "Geo::Rivers": Description("", True),
    }
    assert {*package.media} == {"a-11111111.png", "_font.woff2"}
    assert read_media(author.file, "a-11111111.png") == b"one"
    assert read_media(author.file, "b.png") is None


def test_what_is_written_can_be_read_again_and_imported(author: Author, tmp_path: Path) -> None:
    package, copy = read_package(author.file), tmp_path / "copy.apkg"
    types = [each.in_anki(each.id) for each in package.types.values()]
    write_package(copy, author.file, [*package.notes.values()], types)
    again = read_package(copy)
    assert (again.notes, again.types) == (package.notes, package.types)
    assert {name: read_media(copy, name) for name in again.media} == author.media
    with learner(tmp_path / "anna") as col:
        assert import_package(col, copy) == {"new": 2}
        assert import_package(col, author.file) == {"duplicate": 2}
        assert_healthy(col)
    write_package(copy, author.file, [package.notes["n1"]], types)
    assert {*read_package(copy).media} == {"_font.woff2"}


def test_the_media_of_a_field_are_found() -> None:
    text = '<img src="a.png"><img alt=x src=\'b c.png\'><img src=d&amp;e.png>[sound:f.mp3]<video poster="g.png">h.png'
    assert [*media_in(text)] == ["a.png", "b c.png", "d&e.png", "f.mp3", "g.png"]


def changed(package: Path, change: Change) -> Path:
    """Return a copy of a package whose database was changed."""
    file = package.with_name("changed.apkg")
    database = package.with_name("changed.anki2")
    with zipfile.ZipFile(package) as archive:
        database.write_bytes(archive.read("collection.anki2"))
        with closing(sqlite3.connect(database)) as connection:
            change(connection)
            connection.commit()
        with zipfile.ZipFile(file, "w") as out:
            for name in archive.namelist():
                content = database.read_bytes() if name == "collection.anki2" else archive.read(name)
                out.writestr(name, content, zipfile.ZIP_DEFLATED)
    return file


def sql(*statements: str) -> Change:
    return lambda connection: [connection.execute(each) for each in statements]


def in_json(column: str, change: Callable[[Any], object]) -> Change:
    """Return a change of the note types or decks."""

    def edit(connection: sqlite3.Connection) -> None:
        value = json.loads(connection.execute(f"select {column} from col").fetchone()[0])
        change(next(iter(value.values())) if column == "models" else value)
        connection.execute(f"update col set {column} = ?", (json.dumps(value),))

    return edit


def deck_called(name: object) -> Change:
    def rename(decks: Any) -> None:
        for deck in decks.values():
            if deck["name"] == "Geo":
                deck["name"] = name

    return in_json("decks", rename)


CHANGES: dict[str, tuple[Change, str]] = {
    "a trigger": (
        sql("create trigger t after insert on notes begin delete from cards; end"),
        "has a database with other tables",
    ),
    "a view": (sql("create view v as select * from notes"), "has a database with other tables"),
    "another table": (sql("create table x (id)"), "has a database with other tables"),
    "a missing table": (sql("drop table graves"), "has a database with other tables"),
    "a virtual table": (
        sql("drop table graves", "create virtual table graves using fts5(usn)"),
        "has a database with other tables",
    ),
    "a generated column": (
        sql("alter table graves add column x as (zeroblob(1000000000))"),
        "has a database with other tables",
    ),
    "a check": (
        sql("drop table graves", "create table graves (usn integer check (randomblob(9) > 1), oid, type)"),
        "has a database with other tables",
    ),
    "two collections": (
        sql(
            "insert into col select 2, crt, mod, scm, ver, dty, usn, ls, conf, models, decks, dconf, tags from col"
        ),
        "has a damaged database",
    ),
    "a GUID twice": (sql("update notes set guid = 'n0'"), "has the note n0 twice"),
    "no GUID": (sql("update notes set guid = ''"), "that Anki cannot have"),
    "a GUID with a line": (sql("update notes set guid = 'a\nb' where guid = 'n0'"), "that Anki cannot have"),
    "a GUID that is a number": (sql("update notes set guid = x'00'"), "a value of the wrong type"),
    "a note without cards": (sql("delete from cards"), "has a note n0 without the right cards"),
    "too few fields": (sql("update notes set flds = 'one'"), "has a note n0 with the wrong number of fields"),
    "too many fields": (
        sql("update notes set flds = flds || x'1f' || 'four'"),
        "has a note n0 with the wrong number of fields",
    ),
    "fields that are a blob": (sql("update notes set flds = x'61ff'"), "a value of the wrong type"),
    "fields that are not text": (
        sql("update notes set flds = cast(x'61ff' as text)"),
        "has a damaged database",
    ),
    "an unknown note type": (sql("update notes set mid = 1"), "has a note n0 of an unknown note type"),
    "no time": (sql("update notes set mod = 0"), "that Anki cannot have"),
    "a time far away": (sql("update notes set mod = 9223372036854775807"), "that Anki cannot have"),
    "a card without a deck": (sql("update cards set did = 7"), "without a place"),
    "a negative place": (sql("update cards set due = -1"), "without a place"),
    "a place far away": (sql("update cards set due = 2000001"), "without a place"),
    "a card of no template": (
        sql("update cards set ord = 2 where ord = 1"),
        "has a note n0 without the right cards",
    ),
    "a card twice": (sql("update cards set ord = 0"), "has a note n0 without the right cards"),
    "cards in two decks": (
        sql(
            "update cards set did = (select min(did) from cards) where ord = 0",
            "update cards set did = (select max(did) from cards) where ord = 1",
        ),
        "in a wrong deck",
    ),
    "cards in the default deck": (sql("update cards set did = 1"), "in a wrong deck"),
    "note types that are a list": (sql("update col set models = '[]'"), "has a damaged database"),
    "note types that are not JSON": (sql("update col set models = '{'"), "has a damaged database"),
    "note types that are nested": (
        sql("update col set models = printf('%.*c', 99999, '[')"),
        "has a damaged database",
    ),
    "a note type without fields": (
        in_json("models", lambda each: each.update(flds=[])),
        "has a note type that Anki",
    ),
    "a note type with a field twice": (
        in_json("models", lambda each: each["flds"].append(each["flds"][0])),
        "has a note type that Anki",
    ),
    "CSS that is a number": (in_json("models", lambda each: each.update(css=7)), "has a note type that Anki"),
    "a template that is a list": (
        in_json("models", lambda each: each.update(tmpls=[[]])),
        "has a note type that Anki",
    ),
    "a note type of another kind": (
        in_json("models", lambda each: each.update(type=2)),
        "has a note type that Anki",
    ),
    "a name with half a character": (
        in_json("models", lambda each: each.update(name="\ud800")),
        "has a note type that",
    ),
    "a deck without a name": (deck_called(""), "has a deck that Anki cannot have"),
    "a deck whose name is a number": (deck_called(7), "has a deck that Anki cannot have"),
    "a deck with a control character": (deck_called("a\x1fb"), "has a deck that Anki cannot have"),
    "a deck too deep": (deck_called("::".join("abcdefghijkl")), "has a deck that Anki cannot have"),
    "a deck without a level": (deck_called("a::::b"), "has a deck that Anki cannot have"),
    "two decks of one name": (deck_called("geo::rivers"), "has two decks of one name"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_strange_database_is_refused(author: Author, what: str) -> None:
    change, message = CHANGES[what]
    with pytest.raises(RefusedPackageError) as raised:
        read_package(changed(author.file, change))
    assert message in str(raised.value)


def test_pages_that_refer_to_each_other_are_refused(author: Author) -> None:
    """A tree whose branches are one and the same branch has more rows than anybody can read."""

    def tie(connection: sqlite3.Connection) -> None:
        connection.execute("pragma writable_schema=on")
        connection.execute(
            "update sqlite_master set rootpage = (select rootpage from sqlite_master where name = 'cards')"
            " where name = 'notes'"
        )

    with pytest.raises(RefusedPackageError):
        read_package(changed(author.file, tie))


def members(package: Path, **changes: bytes | None) -> dict[str, bytes]:
    with zipfile.ZipFile(package) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    return {name: content for name, content in (found | changes).items() if content is not None}


def zipped(file: Path, contents: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(file, "w", method) as out:
        for name, content in contents.items():
            out.writestr(name, content)
    return file


def media(*names: object) -> bytes:
    return json.dumps({str(number): name for number, name in enumerate(names)}).encode()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"collection.anki2": None}, "lacks files, or has one twice"),
        ({"media": None}, "lacks files, or has one twice"),
        ({"collection.anki21": b"x"}, "has files that ptcards never writes"),
        ({"meta": b"x"}, "has files that ptcards never writes"),
        ({"../x": b"x"}, "has files that ptcards never writes"),
        ({"a/0": b"x"}, "has files that ptcards never writes"),
        ({"²": b"x"}, "has files that ptcards never writes"),
        ({"media": b"[]"}, "lists media that it lacks"),
        ({"media": b"{"}, "is damaged"),
        ({"media": b"[" * 100_000}, "is damaged"),
        ({"media": b'{"7": "a.png"}'}, "lists media that it lacks"),
        ({"media": media("../a.png")}, "has a media file whose name leads elsewhere"),
        ({"media": media("a\\b.png")}, "has a media file whose name leads elsewhere"),
        ({"media": media("/etc/passwd")}, "has a media file whose name leads elsewhere"),
        ({"media": media("C:evil.png")}, "has a media file whose name leads elsewhere"),
        ({"media": media(".hidden")}, "has a media file whose name leads elsewhere"),
        ({"media": media("")}, "has a media file whose name leads elsewhere"),
        ({"media": media(7)}, "has a media file whose name leads elsewhere"),
        ({"media": media("a\0.png")}, "has a media file whose name leads elsewhere"),
        ({"media": media("a.png", "A.PNG")}, "has two media files of one name"),
        ({"collection.anki2": b""}, "has a database that is empty or too large"),
        ({"collection.anki2": b"no database" * 1000}, "has a damaged database"),
    ],
)
def test_strange_files_are_refused(author: Author, changes: dict[str, bytes | None], message: str) -> None:
    with pytest.raises(RefusedPackageError) as raised:
        read_package(zipped(author.file.with_name("x.apkg"), members(author.file, **changes)))
    assert message in str(raised.value)


def test_a_package_that_unpacks_to_too_much_is_refused_unread(author: Author, tmp_path: Path) -> None:
    contents = members(author.file)
    contents |= {str(number): bytes(70 << 20) for number in (5,)}
    contents["media"] = media("a.png", "b.png")
    bomb = zipped(tmp_path / "bomb.apkg", contents)
    assert bomb.stat().st_size < 1 << 20
    with pytest.raises(RefusedPackageError) as raised:
        read_package(bomb)
    assert str(raised.value) == "unpacks to too much"


def test_a_package_with_too_many_files_is_refused(author: Author, tmp_path: Path) -> None:
    contents = members(author.file) | {str(number): b"" for number in range(2, 20_001)}
    with pytest.raises(RefusedPackageError) as raised:
        read_package(zipped(tmp_path / "many.apkg", contents, zipfile.ZIP_STORED))
    assert str(raised.value) == "has over 20,000 files"


def test_a_file_that_is_larger_than_its_entry_says_is_not_read_further(
    author: Author, tmp_path: Path
) -> None:
    """The entry of `media` claims ten bytes, and its data unpack to a hundred million."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(100_000_000)) + packer.flush()
    file = tmp_path / "lie.apkg"
    honest = zipped(file, {"collection.anki2": members(author.file)["collection.anki2"]}).read_bytes()
    start, end = honest.rindex(b"PK\x01\x02"), honest.rindex(b"PK\x05\x06")
    about = struct.pack("<5H3I2H", 20, 0, 8, 0, 33, 0, len(packed), 10, 5, 0)
    member = b"PK\x03\x04" + about + b"media" + packed
    place = struct.pack("<3H2I", 0, 0, 0, 0, start)
    entries = honest[start:end] + b"PK\x01\x02" + struct.pack("<H", 20) + about + place + b"media"
    tail = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 2, 2, len(entries), start + len(member), 0)
    file.write_bytes(honest[:start] + member + entries + tail)
    with pytest.raises(RefusedPackageError) as raised:
        read_package(file)
    assert str(raised.value).startswith("is damaged")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_kinds_of_compression_are_refused(author: Author, method: int, tmp_path: Path) -> None:
    with pytest.raises(RefusedPackageError) as raised:
        read_package(zipped(tmp_path / "x.apkg", members(author.file), method))
    assert str(raised.value) == "is packed in an unknown way"


@pytest.mark.parametrize("cut", [0, 1, 100, 1000, -1, -30])
def test_a_cut_package_is_refused(author: Author, cut: int, tmp_path: Path) -> None:
    file = tmp_path / "cut.apkg"
    file.write_bytes(author.file.read_bytes()[:cut])
    with pytest.raises(RefusedPackageError) as raised:
        read_package(file)
    assert str(raised.value).startswith("is damaged")


@pytest.mark.slow
def test_no_changed_byte_makes_the_reader_fail_in_another_way(author: Author, tmp_path: Path) -> None:
    content, file = author.file.read_bytes(), tmp_path / "byte.apkg"
    for place in range(0, len(content), max(1, len(content) // 700)):
        broken = bytearray(content)
        broken[place] ^= 0xFF
        file.write_bytes(broken)
        try:
            read_package(file)
        except RefusedPackageError:
            continue


def test_a_template_of_a_cloze_is_alone(author: Author) -> None:
    kind = geo_type()
    assert isinstance(kind.templates[0], Template)
    with pytest.raises(RefusedPackageError):
        read_package(changed(author.file, in_json("models", lambda each: each.update(type=1))))
