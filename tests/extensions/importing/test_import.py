"""`ptcards import`: packages of the real Anki become collections."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection

from conftest import Ran
from packages import FORMATS, PICTURE, Exported, a_database, add, export, write_zip, written_files

Run = Callable[..., Ran]


def _fill(collection: Collection) -> None:
    """Add a note of each stock note type, pictures and a sound, and decks of several levels."""
    collection.media.write_data("map 1.png", PICTURE)
    collection.media.write_data("a.mp3", b"ID3")
    collection.media.write_data("_font.woff2", b"wOF2")
    add(collection, "Basic", "Geo", "What is the capital of <b>France</b>?", "Paris<br>", tags="a::b leech")
    add(collection, "Basic", "Geo::Maps", '<img src="map 1.png">', "[sound:a.mp3]")
    add(
        collection,
        "Basic",
        "Geo::Maps",
        "What does this show?<pre>a\n  b</pre>",
        "<div>Two</div><div>lines</div>",
    )
    add(collection, "Basic (and reversed card)", "Geo::Words::Ünï", "dog", "Hund", tags="a,b")
    add(collection, "Basic (type in the answer)", "Geo::Words::Ünï", "cat", "Katze")
    add(collection, "Cloze", "Geo::Words::Ünï", "{{c1::Paris}} is in {{c2::France::country}}.", "A note")
    add(collection, "Basic", "Geo::Words::Ünï", "Which is red?", '<span style="color: red">this</span>')
    add(collection, "Basic", "Geo::Words::Ünï", "no answer", "")
    add(collection, "Basic", "Geo::Words::Ünï", "dog", "<b>Hund</b>, too")
    add(collection, "Basic", "Geo::Words::Ünï", "dog", "<b>Hund</b>, too")


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export(tmp_path_factory.mktemp("exported"), _fill)


DOCUMENTED = {
    ".gitattributes": "deck.lock merge=union\n",
    ".gitignore": "build/\n",
    "deck.toml": (
        'name = "Geo"\nid = "geo1"  # identifies this collection in Anki; never change it\n'
        '# license = "CC BY 4.0"  # before you share the deck, write what its author allows\n'
    ),
    "geo.md": (
        '---\ndeck: ""\n---\n\n## What is the capital of **France**?\n<!-- card: tags=a::b -->\n\nParis\n'
    ),
    "maps.md": (
        '---\ndeck: "Maps"\n---\n'
        "\n## ![](media/map%201.png)\n\n![](media/a.mp3)\n"
        "\n## What does this show?\n\n```\na\n  b\n```\n\n### Answer\n\nTwo\n\nlines\n"
    ),
    "ünï.md": (
        '---\ndeck: "Words::Ünï"\n---\n'
        "\n## dog\n<!-- card: kind=reversed tags=a_b -->\n\nHund\n"
        "\n## cat\n<!-- card: kind=typed -->\n\nKatze\n"
        "\n## {{c1::Paris}} is in {{c2::France::country}}.\n<!-- card: kind=cloze -->\n\n### Details\n\nA note\n"
        "\n## Which is red?\n\nthis\n"
        "\n## dog (2)\n\n**Hund**, too\n"
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_fresh_import_of_each_format_writes_the_same_folder(
    ptcards: Run, tmp_path: Path, exported: Exported, name: str
) -> None:
    choice = ("--deck", "Geo") if name == "colpkg" else ()
    ran = ptcards("import", exported.packages[name], tmp_path / "geo", "--fresh", "--id", "geo1", *choice)
    assert (ran.status, ran.err) == (
        0,
        (
            f"to include what is left out, correct it in {exported.packages[name]} and import again\n"
            "Next: ptcards serve geo --open to look at the cards\n"
        ),
    )
    written = written_files(tmp_path / "geo")
    assert {file: content.decode() for file, content in written.items() if "/" not in file} == DOCUMENTED
    assert {file: content for file, content in written.items() if "/" in file} == {
        "media/map 1.png": PICTURE,
        "media/a.mp3": b"ID3",
    }


def test_the_report_counts_what_was_read_and_says_what_was_left_out(
    ptcards: Run, tmp_path: Path, exported: Exported, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(exported.profile.parent)
    assert ptcards("import", "deck-anki21b.apkg", tmp_path / "geo", "--fresh", "--dry-run", "-v") == Ran(
        0,
        "Read deck-anki21b.apkg: 10 notes, 2 media files (Anki 2.1.50+ package)\n"
        "Converted the note type Basic: 2 fields, 1 template, 7 notes\n"
        "Converted the note type Basic (and reversed card): 2 fields, 2 templates, 1 note\n"
        "Converted the note type Basic (type in the answer): 2 fields, 1 template, 1 note\n"
        "Converted the note type Cloze: 2 fields, 1 template, 1 note\n"
        "decks    Geo::Words::Ünï (5 notes), Geo::Maps (2), Geo (1)\n"
        "fields   15 as Markdown, 1 without formatting that Markdown lacks: Back (1)\n"
        "tags     1 rewritten, such as `a,b` as `a_b`\n"
        "Would write geo/: 8 notes in 3 files\n"
        "\n"
        "read     10  notes of the deck that you import\n"
        "written   8  notes as Markdown\n"
        "changed   1  with a number, because another note asks the same question\n"
        "             dog\n"
        "left out  1  without a question or an answer (1 card)\n"
        "             no answer\n"
        "left out  1  that are in their deck twice (1 card)\n"
        "             dog\n",
        "to include what is left out, correct it in deck-anki21b.apkg and import again\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_the_report_is_there_for_programs(ptcards: Run, tmp_path: Path, exported: Exported) -> None:
    options = ("--fresh", "--dry-run", "--format", "json")
    ran = ptcards("import", exported.packages["anki21"], tmp_path / "geo", *options)
    report = json.loads(ran.out)
    del report["file"], report["note_types"]
    assert report == {
        "format": "Anki 2.1 package",
        "outcome": "fresh",
        "folder": "geo",
        "dry_run": True,
        "read": {"notes": 10, "media": 2},
        "written": {"notes": 8, "files": 3},
        "scripts": 0,
        "decks": {"Geo": 1, "Geo::Maps": 2, "Geo::Words::Ünï": 5},
        "fields": {"markdown": 15, "verbatim": {}, "without_look": {"Back": 1}},
        "columns": "",
        "cards": {"more": 0, "fewer": {}},
        "tags": [{"tag": "a,b", "written": "a_b", "count": 1}],
        "left_out": [
            {"cause": "without a question or an answer", "place": "", "note": "no answer", "cards": 1},
            {"cause": "that are in their deck twice", "place": "", "note": "dog", "cards": 1},
        ],
        "changed": [
            {
                "cause": "with a number, because another note asks the same question",
                "place": "",
                "note": "dog",
            }
        ],
        "apart": [],
    }


def test_what_was_written_builds_without_a_warning_about_its_settings(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    ptcards("import", exported.packages["anki21b"], tmp_path / "geo", "--fresh", "--name", "Maps & more")
    ran = ptcards("build", tmp_path / "geo")
    assert (ran.status, "Built Maps & more: 8 notes, 10 cards" in ran.err, "deck.toml" in ran.err) == (
        0,
        True,
        False,
    )
    settings = tmp_path / "geo" / "deck.toml"
    settings.write_text(f'{settings.read_text("utf-8")}license = ""\n', "utf-8")
    assert (
        "geo/deck.toml:4:1: warning[empty-license] the deck has no licence"
        in ptcards("check", tmp_path / "geo").out
    )


def test_a_collection_in_a_collection_is_mentioned(ptcards: Run, tmp_path: Path, exported: Exported) -> None:
    (tmp_path / "deck.toml").write_text('name = "D"\nid = "i"\n')
    ran = ptcards("import", exported.packages["anki21b"], tmp_path / "geo", "--fresh")
    assert ran.err.splitlines()[-2] == (
        'note: `.` is also a collection, and collections do not nest: add `exclude = ["geo/"]` to its `deck.toml`'
    )


def test_only_the_deck_that_is_named_is_imported(ptcards: Run, tmp_path: Path, exported: Exported) -> None:
    ran = ptcards("import", exported.packages["colpkg"], tmp_path / "maps", "--fresh", "--deck", "Geo::Maps")
    assert ran.status == 0
    assert [file for file in written_files(tmp_path / "maps") if file.endswith(".md")] == ["maps.md"]


def test_a_deck_that_is_not_there_is_refused_with_the_nearest(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    ran = ptcards("import", exported.packages["anki21"], tmp_path / "maps", "--fresh", "--deck", "Geo::Map")
    assert (ran.status, ran.err.partition("] ")[2]) == (
        2,
        "no deck `Geo::Map` with notes\n  = help: did you mean `Geo::Maps`?\n\n1 error\n",
    )


def test_a_folder_that_holds_something_is_left_alone(
    ptcards: Run, tmp_path: Path, exported: Exported
) -> None:
    (tmp_path / "deck.toml").write_text("")
    ran = ptcards("import", exported.packages["anki21"], tmp_path, "--fresh")
    assert (ran.status, ran.err.partition("] ")[2]) == (
        2,
        "the new collection needs an empty folder\n  = help: name a folder that does not exist yet, after the file to import\n\n1 error\n",
    )
    assert list(tmp_path.iterdir()) == [tmp_path / "deck.toml"]


def test_a_file_of_the_deck_that_the_package_lacks_is_named(ptcards: Run, tmp_path: Path) -> None:
    fields = """UPDATE notes SET flds = 'One?' || char(31) || 'It is <img src="gone.png">'"""
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, fields)})
    ran = ptcards("import", file, tmp_path / "geo", "--fresh")
    assert ran.status == 0
    assert "fields   1 without formatting that Markdown lacks (-v lists them)\n" in ran.out
    assert ran.err.partition("\n")[0] == (
        "deck.apkg: warning[missing-media] `gone.png` is missing from the package (used by `One?`)"
    )
    assert "It is `gone.png`" in (tmp_path / "geo" / "geo.md").read_text("utf-8")


def test_a_description_of_a_deck_is_kept(ptcards: Run, tmp_path: Path) -> None:
    decks = json.dumps(
        {"5": {"name": "Geo", "desc": "All <b>capitals</b>"}, "6": {"name": "Geo::A", "desc": "Those in A"}}
    )
    more = (
        "INSERT INTO notes VALUES (2, 'h', 7, 1, '', 'Two?' || char(31) || '2')",
        "INSERT INTO cards VALUES (2, 2, 6, 0, 0)",
    )
    database = a_database(tmp_path, f"UPDATE col SET decks = '{decks}'", *more)
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": database})
    assert ptcards("import", file, tmp_path / "geo", "--fresh", "--id", "x").status == 0
    assert 'description = "All **capitals**"\n' in (tmp_path / "geo" / "deck.toml").read_text("utf-8")
    assert not (tmp_path / "geo" / "description.html").exists()
    assert (tmp_path / "geo" / "a.md").read_text("utf-8") == (
        '---\ndeck: "A"\n---\n\n# A\n\nThose in A\n\n## Two?\n\n2\n'
    )


def test_a_note_without_anything_on_its_fronts_is_left_out(ptcards: Run, tmp_path: Path) -> None:
    more = (
        "INSERT INTO notes VALUES (2, 'h', 7, 1, '', '<div><br></div>' || char(31) || 'Only a back')",
        "INSERT INTO cards VALUES (2, 2, 5, 0, 0)",
    )
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, *more)})
    ran = ptcards("import", file, tmp_path / "geo")
    assert ran.out.partition("\n\n")[2] == (
        "read     2  notes of the deck that you import\nwritten  1  notes as Markdown\nleft out 1  whose cards are all empty (1 card)\n            note 2\n"
    )
    assert ptcards("build", tmp_path / "geo", "-o", tmp_path).status == 0
