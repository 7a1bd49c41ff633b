"""Packages of every format are read, and others are refused."""

import json
import os
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from packages import a_database, write_zip, written_files
from ptcards.extensions.importing.package import is_safe
from ptcards.extensions.importing.protobuf import read_message

Run = Callable[..., Ran]

NO_FIELDS = "`Basic` has no fields or no templates"


def _refused(ran: Ran) -> tuple[int, str]:
    """Return the status and the first line of the message."""
    assert ran.out == ""
    return ran.status, ran.err.partition("\n")[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "this is not an Anki package"),
        (b"## One?\n", "this is not an Anki package"),
        (b"SQLite format 3\0", "this is not an Anki package"),
        (b"\x7fELF\0\0\0", "this is not an Anki package"),
        (b"<html>", "this is not an Anki package"),
    ],
)
def test_what_is_no_zip_file_is_named(ptcards: Run, tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "deck.apkg"
    file.write_bytes(content)
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (
        2,
        f"deck.apkg: error[no-package] {said}",
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_is_not_waited_for(ptcards: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "deck.apkg")
    said = "deck.apkg: error[no-package] the file cannot be read: not a regular file"
    assert _refused(ptcards("import", tmp_path / "deck.apkg", tmp_path / "out")) == (2, said)


def test_a_link_to_a_package_is_followed(ptcards: Run, tmp_path: Path) -> None:
    write_zip(tmp_path / "real", {"collection.anki2": a_database(tmp_path)})
    (tmp_path / "deck.apkg").symlink_to(tmp_path / "real")
    assert ptcards("import", tmp_path / "deck.apkg", tmp_path / "out").status == 0


def test_a_zip_file_without_a_collection_is_named_by_what_it_holds(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"a.txt": b"", "b.txt": b""})
    said = "deck.apkg: error[no-package] a zip file without a collection: it contains `a.txt`, `b.txt`"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_package_that_was_cut_off_is_refused(ptcards: Run, tmp_path: Path, kept: float) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path)})
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * kept)])
    said = "deck.apkg: error[damaged-package] the package is damaged: its list of files is missing"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DROP TABLE notes", "`notes` is missing"),
        ("UPDATE notes SET flds = 7", "note 1 has values of the wrong type"),
        ("UPDATE notes SET flds = x'ff'", "note 1 has values of the wrong type"),
        ("UPDATE notes SET mid = 8", "a note has no note type"),
        ("UPDATE col SET models = '[]'", "its database was not written by Anki"),
        ("""UPDATE col SET models = json_set(models, '$.7.flds', json('[]'))""", NO_FIELDS),
        ("""UPDATE col SET models = json_set(models, '$.7.tmpls', json('[]'))""", NO_FIELDS),
        (
            r"""UPDATE col SET models = replace(models, '"css": ""', '"css": "\ud800"')""",
            "its database was not written by Anki",
        ),
        ("UPDATE col SET decks = '{'", "its database was not written by Anki"),
        (
            "ALTER TABLE notes ADD COLUMN more AS (hex(zeroblob(1000000000)))",
            "`notes` has computed columns",
        ),
    ],
)
def test_a_database_with_something_else_in_it_is_refused(
    ptcards: Run, tmp_path: Path, statement: str, said: str
) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, statement)})
    status, line = _refused(ptcards("import", file, tmp_path / "out", "--fresh"))
    assert (status, line) == (
        2,
        f"deck.apkg: error[damaged-package] the package is damaged: {said}",
    )
    assert not (tmp_path / "out").exists()


def test_a_view_in_the_place_of_a_table_is_refused(ptcards: Run, tmp_path: Path) -> None:
    view = (
        "CREATE VIEW notes AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    )
    database = a_database(tmp_path, "DROP TABLE notes", view)
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    said = "deck.apkg: error[damaged-package] the package is damaged: `notes` is not a table"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


def test_a_view_is_found_in_any_case_of_its_letters(ptcards: Run, tmp_path: Path) -> None:
    view = (
        "CREATE VIEW DECKS AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    )
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, view)})
    said = "deck.apkg: error[damaged-package] the package is damaged: `DECKS` is not a table"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (2, said)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE notes SET guid = 'a' || char(9) || 'qa' || char(10) || 'note'",
        "UPDATE notes SET guid = ''",
        "UPDATE notes SET guid = 'a' || char(7)",
        "UPDATE notes SET guid = printf('%.300c', 'x')",
        "UPDATE notes SET mod = 4611686018427387904",
        "UPDATE notes SET id = -5; UPDATE cards SET nid = -5",
    ],
)
def test_what_no_lock_can_hold_is_refused(ptcards: Run, tmp_path: Path, statement: str) -> None:
    database = a_database(tmp_path, *statement.split("; "))
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    cause = "1 with a GUID, a time or an id that no lock can contain"
    said = f"deck.apkg: error[no-notes] no note can be imported: {cause}"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (1, said)
    assert not (tmp_path / "out").exists()


