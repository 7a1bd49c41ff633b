"""Decks of other programs are named, with the way in that there is."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import Ran

Run = Callable[..., Ran]

CROWDANKI = '{\n    "__type__": "Deck",\n    "children": [],\n    "crowdanki_uuid": "f0"\n}'
BY_CROWDANKI = "import it into Anki with CrowdAnki, then choose File › Export"
TABLE = "write the cards as a table with the columns `question` and `answer`, and import that"
TRANSIT = '{"~:version":2,"~:decks":[{"~:id":"~:OQmk1oyM","~:cards":{"~#list":[]}}]}'
COMPACT = '["^ ","~:version",2,"~:decks",[["^ ","~:name","Waves"]]]'
EDN = '{:version 2\n :decks [{:name "Waves"\n          :cards [{:content "A"}]}]}'
UNPACK = "unpack it, and import the `.csv` file of the database with the cards"
PAGE = "a834d55573614857a48a9ce9ec4194e3"
XML = '<?xml version="1.0"?>\n'


class Sample(NamedTuple):
    """A file of another program: its name and beginning, and what is said about it."""

    name: str
    text: str
    kind: str
    way: str


FORMATS = [
    Sample(*each)
    for each in (
        ("deck.json", CROWDANKI, "a CrowdAnki deck", BY_CROWDANKI),
        ("a.xml", f"{XML}<SuperMemoCollection><Count>1</Count>", "SuperMemo XML", TABLE),
        (
            "a.mem",
            f'{XML}<mnemosyne core_version="1">',
            "Mnemosyne XML",
            "export the cards as tab-separated text, and import that",
        ),
        (
            "a.org",
            "* Question :drill:\n** The Answer\n",
            "an Org file",
            f"if the cards are in Anki, export the deck there; otherwise {TABLE}",
        ),
        ("rem.json", '{\n  "userId": "6a",\n  "knowledgebaseId": "6a",\n', "a RemNote export", TABLE),
        ("data.json", TRANSIT, "a Mochi deck", TABLE),
        ("data.edn", EDN, "a Mochi deck", TABLE),
    )
]


@pytest.mark.parametrize("sample", FORMATS, ids=[each.name for each in FORMATS])
def test_an_import_names_the_file_and_the_way_in(ptcards: Run, tmp_path: Path, sample: Sample) -> None:
    name, text, kind, way = sample
    (tmp_path / name).write_text(text, "utf-8")
    ran = ptcards("import", tmp_path / name, tmp_path / "out")
    assert (ran.status, ran.err) == (
        2,
        f"{name}: error[no-package] this is {kind}, not an Anki package\n  = help: {way}\n\n1 error\n",
    )


@pytest.mark.parametrize("command", ["build", "check", "import"])
@pytest.mark.parametrize("sample", FORMATS, ids=[each.name for each in FORMATS])
def test_a_folder_of_such_files_is_named_too(
    ptcards: Run, tmp_path: Path, command: str, sample: Sample
) -> None:
    name, text, kind, way = sample
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / name).write_text(text, "utf-8")
    ran = ptcards(command, tmp_path / "notes")
    assert (ran.status, ran.err) == (
        2,
        f"error: no Markdown files in `notes`\nhelp: `notes/{name}` is {kind}: {way}\n",
    )


def test_a_package_in_a_folder_is_named(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "my geo.apkg").write_bytes(b"PK")
    assert ptcards("build", tmp_path / "notes").err == (
        "error: no Markdown files in `notes`\n"
        "help: `notes/my geo.apkg` is an Anki package: run `ptcards import 'notes/my geo.apkg'`\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<rss></rss>", "an XML file"),
        (f"{XML}<!DOCTYPE html>", "a web page"),
        ("<!doctype HTML>", "a web page"),
        ('{"a": 1}', "text"),
        ("\n<html>", "a web page"),
    ],
)
def test_no_file_is_called_what_it_is_not(ptcards: Run, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.xml").write_text(text, "utf-8")
    ran = ptcards("import", tmp_path / "a.xml", tmp_path / "out")
    assert ran.err.partition("\n")[0] == f"a.xml: error[no-package] this is {said}, not an Anki package"


ZIPPED = (
    ("waves.mochi", {"data.json": TRANSIT, "a.png": "x"}, "a Mochi deck", TABLE),
    ("waves.mochi", {"a.png": "x", "data.json": COMPACT}, "a Mochi deck", TABLE),
    ("waves.mochi", {"data.edn": EDN}, "a Mochi deck", TABLE),
    ("waves.zip", {"waves/deck.json": CROWDANKI}, "a CrowdAnki deck", BY_CROWDANKI),
    ("all.zip", {f"A {PAGE}.md": "", f"A {PAGE}/B {PAGE}_all.csv": ""}, "a Notion export", UNPACK),
    (
        "all.zip",
        {"ExportBlock-d3adfe0f-3131-4bf3-8987-a52017fc1bae-Part-1.zip": ""},
        "a Notion export",
        UNPACK,
    ),
)


@pytest.mark.parametrize("zipped", ZIPPED)
def test_a_zip_file_is_named_by_what_it_contains(
    ptcards: Run, tmp_path: Path, zipped: tuple[str, dict[str, str], str, str]
) -> None:
    name, members, kind, way = zipped
    (tmp_path / "notes").mkdir()
    with zipfile.ZipFile(tmp_path / "notes" / name, "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    one = ptcards("import", tmp_path / "notes" / name, tmp_path / "out")
    folder = ptcards("check", tmp_path / "notes")
    assert (one.status, one.err, folder.status, folder.err) == (
        2,
        f"notes/{name}: error[no-package] this is {kind}, not an Anki package\n  = help: {way}\n\n1 error\n",
        2,
        f"error: no Markdown files in `notes`\nhelp: `notes/{name}` is {kind}: {way}\n",
    )


@pytest.mark.parametrize(
    "members", [{"data.json": '{"decks": []}'}, {"a.edn": "{:decks nil}"}, {f"{PAGE}.md": ""}, {}]
)
def test_other_zip_files_are_not_called_exports(
    ptcards: Run, tmp_path: Path, members: dict[str, str]
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    held = next((f"`{name}`" for name in members), "nothing")
    assert ptcards("import", tmp_path / "a.zip", tmp_path / "out").err.partition("\n")[0] == (
        f"a.zip: error[no-package] a zip file without a collection: it contains {held}"
    )


@pytest.mark.parametrize("content", [b"fun main() {}", b"PK\3\4damaged"])
def test_a_file_is_not_a_mochi_deck_by_its_name_alone(ptcards: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "main.mochi").write_bytes(content)
    assert ptcards("check", tmp_path / "notes").err == (
        "error: no Markdown files in `notes`\nhelp: run `ptcards init notes` to start a collection there\n"
    )


FROM_NOTION = "export a database with the cards from Notion, and run `ptcards import` on its `.csv` file"


def test_pages_from_notion_are_named(ptcards: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "read me.md").write_text("# Read me\n", "utf-8")
    for name in ("Waves", "Light"):
        (tmp_path / "notes" / f"{name} {PAGE}.md").write_text(
            "# Waves\n\n- What is a wave?\n    \n    A disturbance\n", "utf-8"
        )
    built, looked = ptcards("build", tmp_path / "notes"), ptcards("check", tmp_path / "notes")
    imported = ptcards("import", tmp_path / "notes", tmp_path / "out")
    said = f"notes: error[no-notes] no notes in 3 files: these are pages from Notion\n  = help: {FROM_NOTION}"
    assert (built.err.partition("\n\n")[0], looked.out, imported.err) == (
        said,
        f"{said}\n\n1 error\n",
        f"notes: error[foreign-format] these are pages from Notion\n  = help: {FROM_NOTION}\n\n1 error\n",
    )


def test_a_table_from_notion_is_named_and_its_deck_has_no_id(ptcards: Run, tmp_path: Path) -> None:
    name = f"My cards {PAGE}_all.csv"
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / name).write_text("\ufeffQuestion,Answer,Tags\nA?,B,x\n", "utf-8")
    folder = ptcards("check", tmp_path / "notes")
    imported = ptcards("import", tmp_path / "notes" / name, tmp_path / "out")
    help_ = f"`notes/{name}` is a table from Notion: run `ptcards import 'notes/{name}'`"
    assert (folder.err, imported.status, (tmp_path / "out" / "deck.toml").read_text().splitlines()[0]) == (
        f"error: no Markdown files in `notes`\nhelp: {help_}\n",
        0,
        'name = "My cards"',
    )
