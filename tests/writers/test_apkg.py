"""The content of packages, read without Anki, and the cases in which no package is written."""

import io
import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import genanki
import pytest

from handmade import COLLECTION_ID, EARLIER, LATER, media_file, package, rendered
from ptcards.anki.built_in_notetypes import FIELDS, note_types
from ptcards.files import OutputError
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Deck, RenderedNote
from ptcards.writers import replaces_everything
from ptcards.writers.apkg import clean_pages, write_package

NOTES = [
    rendered("a", {"Question": "one", "Answer": "x"}, tags=("dtype", "device")),
    rendered("b", {"Question": "two", "Answer": "y", "Reversed": "1"}, mod=LATER),
    rendered("c", {"Answer": "{{c2::x}} and {{c1::y}}"}, deck="PyTorch::Loss", note_type="cloze"),
    rendered("d", {"Question": "three", "Answer": "z"}),
]


def database(path: Path) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read("collection.anki2")


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(database(path))
        return connection.execute(query).fetchall()


def column(path: Path, name: str) -> dict[str, Any]:
    """Return one of the JSON columns of `col`."""
    value: dict[str, Any] = json.loads(rows(path, f"select {name} from col")[0][0])
    return value


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_notes_and_cards_have_their_own_times_and_ids_from_the_newest(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", NOTES)
    newest = LATER * 1000
    assert rows(path, "select id, guid, mod, tags, sfld from notes order by id") == [
        (newest, "a", EARLIER, " dtype device ", "one"),
        (newest + 2, "b", LATER, "  ", "two"),
        (newest + 5, "c", EARLIER, "  ", ""),
        (newest + 8, "d", EARLIER, "  ", "three"),
    ]
    decks = {deck["name"]: deck["id"] for deck in column(path, "decks").values()}
    autograd, loss = decks["PyTorch::Autograd"], decks["PyTorch::Loss"]
    assert rows(path, "select id, nid, did, ord, mod, due from cards order by id") == [
        (newest + 1, newest, autograd, 0, EARLIER, 1),
        (newest + 3, newest + 2, autograd, 0, LATER, 2),
        (newest + 4, newest + 2, autograd, 1, LATER, 2),
        (newest + 6, newest + 5, loss, 0, EARLIER, 3),
        (newest + 7, newest + 5, loss, 1, EARLIER, 3),
        (newest + 9, newest + 8, autograd, 0, EARLIER, 4),
    ]


def test_rows_are_those_genanki_writes(tmp_path: Path) -> None:
    """Compare with genanki's own writer: decks, note types, notes and cards differ only in ids and times.

    Ours also lack what only Anki before 2.1.28 read (`req`).
    """
    path = package(tmp_path / "ours.apkg", NOTES)
    models = {int(key): model for key, model in column(path, "models").items()}
    made = {
        key: genanki.Model(
            key, model["name"], model["flds"], model["tmpls"], model["css"], model_type=model["type"]
        )
        for key, model in models.items()
    }
    by_type = {
        "qa": min(made.values(), key=lambda m: m.model_type),
        "cloze": max(made.values(), key=lambda m: m.model_type),
    }
    decks = {
        deck["name"]: genanki.Deck(deck["id"], deck["name"])
        for deck in column(path, "decks").values()
        if deck["id"] != 1
    }
    for place, note in enumerate(NOTES, 1):
        decks[note.deck].add_note(
            genanki.Note(
                by_type[note.note_type],
                list(note.fields),
                tags=note.tags,
                guid=note.guid,
                due=place,
            )
        )
    buffer = io.BytesIO()
    genanki.Package([decks[name] for name in sorted(decks)]).write_to_file(buffer, timestamp=EARLIER)
    theirs = tmp_path / "theirs.apkg"
    theirs.write_bytes(buffer.getvalue())
    for query in (
        "select guid, mid, usn, tags, flds, sfld, csum, flags, data from notes order by guid",
        """select guid, did, ord, cards.usn, type, queue, due, ivl, factor, reps, lapses, left, odue, odid,
        cards.flags, cards.data from cards join notes on nid = notes.id order by guid, ord""",
        "select conf, dconf, tags, ver from col",
        "select sql from sqlite_master",
    ):
        assert rows(path, query) == rows(theirs, query)
    without_times = [
        [{**model, "mod": 0, "did": 0, "req": []} for model in column(each, "models").values()]
        for each in (path, theirs)
    ]
    assert without_times[0] == without_times[1]


def test_parents_are_made_and_descriptions_are_markdown(tmp_path: Path) -> None:
    note = rendered("a", {"Question": "q"}, deck="A::B::C")
    path = package(tmp_path / "a.apkg", [note], decks={"A": "*All* of it"})
    decks = [deck for deck in column(path, "decks").values() if deck["name"] != "Default"]
    assert [(deck["name"], deck["desc"], deck["md"]) for deck in decks] == [
        ("A", "*All* of it", True),
        ("A::B", "", True),
        ("A::B::C", "", True),
    ]
    assert len({deck["id"] for deck in decks}) == 3
    assert all(deck["id"] > 1 for deck in decks)


def test_note_types_carry_ids_and_their_own_time(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", NOTES[:1], types_mod=LATER + 7, css="p { color: red }")
    (model,) = column(path, "models").values()
    qa = note_types(COLLECTION_ID, "PyTorch", "p { color: red }")[0]
    assert (model["id"], model["name"], model["mod"], model["css"]) == (
        str(qa.id),
        "PyTorch",
        LATER + 7,
        qa.css,
    )
    assert [(field["name"], field["id"]) for field in model["flds"]] == list(
        zip(FIELDS, range(1000, 1013), strict=True)
    )
    assert [(template["name"], template["id"]) for template in model["tmpls"]] == [
        ("Question", 501),
        ("Reversed", 502),
    ]
    assert model["req"] == []
    assert rows(path, "select min(id) from notes") == [((LATER + 7) * 1000,)]


def test_an_unused_note_type_stays_out(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", [NOTES[2]])
    assert [model["name"] for model in column(path, "models").values()] == ["PyTorch (cloze)"]


def test_each_media_file_is_packed_once_under_its_name_in_anki(tmp_path: Path) -> None:
    plan, sound = media_file(tmp_path / "plan.svg", b"<svg/>"), media_file(tmp_path / "a.mp3", b"\x00\x01")
    notes = [
        rendered("a", {"Question": "q"}, media=(plan, sound)),
        rendered("b", {"Question": "r"}, media=(plan,)),
    ]
    with zipfile.ZipFile(package(tmp_path / "a.apkg", notes)) as archive:
        listed = json.loads(archive.read("media"))
        assert listed == {"0": sound.name, "1": plan.name}
        assert archive.namelist() == ["collection.anki2", "media", "0", "1"]
        assert (archive.read("0"), archive.read("1")) == (b"\x00\x01", b"<svg/>")


def test_the_same_notes_give_the_same_bytes_anywhere(tmp_path: Path) -> None:
    media_file(tmp_path / "a.mp3", b"\x00\x01" * 500)
    program = f"""
import os, pathlib, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
os.umask(int(sys.argv[2], 8))
from handmade import media_file, package, rendered
sound = media_file(pathlib.Path({str(tmp_path / "a.mp3")!r}), b"\\0\\1" * 500)
names = {{f"PyTorch::{{n}}" for n in range(9)}}
notes = [rendered(f"g{{n}}", {{"Question": f"q{{n}}"}}, deck=f"PyTorch::{{n % 9}}", media=(sound,)) for n in range(300)]
package(pathlib.Path(sys.argv[1]), notes, decks=dict.fromkeys(names, "about"))
"""
    outputs = []
    for number, (zone, seed, umask) in enumerate(
        [("UTC", "0", "022"), ("Asia/Tokyo", "1", "077"), ("America/Lima", "2", "000")]
    ):
        temporary = tmp_path / f"tmp{number}"
        temporary.mkdir()
        out = tmp_path / f"out{number}" / "a.apkg"
        environment = {
            **os.environ,
            "TZ": zone,
            "PYTHONHASHSEED": seed,
            "TMPDIR": str(temporary),
            "LANG": "C",
        }
        subprocess.run([sys.executable, "-c", program, str(out), umask], check=True, env=environment)
        outputs.append(out.read_bytes())
        assert names(out.parent) == ["a.apkg"]
        assert names(temporary) == []
    assert outputs[0] == outputs[1] == outputs[2]
    with zipfile.ZipFile(io.BytesIO(outputs[0])) as archive:
        assert {
            (entry.date_time, entry.external_attr >> 16, entry.create_system) for entry in archive.infolist()
        } == {((1980, 1, 1, 0, 0, 0), 0o644, 3)}


def test_nothing_of_the_sqlite_version_is_in_the_database(tmp_path: Path) -> None:
    """A package of 400 notes with cards out of order has the same bytes from SQLite 3.40.1 and 3.54.1."""
    notes = [
        rendered(f"g{n}", {"Question": "q" * (n * 7 % 900)}, deck=f"D::{n * 5 % 7}") for n in range(1, 400)
    ]
    image = database(package(tmp_path / "a.apkg", notes))
    assert image[24:28] + image[92:100] == bytes(12)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(image)
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert connection.execute("pragma page_size").fetchall() == [(16384,)]


def test_what_stands_in_unused_space_is_left_out(tmp_path: Path) -> None:
    """This covers inner pages and leaves of tables and indexes, the first page, and freed space."""
    file = tmp_path / "a.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "PRAGMA page_size = 16384; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); CREATE INDEX i ON t(a);"
        )
        connection.executemany("INSERT INTO t(a) VALUES(?)", ((f"{n}" * 200,) for n in range(1, 3000)))
        connection.execute("DELETE FROM t WHERE id % 7 = 0")
        connection.commit()
    clean = b"".join(clean_pages(file))
    image = bytearray(clean)
    kinds = set()
    for at in range(0, len(image), 16384):
        header = at + (100 if at == 0 else 0)
        kinds.add(image[header])
        count, content = (int.from_bytes(image[header + place : header + place + 2]) for place in (3, 5))
        pointers = header + (8 if image[header] in (10, 13) else 12)
        image[pointers + 2 * count : at + content] = b"\xaa" * (at + content - pointers - 2 * count)
    assert kinds == {2, 5, 10, 13}
    assert image != clean
    file.write_bytes(image)
    assert b"".join(clean_pages(file)) == clean
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(clean)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("name", ["collection.apkg", "Collection.APKG", "backup-2024.apkg", "backup-.apkg"])
def test_a_name_that_would_replace_a_learners_collection_is_refused(tmp_path: Path, name: str) -> None:
    assert replaces_everything(name)
    with pytest.raises(OutputError) as refused:
        package(tmp_path / name, NOTES)
    assert (refused.value.path, refused.value.reason) == (
        tmp_path / name,
        "Anki would treat a file with this name as a backup and replace the learner's collection",
    )
    assert names(tmp_path) == []


def test_other_names_are_not_refused() -> None:
    harmless = ["my-collection.apkg", "collection-deck.apkg", "backup.apkg", "collection.csv"]
    assert [name for name in harmless if replaces_everything(name)] == []


def test_a_media_file_that_changed_since_it_was_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    path = package(tmp_path / "out" / "a.apkg", NOTES)
    before = path.read_bytes()
    plan = media_file(tmp_path / "plan.svg", b"<svg/>")
    plan.file.write_bytes(b"<svg></svg>")
    with pytest.raises(OutputError, match=r"plan\.svg` changed during the build"):
        package(path, [rendered("a", {"Question": "q"}, media=(plan,))])
    plan.file.unlink()
    with pytest.raises(OutputError, match=r"`.*plan\.svg` cannot be read: no such file"):
        package(path, [rendered("a", {"Question": "q"}, media=(plan,))])
    assert path.read_bytes() == before
    assert names(path.parent) == ["a.apkg"]


@pytest.mark.parametrize(
    "notes",
    [
        [rendered("a", {"Question": "<br>", "Answer": "x"})],
        [rendered("a", {"Answer": "{{c1::}"}, note_type="cloze")],
        [rendered("a", {"Question": "x\x1fy"})],
        [NOTES[0]._replace(fields=("one", "two"))],
        [NOTES[0], NOTES[0]],
    ],
    ids=["blank-question", "open-deletion", "separator", "field-count", "guid-twice"],
)
def test_what_anki_would_refuse_or_hide_never_gets_into_a_package(
    tmp_path: Path, notes: list[RenderedNote]
) -> None:
    with pytest.raises(ValueError, match=r"not a note for Anki|two notes with"):
        package(tmp_path / "a.apkg", notes)
    assert names(tmp_path) == []


def test_a_thousand_decks_are_written_once_each(tmp_path: Path) -> None:
    """genanki rewrites all decks for each deck, which takes 4 s and leaves a megabyte of unused pages."""
    notes = [rendered(f"g{n}", {"Question": "q"}, deck=f"D::{n:04}") for n in range(1000)]
    path = package(tmp_path / "a.apkg", notes)
    assert len(column(path, "decks")) == 1002
    (pages,) = rows(path, "pragma freelist_count")
    assert pages == (0,)


def test_the_members_of_a_package_tell_nothing_of_when_and_where_it_was_made(tmp_path: Path) -> None:
    with zipfile.ZipFile(package(tmp_path / "a.apkg", NOTES)) as archive:
        told = {
            (each.filename, each.date_time, each.external_attr, each.create_system)
            for each in archive.infolist()
        }
    assert told == {(name, (1980, 1, 1, 0, 0, 0), 0o644 << 16, 3) for name in ("collection.anki2", "media")}


def test_a_package_without_notes_can_be_written(tmp_path: Path) -> None:
    types: list[tuple[NoteType, int]] = [(each, EARLIER) for each in note_types(COLLECTION_ID, "PyTorch", "")]
    decks = [Deck("A", "")]
    write_package(path=tmp_path / "a.apkg", note_types=types, decks=decks, rows=[], newest=1)
    assert rows(tmp_path / "a.apkg", "select count(*) from notes") == [(0,)]


def test_a_disk_that_is_full_before_the_database_is_made_is_an_output_error(tmp_path: Path) -> None:
    path = package(tmp_path / "a.apkg", NOTES)
    before = path.read_bytes()
    program = f"""
import pathlib, resource, signal, sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from handmade import package, rendered
from ptcards.files import OutputError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    package(pathlib.Path({str(path)!r}), [rendered("b", {{"Question": "two"}})])
except OutputError as failure:
    print(failure.path.name, failure.reason)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout in ("a.apkg disk I/O error\n", "a.apkg database or disk is full\n")
    assert path.read_bytes() == before
    assert names(tmp_path) == ["a.apkg"]


def test_decks_whose_names_have_one_hash_stay_two(tmp_path: Path) -> None:
    """These two names were found among a million. Anki would treat decks with one id as one deck."""
    notes = [rendered(name, {"Question": "q"}, deck=name) for name in ("D56101", "D891669")]
    path = package(tmp_path / "a.apkg", notes)
    decks = {deck["name"]: deck["id"] for deck in column(path, "decks").values()}
    assert decks["D891669"] == decks["D56101"] + 1
    homes = rows(path, "select guid, did from notes join cards on nid = notes.id order by guid")
    assert homes == [(name, decks[name]) for name in ("D56101", "D891669")]