def test_many_small_members_are_no_way_to_a_full_disk(
    ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ptcards.extensions.importing.package.MAX_TOTAL_BYTES", 1 << 20)
    names = [f"_{number}.png" for number in range(4)]
    media = json.dumps({str(number): name for number, name in enumerate(names)}).encode()
    members = {str(number): bytes(300_000) for number in range(4)}
    file = write_zip(
        tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path), "media": media} | members
    )
    said = "deck.apkg: error[unsafe-package] the package unpacks to over 1 MB"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (1, said)
    assert not (tmp_path / "out").exists()


def test_random_bytes_for_a_database_are_refused(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(
        tmp_path / "deck.apkg", {"collection.anki2": b"SQLite format 3\0" + bytes(range(256)) * 9}
    )
    said = "deck.apkg: error[damaged-package] the package is damaged: its database cannot be read (file is not a database)"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


def test_a_later_schema_is_refused(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, schema=19)})
    said = "deck.apkg: error[unknown-schema] the collection has schema 19; ptcards reads 11 and 14 to 18"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


def test_a_bomb_is_refused_before_it_is_unpacked(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": bytes(8 << 20)})
    said = "deck.apkg: error[unsafe-package] `collection.anki2` unpacks to over 1 GB or 200 times its size"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (1, said)


def test_too_many_files_are_refused(ptcards: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptcards.extensions.importing.package.MAX_MEMBERS", 1)
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path), "media": b"{}"})
    said = "deck.apkg: error[unsafe-package] the package contains 2 files, over 1"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (1, said)


@pytest.mark.parametrize("name", ["../x.png", "a/b.png", "a\\b.png", "a\nb.png", "", "..", "C:x.png", ".git"])
def test_a_media_name_that_leads_elsewhere_is_refused(ptcards: Run, tmp_path: Path, name: str) -> None:
    media = json.dumps({"0": name}).encode()
    file = write_zip(
        tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path), "media": media, "0": b"x"}
    )
    status, line = _refused(ptcards("import", file, tmp_path / "out", "--fresh"))
    assert (status, line.partition("] ")[0]) == (1, "deck.apkg: error[unsafe-name")
    assert sorted(tmp_path.rglob("*")) == [file, tmp_path / "made.sqlite"]


def test_names_of_files_may_have_spaces_and_all_letters() -> None:
    assert [name for name in ("a b.png", "ü.mp3", "_font.woff2", "x" * 256) if is_safe(name)] == [
        "a b.png",
        "ü.mp3",
        "_font.woff2",
    ]


def test_the_mark_of_write_ahead_logging_is_no_obstacle(ptcards: Run, tmp_path: Path) -> None:
    database = bytearray(a_database(tmp_path))
    database[18:20] = b"\x02\x02"
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": bytes(database)})
    assert ptcards("import", file, tmp_path / "out", "--fresh", "--dry-run", "-v").out == (
        "Read deck.apkg: 1 note (Anki 2.0 package)\n"
        "Converted the note type Basic: 2 fields, 1 template, 1 note\n"
        "decks    Geo (1 note)\n"
        "fields   2 as Markdown\n"
        "Would write out/: 1 note in 1 file\n"
    )
    assert not (tmp_path / "out").exists()


def test_an_encrypted_package_is_refused(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path)})
    content = bytearray(file.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + at] |= 1
    file.write_bytes(content)
    status, line = _refused(ptcards("import", file, tmp_path / "out", "--fresh"))
    assert (status, line.partition("] ")[0]) == (2, "deck.apkg: error[damaged-package")


def test_a_package_is_compared_with_its_checksums(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path)})
    with zipfile.ZipFile(file) as archive:
        at = archive.getinfo("collection.anki2").header_offset
    content = bytearray(file.read_bytes())
    content[at + 400] ^= 0xFF
    file.write_bytes(content)
    status, line = _refused(ptcards("import", file, tmp_path / "out", "--fresh"))
    assert (status, line.partition("] ")[0]) == (2, "deck.apkg: error[damaged-package")


def test_numbers_of_64_bits_have_a_sign_in_both_formats() -> None:
    number = -504120903951256933
    varint = bytearray()
    rest = number % (1 << 64)
    while rest > 127:
        varint.append(rest & 127 | 128)
        rest >>= 7
    message = read_message(b"\x08" + bytes([*varint, rest]) + b"\x11" + struct.pack("<q", number))
    assert (message.number(1), message.number(2), message.number(3)) == (number, number, None)


@pytest.mark.parametrize(
    "content", [b"\x0a\x05abc", b"\x08\xff", b"\x08" + b"\xff" * 11, b"\x0b", b"\x0d\x01"]
)
def test_a_message_that_is_none_is_an_error(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"wire|ends|number"):
        read_message(content)


def test_a_list_of_media_of_any_depth_is_refused(ptcards: Run, tmp_path: Path) -> None:
    members = {"collection.anki2": a_database(tmp_path), "media": b"[" * 200_000}
    file = write_zip(tmp_path / "deck.apkg", members)
    said = "deck.apkg: error[damaged-package] the package is damaged: its list of media cannot be read"
    assert _refused(ptcards("import", file, tmp_path / "out", "--fresh")) == (2, said)


