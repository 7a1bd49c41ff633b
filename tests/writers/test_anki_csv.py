"""The CSV for Anki, imported by the real Anki."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from anki.collection import Collection

from anki_backend import (
    assert_healthy,
    cards_of,
    deck_counts,
    import_package,
    import_text,
    learner,
    notes_by_guid,
    sides,
)
from conftest import Ran
from handmade import COLLECTION_ID, EARLIER, LATER, media_file, package, rendered
from ptcards.anki.built_in_notetypes import FIELDS, note_types
from ptcards.notes.rendered import RenderedNote
from ptcards.writers.csv import ANKI_COLUMNS, DIRECTIVES, write_anki_csv

HOSTILE = (
    '<p>a "quoted", b; c\t| # $HOME {{ x }}</p>\n'
    '<pre class="code"><code># comment: x | y; z\n"""\nList&lt;int&gt;\n</code></pre>\n= 1'
)
NOTES = [
    rendered(
        "first", {"Question": "# <b>one</b>: a; b | c", "Answer": HOSTILE, "Hint": "h"}, tags=("a::b", "c")
    ),
    rendered("top", {"Question": "Top?", "Answer": HOSTILE}, deck="PyTorch"),
    rendered("cloze", {"Question": "Fill in", "Answer": "{{c1::x}} and {{c2::y::h}}"}, note_type="cloze"),
    rendered(
        "both,\"#'", {"Question": "Q", "Answer": "A", "Reversed": "1", "Details": HOSTILE}, deck="PyTorch::Z"
    ),
    rendered("twin", {"Question": "Q", "Answer": "the same question elsewhere"}, deck="PyTorch::Z"),
]


def written(path: Path, notes: list[RenderedNote] = NOTES, name: str = "PyTorch") -> Path:
    write_anki_csv(path=path, note_types=note_types(COLLECTION_ID, name, ""), notes=notes)
    return path


def content(collection: Collection) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {guid: (tuple(note.fields), tuple(note.tags)) for guid, note in notes_by_guid(collection).items()}


def expected(notes: list[RenderedNote]) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {note.guid: (note.fields, note.tags) for note in notes}


def changed(note: RenderedNote) -> RenderedNote:
    fields = (f"{note.fields[0]} changed", f"{note.fields[1]} {HOSTILE}", *note.fields[2:])
    return note._replace(fields=fields, tags=(*note.tags, "new"))


def test_the_file_has_directives_a_header_and_quoted_rows(tmp_path: Path) -> None:
    note = rendered("g", {"Question": 'Say "x"', "Answer": "a\nb"}, tags=("t", "u"))
    assert written(tmp_path / "a.anki.csv", [note]).read_bytes().decode() == (
        "#separator:Comma\r\n#html:true\r\n#if matches:update current\r\n"
        "#guid column:1\r\n#notetype column:2\r\n#deck column:3\r\n#tags column:4\r\n"
        '"guid","note type","deck","tags","Question","Answer","Choices","Typed","Reversed","Hint","Details",'
        '"Sources","Topic","Difficulty","GUID","Extra 1","Extra 2"\r\n'
        '"g","PyTorch","PyTorch::Autograd","t u","Say ""x""","a\nb","","","","","","","Autograd","","g","",""\r\n'
    )


def test_parents_come_before_their_subdecks(tmp_path: Path) -> None:
    decks = ["A::B::C", "A b", "A::B", "A", "A::B"]
    notes = [rendered(f"g{n}", {"Question": "q"}, deck=deck) for n, deck in enumerate(decks)]
    rows = list(csv.reader(io.StringIO(written(tmp_path / "a.csv", notes).read_text("utf-8"))))
    assert [(row[2], row[0]) for row in rows[len(DIRECTIVES) + 1 :]] == [
        ("A", "g3"),
        ("A::B", "g2"),
        ("A::B", "g4"),
        ("A::B::C", "g0"),
        ("A b", "g1"),
    ]


