"""A deck published with another tool continues as sources, and its learners keep what they have."""

import csv
import json
import re
import shutil
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import pytest
from anki.collection import ImportCsvRequest

from adopted import COUNTRIES, CSS, MEDIA, PUBLISHED, TYPE_ID, imported, note_type_folder, published
from anki_backend import assert_healthy, notes_by_guid
from conftest import Ran
from identity_release import Learner, studying

FRANCE, NAURU, JAPAN, *GEORGIAS = (each.guid for each in COUNTRIES)


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    return imported(tmp_path / "geo")


@pytest.fixture
def build(collection: Path, tmp_path: Path, ptcards: Callable[..., Ran]) -> Callable[[], Path]:
    def run() -> Path:
        ran = ptcards("build", collection, "-o", tmp_path / "build")
        assert ran.status == 0, ran.err
        return tmp_path / "build" / "geo.apkg"

    return run


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    """A learner who has the old package and has reviewed all its cards."""
    with studying(tmp_path / "anki") as learner:
        assert learner.get(published(tmp_path / "old")) == {"new": len(COUNTRIES)}
        learner.study()
        yield learner
        assert_healthy(learner.collection)


def fields(anki: Learner) -> dict[str, list[str]]:
    return {guid: note.fields for guid, note in notes_by_guid(anki.collection).items()}


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), "utf-8")


def test_untouched_every_note_is_a_duplicate_and_its_record_stays(
    collection: Path, build: Callable[[], Path], anki: Learner
) -> None:
    lock = (collection / "deck.lock").read_bytes()
    before = anki.progress, fields(anki), anki.schema
    assert anki.get(build()) == {"duplicate": len(COUNTRIES)}
    assert (anki.progress, fields(anki), anki.schema) == before
    assert (collection / "deck.lock").read_bytes() == lock


def test_an_edited_note_is_updated_and_no_other(
    collection: Path, build: Callable[[], Path], anki: Learner
) -> None:
    before = anki.progress, fields(anki), anki.schema
    edit(collection / "capitals.md", "Atlanta", "Atlanta, **Georgia**")
    assert anki.get(build()) == {"updated": 1, "duplicate": len(COUNTRIES) - 1}
    edited = {GEORGIAS[1]: ["Georgia", "Atlanta, <strong>Georgia</strong>", "", ""]}
    assert (anki.progress, fields(anki), anki.schema) == (before[0], before[1] | edited, before[2])


def test_an_edited_look_is_applied_without_a_full_sync(
    collection: Path, build: Callable[[], Path], anki: Learner
) -> None:
    before = anki.progress, fields(anki), anki.schema
    (collection / "notetypes" / "geo" / "style.css").write_text('@import "ptcards";\n.card { color: red }\n')
    edit(collection / "notetypes" / "geo" / "country-capital.back.html", "<b>", "<b class=new>")
    assert anki.get(build()) == {"duplicate": len(COUNTRIES)}
    assert (anki.progress, fields(anki), anki.schema) == before
    (name,) = {note.note_type()["name"] for note in notes_by_guid(anki.collection).values()}
    look = anki.collection.models.by_name(name)
    assert look is not None
    code_css = resources.files("ptcards.anki").joinpath("code.css").read_text("utf-8")
    assert look["css"] == f".card {{ color: red }}\n\n{code_css}"
    assert look["tmpls"][0]["afmt"] == "{{FrontSide}}<b class=new>{{Capital}}</b> {{Country info}}"


def test_an_added_note_is_new_with_a_card_for_each_front_that_shows_it(
    collection: Path, build: Callable[[], Path], anki: Learner
) -> None:
    source = collection / "capitals.md"
    source.write_text(source.read_text("utf-8") + "\n## Chad\n\nN'Djamena\n", "utf-8")
    before = anki.progress
    assert anki.get(build()) == {"new": 1, "duplicate": len(COUNTRIES)}
    (guid,) = anki.progress.keys() - before.keys()
    assert (fields(anki)[guid], [card.ord for card in notes_by_guid(anki.collection)[guid].cards()]) == (
        ["Chad", "N'Djamena", "", ""],
        [0, 1],
    )
    assert {each: anki.progress[each] for each in before} == before
    assert guid.isalnum()


def test_what_a_new_learner_gets_is_what_the_old_deck_had(build: Callable[[], Path], tmp_path: Path) -> None:
    with studying(tmp_path / "new") as newcomer, studying(tmp_path / "other") as other:
        assert newcomer.get(build()) == {"new": len(COUNTRIES)}
        other.get(published(tmp_path / "old"))
        assert fields(newcomer) == fields(other) | {
            JAPAN: [*("Japan", "東京 <em>Tōkyō</em>"), *fields(other)[JAPAN][2:]]
        } | {
            guid: [*fields(other)[guid][:2], picture, ""]
            for guid, picture in (
                (FRANCE, '<img alt="" src="fr flag.png">'),
                (NAURU, '<img alt="" src="nr.png">'),
            )
        }
        assert {guid: len(cards) for guid, cards in newcomer.progress.items()} == {
            guid: len(cards) for guid, cards in other.progress.items()
        }
        folder = Path(newcomer.collection.media.dir())
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == MEDIA
        assert_healthy(newcomer.collection)