def test_the_name_of_a_field_begins_no_question(ptcards: Run, tmp_path: Path) -> None:
    more = r"""[{"name": "x\n\n## Injected\n\nbody", "ord": 2}, {"name": "Front","""
    database = a_database(
        tmp_path,
        f"""UPDATE col SET models = replace(models, '[{{"name": "Front",', '{more}')""",
        "UPDATE notes SET flds = flds || char(31) || 'more'",
    )
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    assert ptcards("import", file, tmp_path / "out", "--fresh").status == 0
    written = written_files(tmp_path / "out")["geo.md"].decode()
    assert (
        written == '---\ndeck: ""\n---\n\n## France\n\nParis\n\n### Details\n\n**x ## Injected body** more\n'
    )


def test_a_note_type_that_no_collection_can_have_is_refused_before_anything_is_there(
    ptcards: Run, tmp_path: Path
) -> None:
    renamed = "UPDATE col SET models = json_set(models, '$.7.name', 'a' || char(9) || 'b')"
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, renamed)})
    cause = "1 of the note type `a b`, which cannot be kept: `name` must be text"
    said = f"deck.apkg: error[no-notes] no note can be imported: {cause}"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (1, said)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("options", [(), ("--fresh",)], ids=["adopted", "fresh"])
def test_rewritten_tags_are_listed_by_count_and_example(
    options: tuple[str, ...], ptcards: Run, tmp_path: Path
) -> None:
    tags = """' "q" a,b a,b x' || char(8203) || ' ok::ok marked Leech '"""
    more = (
        f"UPDATE notes SET tags = {tags}",
        "INSERT INTO notes VALUES (2, 'h', 7, 1, 'a,b fine', 'Two?' || char(31) || '2')",
        "INSERT INTO cards VALUES (2, 2, 5, 0, 0)",
    )
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, *more)})
    ran = ptcards("import", file, tmp_path / "out", *options)
    assert (ran.status, [line for line in ran.out.splitlines() if line.startswith("tags")]) == (
        0,
        ["tags     4 rewritten, such as `a,b` as `a_b`; 1 left out, such as `x<U+200B>`"],
    )
    text = (tmp_path / "out" / "geo.md").read_text("utf-8")
    assert re.findall(r"tags=(\S+)", text) == ["q,a_b,a_b,ok::ok", "a_b,fine"]
    asked = ("--dry-run", "--format", "json", *options)
    assert json.loads(ptcards("import", file, tmp_path / "again", *asked).out)["tags"] == [
        {"tag": "a,b", "written": "a_b", "count": 3},
        {"tag": '"q"', "written": "q", "count": 1},
        {"tag": "x\u200b", "written": "", "count": 1},
    ]


def test_names_of_decks_may_be_longer_than_those_of_files(ptcards: Run, tmp_path: Path) -> None:
    decks = json.dumps({"5": {"name": "ü" * 200 + "::" + "ä" * 300}}, ensure_ascii=False)
    database = a_database(tmp_path, f"UPDATE col SET decks = '{decks}'")
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    assert ptcards("import", file, tmp_path / "out").status == 0
    assert ptcards("build", tmp_path / "out", "-o", tmp_path / "built").status == 0
    assert "ä" * 100 + ".md" in written_files(tmp_path / "out")
    assert [each.name for each in (tmp_path / "built").glob("*.apkg")] == ["ü" * 100 + ".apkg"]


def test_decks_that_are_one_to_anki_are_named_without_the_folder_that_was_written(
    ptcards: Run, tmp_path: Path
) -> None:
    decks = json.dumps({"5": {"name": "A::b"}, "6": {"name": "A::B"}})
    more = (
        "INSERT INTO notes VALUES (2, 'h', 7, 1, '', 'Two?' || char(31) || '2')",
        "INSERT INTO cards VALUES (2, 2, 6, 0, 0)",
    )
    database = a_database(tmp_path, f"UPDATE col SET decks = '{decks}'", *more)
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    said = "`A::b` and `A::B` (deck.apkg/b-2.md:1) are the same deck to Anki"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (
        1,
        f"deck.apkg: error[deck-name-clash] {said}",
    )


def test_a_template_of_over_256_kb_is_refused_with_its_name_and_size(ptcards: Run, tmp_path: Path) -> None:
    grown = "UPDATE col SET models = replace(models, '{{Back}}', '{{Back}}' || printf('%.300000c', 'x'))"
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, grown)})
    why = "`card-1.back.html` has 292 KB, and a template at most 256 KB"
    cause = f"1 of the note type `Basic`, which cannot be kept: {why}"
    said = f"deck.apkg: error[no-notes] no note can be imported: {cause}"
    assert _refused(ptcards("import", file, tmp_path / "out")) == (1, said)
    assert not (tmp_path / "out").exists()
    assert ptcards("import", file, tmp_path / "out", "--fresh").status == 0
