"""Decks of other programs are named, with the way in that there is."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from conftest import Ran

Run = Callable[..., Ran]

CROWDANKI = '{\n    "__type__": "Deck",\n    "children": [],\n    "crowdanki_uuid": "f0"\n}'
BY_CROWDANKI = "import it into Anki with CrowdAnki, then choose File › Export"
TABLE = "write the cards as a table with the columns `question` and `answer`, and import that"
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
    )
]


@pytest.mark.parametrize("sample", FORMATS, ids=[each.name for each in FORMATS])
def test_an_import_names_the_file_and_the_way_in(ptcards: Run, tmp_path: Path, sample: Sample) -> None:
    name, text, kind, way = sample
    (tmp_path / name).write_text(text, "utf-8")
    ran = ptcards("import", tmp_path / name, tmp_path / "out")
    assert (ran.status, ran.err) == (
        2,
        f"{name}:1: error[no-package] this is {kind}, not an Anki package\n  = help: {way}\n\n1 error\n",
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
    assert ran.err.partition("\n")[0] == f"a.xml:1: error[no-package] this is {said}, not an Anki package"