def test_after_the_package_it_updates_by_guid_and_keeps_the_schedule(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", NOTES))
        studied = cards_of(collection, "cloze")[1]
        studied.ivl, studied.due, studied.type, studied.queue, studied.reps = 30, 77, 2, 2, 4
        collection.update_card(studied)
        notes = [changed(note) for note in NOTES]
        # The header row has no note type.
        assert import_text(collection, written(tmp_path / "a.csv", notes)) == {
            "updated": len(NOTES),
            "missing_notetype": 1,
        }
        assert content(collection) == expected(notes)
        again = cards_of(collection, "cloze")[1]
        assert (again.ivl, again.due, again.type, again.queue, again.reps) == (30, 77, 2, 2, 4)
        assert deck_counts(collection) == {"PyTorch": 1, "PyTorch::Autograd": 3, "PyTorch::Z": 3}
        assert_healthy(collection)


def test_it_adds_notes_and_decks_once_the_note_types_are_there(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", [NOTES[0], NOTES[2]]))
        assert import_text(collection, written(tmp_path / "a.csv")) == {
            "new": 3,
            "duplicate": 2,
            "missing_notetype": 1,
        }
        assert content(collection) == expected(NOTES)
        assert deck_counts(collection) == {"PyTorch": 1, "PyTorch::Autograd": 3, "PyTorch::Z": 3}
        assert_healthy(collection)


def test_a_cloze_without_a_question_is_imported_and_its_cards_show_the_same(tmp_path: Path) -> None:
    notes = [rendered(f"g{n}", {"Answer": f"{{{{c1::x{n}}}}} y"}, note_type="cloze") for n in range(2)]
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", notes))
        before = [sides(cards_of(collection, note.guid)[0]) for note in notes]
        log = import_text(collection, written(tmp_path / "a.csv", notes))
        assert log == {"updated": 2, "missing_notetype": 1}
        assert [sides(cards_of(collection, note.guid)[0]) for note in notes] == before
        assert_healthy(collection)


def test_before_the_package_every_row_is_skipped_and_nothing_is_left(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        assert import_text(collection, written(tmp_path / "a.csv")) == {"missing_notetype": len(NOTES) + 1}
        assert content(collection) == {}
        assert deck_counts(collection) == {}


def test_it_overwrites_what_a_newer_package_would_leave_and_stops_the_next_package(tmp_path: Path) -> None:
    """docs/anki.md, Text files."""
    (note,) = notes = NOTES[:1]
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", notes))
        own = notes_by_guid(collection)[note.guid]
        own["Extra 1"], own.tags = "mine", ["mine"]
        collection.update_note(own)
        import_text(collection, written(tmp_path / "a.csv", notes))
        assert content(collection) == expected(notes)
        later = changed(note)._replace(mod=LATER)
        assert import_package(collection, package(tmp_path / "b.apkg", [later])) == {"duplicate": 1}
        assert (note.mod, later.mod) == (EARLIER, LATER)


def test_an_earlier_choice_of_the_learner_does_not_stop_it(tmp_path: Path) -> None:
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", NOTES))
        other = tmp_path / "other.csv"
        other.write_text(
            "#separator:Comma\n#notetype:PyTorch\n#if matches:keep current\na,b\n", encoding="utf-8"
        )
        import_text(collection, other)
        notes = [changed(note) for note in NOTES]
        assert import_text(collection, written(tmp_path / "a.csv", notes))["updated"] == len(NOTES)


def test_media_stay_those_of_the_package(tmp_path: Path) -> None:
    picture = media_file(tmp_path / "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    note = rendered("g", {"Question": "q", "Answer": f'<img src="{picture.name}">'}, media=(picture,))
    with learner(tmp_path / "anki") as collection:
        import_package(collection, package(tmp_path / "a.apkg", NOTES))
        assert import_text(collection, written(tmp_path / "a.csv", [note]))["new"] == 1
        assert list(collection.media.check().missing) == [picture.name]


def test_pandas_reads_every_cell_back(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv")
    frame = pd.read_csv(file, comment="#", dtype=str, keep_default_na=False)
    skipped = pd.read_csv(file, skiprows=len(DIRECTIVES), dtype=str, keep_default_na=False)
    assert tuple(frame.columns) == (*ANKI_COLUMNS, *FIELDS)
    assert skipped.to_dict() == frame.to_dict()
    by_guid = {row["guid"]: tuple(row[name] for name in FIELDS) for row in frame.to_dict("records")}
    assert by_guid == {note.guid: note.fields for note in NOTES}


def test_the_command_writes_it_beside_the_others(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    cards = tmp_path / "cards"
    cards.mkdir()
    (cards / "deck.toml").write_text('name = "My deck"\nid = "d"\n', encoding="utf-8")
    (cards / "a.md").write_text("# T\n\n## One?\n\n1\n", encoding="utf-8")
    ran = ptcards("build", cards, "-o", tmp_path / "out", "--format", "apkg", "--format", "anki-csv", "-q")
    assert ran.status == 0
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["my-deck.anki.csv", "my-deck.apkg"]
    with learner(tmp_path / "anki") as collection:
        import_package(collection, tmp_path / "out" / "my-deck.apkg")
        before = content(collection)
        assert import_text(collection, tmp_path / "out" / "my-deck.anki.csv") == {
            "duplicate": 1,
            "missing_notetype": 1,
        }
        assert content(collection) == before
