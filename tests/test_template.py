"""`template/`, from which a repository for a deck begins, is what `ptcards init --release` writes."""

import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

TEMPLATE = Path(__file__).parent.parent / "template"
OWN = {"LICENSE", "README.md"}
"""What only the template has."""


def files(folder: Path) -> dict[str, str]:
    """Return the text of each file in a folder by its path, without those of git."""
    return {
        file.relative_to(folder).as_posix(): file.read_text("utf-8")
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".git" not in file.relative_to(folder).parts
    }


def test_it_is_what_init_writes_but_for_the_id_that_each_deck_has_of_its_own(
    ptcards: Callable[..., Ran], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    made = tmp_path / "deck"
    made.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    assert ptcards("init", made, "--release").status == 0
    (made / "deck.toml").unlink()
    expected = files(made)
    if request.config.getoption("--update"):
        for name, text in expected.items():
            (TEMPLATE / name).parent.mkdir(parents=True, exist_ok=True)
            (TEMPLATE / name).write_text(text, "utf-8")
    found = files(TEMPLATE)
    assert ({name: text for name, text in found.items() if name not in OWN}, OWN - found.keys()) == (
        expected,
        set(),
    )


def test_who_follows_its_readme_has_a_deck_with_an_id_and_a_package(
    ptcards: Callable[..., Ran], tmp_path: Path
) -> None:
    deck = tmp_path / "deck"
    for name, text in files(TEMPLATE).items():
        (deck / name).parent.mkdir(parents=True, exist_ok=True)
        (deck / name).write_text(text, "utf-8")
    subprocess.run(["git", "init", "-q"], cwd=deck, check=True)
    ran = ptcards("init", deck, "--release")
    assert [line for line in ran.err.splitlines() if line.startswith("Created")] == ["Created deck/deck.toml"]
    assert {"name", "id", "release"} <= tomllib.loads((deck / "deck.toml").read_text("utf-8")).keys()
    assert ptcards("build", deck).status == 0
    assert (deck / "build" / "deck.apkg").exists()
