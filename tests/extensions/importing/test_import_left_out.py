"""No deck is refused for a single note, and every card that comes or goes is counted."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import cards_of, import_package, learner, notes_by_guid
from conftest import Ran
from packages import a_database, add, export, write_zip, written_files

Run = Callable[..., Ran]

FIELD_END = "' || char(31) || '"
LARGE_TYPE = (
    "UPDATE col SET models = json_set(models, '$.8', json_set(json_extract(models, '$.7'), '$.id', 8, "
    "'$.name', 'Large', '$.tmpls[0].afmt', hex(randomblob(150000))))"
)
WIDE_TYPE = (
    "UPDATE col SET models = json_set(models, '$.9', json_set(json_extract(models, '$.7'), '$.id', 9, "
    "'$.name', 'Wide', '$.flds', (WITH n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 200) "
    "SELECT json_group_array(json_object('name', 'f' || x, 'ord', x)) FROM n)))"
)
OTHERS = (
    LARGE_TYPE,
    WIDE_TYPE,
    f"INSERT INTO notes VALUES (2, 'b', 8, 1, '', 'Large 1{FIELD_END}x')",
    f"INSERT INTO notes VALUES (3, 'c', 8, 1, '', 'Large 2{FIELD_END}x')",
    f"INSERT INTO notes VALUES (4, 'd', 9, 1, '', 'Wide{FIELD_END}x')",
    f"INSERT INTO notes VALUES (5, 'e', 7, 1, '', 'Long{FIELD_END}' || hex(randomblob(550000)))",
    f"INSERT INTO notes VALUES (6, 'same', 7, 1, '', 'Twin 1{FIELD_END}x')",
    f"INSERT INTO notes VALUES (7, 'same', 7, 1, '', 'Twin 2{FIELD_END}x')",
    f"INSERT INTO notes VALUES (8, 'h' || char(7), 7, 1, '', 'Bell{FIELD_END}x')",
    f"INSERT INTO notes VALUES (9, 'i', 7, 1, '', '{FIELD_END}only a back')",
    "INSERT INTO cards SELECT id * 10, id, 5, 0, 0 FROM notes WHERE id > 1",
    "INSERT INTO cards VALUES (21, 2, 5, 0, 1)",
)
LARGE = "`card-1.back.html` has 292 KB, and a template at most 256 KB"
LEFT_OUT = [
    ("Large 1", 2, f"of the note type `Large`, which cannot be kept: {LARGE}"),
    ("Large 2", 1, f"of the note type `Large`, which cannot be kept: {LARGE}"),
    ("Wide", 1, "of the note type `Wide`, which cannot be kept: `fields` must be a list of 1 to 200 entries"),
    ("Long", 1, "with a field of over 1 MB"),
    ("Twin 1", 1, "that share a GUID with another note"),
    ("Twin 2", 1, "that share a GUID with another note"),
    ("Bell", 1, "with a GUID, a time or an id that no lock can contain"),
    ("note 9", 1, "whose cards are all empty"),
]


def test_notes_that_no_collection_can_hold_are_left_out_by_name(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, *OTHERS)})
    ran = ptcards("import", file, tmp_path / "geo", "--format", "json")
    report = json.loads(ran.out)
    assert [(each["note"], each["cards"], each["cause"]) for each in report["left_out"]] == LEFT_OUT
    assert (report["written"], [each["name"] for each in report["note_types"]]) == (
        {"notes": 1, "files": 1},
        ["Basic"],
    )
    assert ptcards("build", tmp_path / "geo", "-o", tmp_path).status == 0
    with learner(tmp_path / "new") as collection:
        assert import_package(collection, tmp_path / "geo.apkg") == {"new": 1}


def test_learners_are_said_to_keep_what_is_left_out(ptcards: Run, tmp_path: Path) -> None:
    file = write_zip(tmp_path / "deck.apkg", {"collection.anki2": a_database(tmp_path, *OTHERS)})
    ran = ptcards("import", file, tmp_path / "geo")
    assert "learners keep the notes that are left out: a package deletes nothing\n" in ran.err
    assert "left out 1  with a field of over 1 MB (1 card)\n            Long\n" in ran.out


def _fill(collection: Collection) -> None:
    """Add reversed notes with and without a filled switch, three cards of one note, and missing cards."""
    models = collection.models
    made = models.new("Molecule")
    for name in ("Name", "Formula", "Mass"):
        models.add_field(made, models.new_field(name))
    for name in ("Name", "Formula", "Mass"):
        template = models.new_template(name)
        template["qfmt"], template["afmt"] = f"What has it? {{{{{name}}}}}", "{{FrontSide}} {{Name}}"
        models.add_template(made, template)
    models.add(made)
    switch = "Basic (optional reversed card)"
    add(collection, switch, "Chemistry", "with", "both", "1")
    add(collection, switch, "Chemistry", "without", "one")
    add(collection, "Basic (and reversed card)", "Chemistry", "dog", "Hund")
    guid = add(collection, "Basic (and reversed card)", "Music", "cat", "Katze")
    add(collection, "Molecule", "Chemistry::Molecules", "Water", "H2O", "18")
    add(collection, "Molecule", "Chemistry::Molecules", "Air", "", "29")
    (second,) = [card for card in cards_of(collection, guid) if card.ord == 1]
    assert collection.db is not None
    collection.db.execute("DELETE FROM cards WHERE id = ?", second.id)


@pytest.fixture(scope="module")
def chemistry(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(tmp_path_factory.mktemp("chemistry"), _fill).packages["colpkg"]


def test_a_fresh_note_is_reversed_where_anki_makes_two_cards(
    ptcards: Run, tmp_path: Path, chemistry: Path
) -> None:
    ran = ptcards("import", chemistry, tmp_path / "deck", "--fresh", "--deck", "Chemistry")
    text = written_files(tmp_path / "deck")["chemistry.md"].decode()
    assert text == (
        '---\ndeck: ""\n---\n\n## with\n<!-- card: kind=reversed -->\n\nboth\n'
        "\n## without\n\none\n\n## dog\n<!-- card: kind=reversed -->\n\nHund\n"
    )
    assert "cards    3 fewer, as notes keep only their first template: Molecule (3)\n" in ran.out


def test_cards_that_the_package_lacks_are_counted(ptcards: Run, tmp_path: Path, chemistry: Path) -> None:
    ran = ptcards("import", chemistry, tmp_path / "deck", "--deck", "Music")
    assert "cards    1 more, which Anki makes and the package lacks\n" in ran.out
    assert "the first build adds 1 card for them" in ran.err
    assert ptcards("build", tmp_path / "deck", "-o", tmp_path).status == 0
    with learner(tmp_path / "new") as collection:
        assert import_package(collection, tmp_path / "music.apkg") == {"new": 1}
        (guid,) = notes_by_guid(collection)
        assert [card.ord for card in cards_of(collection, guid)] == [0, 1]


ALL = ["All::Chemistry", "All::Chemistry::Molecules", "All::Music"]


@pytest.mark.parametrize(
    ("options", "decks"),
    [
        (("--deck", "Chemistry::Molecules"), ["Chemistry::Molecules"]),
        (("--deck", "Chemistry", "--deck", "Music", "--name", "All"), ALL),
        (("--name", "All"), ALL),
    ],
    ids=["one", "two", "all"],
)
def test_the_decks_of_a_collection_are_chosen(
    ptcards: Run, tmp_path: Path, chemistry: Path, options: tuple[str, ...], decks: list[str]
) -> None:
    assert ptcards("import", chemistry, tmp_path / "deck", *options).status == 0
    assert ptcards("build", tmp_path / "deck", "-o", tmp_path / "built").status == 0
    (package,) = (tmp_path / "built").glob("*.apkg")
    with learner(tmp_path / "new") as collection:
        import_package(collection, package)
        found = collection.decks.all_names_and_ids(skip_empty_default=True)
        used = [each.name for each in found if collection.decks.card_count(each.id, include_subdecks=False)]
        assert sorted(used) == decks


TWO_DECKS = (
    "the package contains 2 decks: `Chemistry` (5), `Music` (1)\n"
    "  = help: choose some with `--deck NAME`, or take all below a new one with `--name NAME`"
)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            (),
            TWO_DECKS,
        ),
        (
            ("--deck", "Chemistry", "--deck", "Music"),
            "the decks have no common first level\n  = help: add `--name NAME` for the deck above them",
        ),
    ],
    ids=["none", "two"],
)
def test_several_decks_need_a_choice_or_a_name(
    ptcards: Run, tmp_path: Path, chemistry: Path, options: tuple[str, ...], said: str
) -> None:
    ran = ptcards("import", chemistry, tmp_path / "deck", *options)
    assert (ran.status, ran.err.partition("] ")[2]) == (2, f"{said}\n\n1 error\n")


def test_a_collection_with_one_deck_needs_no_choice(ptcards: Run, tmp_path: Path) -> None:
    def fill(collection: Collection) -> None:
        add(collection, "Basic", "Geo", "a", "b")

    assert ptcards("import", export(tmp_path, fill).packages["colpkg"], tmp_path / "geo").status == 0