def test_the_lock_names_notes_and_note_type_as_anki_does(collection: Path, build: Callable[[], Path]) -> None:
    build()
    lines = (collection / "deck.lock").read_text("utf-8").splitlines()
    assert [line.split("\t")[4:-1] for line in lines if line.startswith("type\tx-")] == [
        ["1607392319", "Ultimate Geography"]
    ]
    assert {tuple(line.split("\t")[1:5]) for line in lines if line.startswith("note\t")} == {
        (each.guid, "x-geo", str(PUBLISHED), "live") for each in COUNTRIES
    }


def test_a_published_note_type_keeps_its_fields_templates_and_id(
    collection: Path, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    changes: tuple[dict[str, object], ...] = (
        {"fields": ["Country", "Capital", "Flag", "Country info", "Map"]},
        {"fields": ["Capital", "Country", "Flag", "Country info"]},
        {"templates": [{"name": "Country", "file": "country-capital"}]},
        {"kind": "cloze", "templates": [{"name": "Country - Capital", "file": "country-capital"}]},
        {"id": TYPE_ID + 1},
        {"id": 0},
    )
    found = []
    for change in changes:
        note_type_folder(collection, **change)
        ran = ptcards("build", collection, "-o", tmp_path / "build")
        found.append((ran.status, "error[frozen-note-type]" in ran.err))
    assert (found, (tmp_path / "build").exists()) == ([(1, True)] * len(changes), False)
    note_type_folder(collection, name="Geography")
    ran = ptcards("build", collection, "-o", tmp_path / "build")
    assert (ran.status, "warning[shared-look]" in ran.err) == (0, True)
    again = ptcards("build", collection, "-o", tmp_path / "build")
    assert (again.status, "shared-look" in again.err) == (0, False)


def test_cards_of_fields_that_are_filled_or_emptied_are_told(
    collection: Path, tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(collection, tmp_path / "old")
    edit(
        collection / "capitals.md", "### Flag\n\n![](media/nr.png)", "Yaren\n\n### Flag\n\n![](media/nr.png)"
    )
    edit(collection / "capitals.md", "\n\nAtlanta", "")
    monkeypatch.chdir(collection)
    report = ptcards("diff", tmp_path / "old").out
    assert [line.strip() for line in report.splitlines() if "card" in line and ".md" not in line] == [
        "adds a card",
        "a card left empty until the learner runs Tools > Empty Cards",
        "next version: minor: notes or cards are added, retired or moved",
    ]


def test_the_page_to_study_has_the_look_of_each_note_and_runs_nothing(
    collection: Path, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    edit(collection / "capitals.md", '<table style="x">', "<script>alert(1)</script><table>")
    edit(
        collection / "notetypes" / "geo" / "country-capital.back.html",
        "{{FrontSide}}",
        "<script>alert(2)</script>{{FrontSide}}",
    )
    ran = ptcards("build", collection, "-o", tmp_path / "build", "--format", "html")
    page = (tmp_path / "build" / "geo.html").read_text("utf-8")
    assert (ran.status, "<script>alert" in page) == (0, False), ran.err
    (data,) = re.findall(r'<script[^>]* id="data"[^>]*>(.*?)</script>', page, re.DOTALL)
    shown = json.loads(data)
    assert (shown["looks"], {row[7] for row in shown["notes"]}) == ([CSS], {0})
    assert [len(row[6]) for row in shown["notes"]] == [3, 2, 2, 2, 2]


def test_both_tables_hold_such_notes(collection: Path, tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    ran = ptcards(
        "build",
        collection,
        "-o",
        tmp_path / "build",
        "--format",
        "csv",
        "--format",
        "anki-csv",
        "--format",
        "apkg",
    )
    assert ran.status == 0, ran.err
    with (tmp_path / "build" / "geo.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {
            row["guid"]: (row["kind"], row["question"], row["answer"], row["details"])
            for row in csv.DictReader(file)
        }
    assert rows[GEORGIAS[1]] == ("geo", "Georgia", "Atlanta", "")
    assert rows[FRANCE] == ("geo", "France", "Paris", "**Flag**\n\n![](media/fr%20flag.png)")
    with studying(tmp_path / "anki") as learner:
        learner.get(tmp_path / "build" / "geo.apkg")
        before = fields(learner)
        table = tmp_path / "build" / "geo.anki.csv"
        metadata = learner.collection.get_csv_metadata(path=str(table), delimiter=None)
        log = learner.collection.import_csv(ImportCsvRequest(path=str(table), metadata=metadata)).log
        assert (len(log.updated) + len(log.duplicate), len(log.new), len(log.conflicting)) == (
            len(COUNTRIES),
            0,
            0,
        )
        assert fields(learner) == before
