"""`ptcards init`."""

import re
from collections.abc import Callable
from pathlib import Path

from conftest import Ran, new_lock

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = re.compile(r'name = "My deck"\nid = "[0-9a-f]{8}"  # names this collection to Anki; never change it\n')


def test_a_new_collection_builds_without_a_word(ptcards: Run, tmp_path: Path) -> None:
    ran = ptcards("init", tmp_path / "my-deck")
    assert ran == Ran(
        0,
        "",
        "wrote my-deck/deck.toml\nwrote my-deck/.gitattributes\nwrote my-deck/first-steps.md\nnext: ptcards build my-deck\n",
    )
    assert TOML.fullmatch((tmp_path / "my-deck" / "deck.toml").read_text())
    assert (tmp_path / "my-deck" / ".gitattributes").read_text() == "deck.lock merge=union\n"
    identity = (tmp_path / "my-deck" / "deck.toml").read_text().split('"')[3]
    assert ptcards("build", tmp_path / "my-deck", "-o", tmp_path / "out").err == (
        new_lock("my-deck/deck.lock", identity, "3 notes")
        + "built My deck: 3 notes, 4 cards; 3 new; out/my-deck.apkg and out/my-deck.csv in 0.00 s\n"
    )


def test_every_collection_gets_an_id_of_its_own(ptcards: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        ptcards("init", tmp_path / name)
    assert (tmp_path / "a" / "deck.toml").read_text().splitlines()[1] != (
        tmp_path / "b" / "deck.toml"
    ).read_text().splitlines()[1]


def test_a_folder_keeps_what_it_has(ptcards: Run, write: Write) -> None:
    root = write(
        {"notes.md": "## One?\n\n1\n", ".gitattributes": "*.png binary", "deck.toml": 'name = "Kept"\n'}
    )
    assert ptcards(
        "init", root
    ).err == "wrote ./deck.toml\nwrote ./.gitattributes\nnext: ptcards build .\n".replace("./", "")
    assert (root / ".gitattributes").read_text() == "*.png binary\ndeck.lock merge=union\n"
    assert re.fullmatch(r'id = "[0-9a-f]{8}"  # .*\nname = "Kept"\n', (root / "deck.toml").read_text())
    assert sorted(path.name for path in root.iterdir()) == [".gitattributes", "deck.toml", "notes.md"]


def test_a_second_init_has_nothing_to_do(ptcards: Run, tmp_path: Path) -> None:
    ptcards("init", tmp_path / "a")
    before = {path: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert ptcards("init", tmp_path / "a") == Ran(0, "", "nothing to do: a is a collection already\n")
    assert {path: path.read_bytes() for path in (tmp_path / "a").iterdir()} == before


def test_a_deck_toml_that_cannot_be_read_is_left_alone(ptcards: Run, write: Write) -> None:
    root = write({"deck.toml": "name = "})
    ran = ptcards("init", root)
    assert (ran.status, ran.err) == (
        1,
        "Error: deck.toml cannot be read: Invalid value (at end of document)\n",
    )
    assert (root / "deck.toml").read_text() == "name = "
