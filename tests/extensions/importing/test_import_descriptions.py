"""Descriptions of imported decks become Markdown if it looks the same, and otherwise stay HTML."""

import json
import sqlite3
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from conftest import Ran
from packages import a_database, write_zip

Run = Callable[..., Ran]

TOP = 'name = "Geo"\nid = "x"  # identifies this collection in Anki; never change it\n'
RELEASED = (
    "To learn in this order: Options › New card gather order › Ascending position.\n\nLicense: CC0\n\n"
    "Version 1.0 (2026-11-30). [What is new](https://decks.example/#v=1.0)"
)
NO_LICENSE = '# license = "CC BY 4.0"  # before you share the deck, write what its author allows\n'
COLOURED = '<div style="color: red">Geo &amp; <b>more</b></div>\r\n'


def _import(ptcards: Run, folder: Path, *options: str, **decks: Mapping[str, object]) -> Ran:
    """Import a package with these decks: names with `__` between levels, and descriptions."""
    made = {
        str(number): {"name": name.replace("__", "::"), **about}
        for number, (name, about) in enumerate(decks.items(), 5)
    }
    more = [
        statement
        for number in range(6, 5 + len(made))
        for statement in (
            f"INSERT INTO notes VALUES ({number}, 'g{number}', 7, 1, '', 'Q{number}?' || char(31) || 'A')",
            f"INSERT INTO cards VALUES ({number}, {number}, {number}, 0, 0)",
        )
    ]
    text = json.dumps(made).replace("'", "''")
    database = a_database(folder, f"UPDATE col SET decks = '{text}'", *more)
    file = write_zip(folder / "deck.apkg", {"collection.anki2": database})
    return ptcards("import", file, folder / "geo", "--id", "x", *options)


@pytest.mark.parametrize(
    ("about", "settings", "html"),
    [
        ({"desc": "All capitals"}, 'description = "All capitals"\n' + NO_LICENSE, None),
        ({"desc": "<i>All</i> *"}, 'description = "*All* *"\n' + NO_LICENSE, None),
        ({"desc": COLOURED}, 'description = "description.html"\n' + NO_LICENSE, COLOURED),
        ({"desc": "<img src=a.png>"}, 'description = "description.html"\n' + NO_LICENSE, "<img src=a.png>"),
        ({"desc": "*All* <b>x</b>", "md": True}, 'description = "*All* <b>x</b>"\n' + NO_LICENSE, None),
        ({"desc": "All\n\nLicense: CC0", "md": True}, 'description = "All"\nlicense = "CC0"\n', None),
        ({"desc": "License: CC0", "md": True}, 'license = "CC0"\n', None),
        ({"desc": f"All\n\n{RELEASED}", "md": True}, 'description = "All"\nlicense = "CC0"\n', None),
        ({"desc": "Version 1.0 (2026-11-30).", "md": True}, NO_LICENSE, None),
        ({"desc": "Version 2 (new).", "md": True}, 'description = "Version 2 (new)."\n' + NO_LICENSE, None),
        ({"desc": "a.html", "md": True}, 'description = "description.html"\n' + NO_LICENSE, "a.html"),
        ({"desc": " \n"}, NO_LICENSE, None),
    ],
)
def test_the_description_of_a_deck_stays_as_its_author_wrote_it(
    ptcards: Run, tmp_path: Path, about: Mapping[str, object], settings: str, html: str | None
) -> None:
    assert _import(ptcards, tmp_path, Geo=about).status == 0
    written = tmp_path / "geo" / "description.html"
    assert (tmp_path / "geo" / "deck.toml").read_text("utf-8") == f'{TOP}{settings}type = "basic"\n'
    assert (written.read_bytes().decode() if written.exists() else None) == html


def test_a_description_in_html_is_built_as_it_is_with_the_licence_below(ptcards: Run, tmp_path: Path) -> None:
    _import(ptcards, tmp_path, Geo={"desc": COLOURED})
    settings = tmp_path / "geo" / "deck.toml"
    settings.write_text(
        settings.read_text("utf-8").replace('# license = "CC BY 4.0"', 'license = "CC & 0"'), "utf-8"
    )
    assert ptcards("build", tmp_path / "geo", "-o", tmp_path).status == 0
    with zipfile.ZipFile(tmp_path / "geo.apkg") as archive:
        (tmp_path / "built").write_bytes(archive.read("collection.anki2"))
    with sqlite3.connect(tmp_path / "built") as connection:
        ((decks,),) = connection.execute("SELECT decks FROM col")
    connection.close()
    (deck,) = (each for each in json.loads(decks).values() if each["name"] == "Geo")
    built = COLOURED.replace("\r\n", "\n") + "<p>License: CC &amp; 0</p>"
    assert (deck["desc"], deck["md"]) == (built, False)


def test_descriptions_of_other_decks_are_counted_if_they_lose_their_look(
    ptcards: Run, tmp_path: Path
) -> None:
    ran = _import(
        ptcards,
        tmp_path,
        Geo={},
        Geo__a={"desc": '<h2 style="color: red">Those in A</h2>'},
        Geo__b={"desc": "*B*\n\n## Not a question\n\n<!-- card: id=x -->", "md": True},
        Geo__c={"desc": "*C*", "md": True},
    )
    assert "fields   2 without formatting that Markdown lacks (-v lists them)\n" in ran.out
    texts = [(tmp_path / "geo" / f"{name}.md").read_text("utf-8").partition("\n## Q")[0] for name in "abc"]
    assert texts == [
        '---\ndeck: "a"\n---\n\n# a\n\n#### Those in A\n',
        '---\ndeck: "b"\n---\n\n# b\n\n\\*B\\*\n\n\\## Not a question\n\n\\<!&#45;- card: id=x --\\>\n',
        '---\ndeck: "c"\n---\n\n# c\n\n*C*\n',
    ]


def test_a_fresh_import_has_a_description_in_markdown_whatever_it_loses(ptcards: Run, tmp_path: Path) -> None:
    assert _import(ptcards, tmp_path, "--fresh", Geo={"desc": COLOURED}).status == 0
    settings = (tmp_path / "geo" / "deck.toml").read_text("utf-8")
    assert settings == f'{TOP}description = "Geo & **more**"\n{NO_LICENSE}'


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("gone.html", "no file `gone.html` in the collection"),
        ("../x.html", "outside-collection] `../x.html`"),
        ("bad.html", "`bad.html` is not UTF-8"),
    ],
)
def test_a_description_that_cannot_be_read_is_an_error(
    ptcards: Run, write: Callable[..., Path], name: str, said: str
) -> None:
    root = write({"deck.toml": f'name = "A"\nid = "a"\ndescription = "{name}"\n', "a.md": "## One?\n\n1\n"})
    (root / "bad.html").write_bytes(b"\xff")
    ran = ptcards("check", root)
    assert (ran.status, said in ran.out) == (2, True)
