"""Where outputs go and what git sees of their folder."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from git_attacks import git

Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "My deck"\nid = "d"\n'
NOTE = "## One?\n\n1\n"
CSV = ("--format", "csv")
DECK: dict[str, str | bytes] = {"my-deck/deck.toml": TOML, "my-deck/a.md": NOTE}
CARDS: dict[str, str | bytes] = {"cards/deck.toml": TOML, "cards/a.md": NOTE}


# The folder


def outputs(root: Path) -> set[str]:
    """Return the paths of all CSV files below a folder."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*.csv")}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, "my-deck/build/my-deck.csv"),
        ({".git/HEAD": "", "pyproject.toml": ""}, "my-deck/build/my-deck.csv"),
        ({"cards": "my-deck"}, "cards/build/my-deck.csv"),
        ({"cards": "my-deck", ".git/HEAD": ""}, "build/my-deck.csv"),
        ({"cards": "my-deck", ".git": "gitdir: elsewhere\n"}, "build/my-deck.csv"),
        ({"cards": "my-deck", "pyproject.toml": ""}, "build/my-deck.csv"),
    ],
)
def test_outputs_go_to_one_folder_wherever_the_command_runs(
    files: dict[str, str], expected: str, ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "cards" if files.pop("cards", "") else "my-deck"
    root = write({f"{name}/deck.toml": TOML, f"{name}/sub/a.md": NOTE, "else/x": "", **files})
    commands: dict[str, tuple[str, ...]] = {
        ".": (name,),
        name: (),
        f"{name}/sub": ("..",),
        "else": (f"../{name}",),
    }
    for folder, arguments in commands.items():
        monkeypatch.chdir(root / folder)
        is_below = (root / expected).is_relative_to(root / folder)
        shown = os.path.relpath(root / expected, root / folder) if is_below else expected
        ran = ptcards("build", *arguments, *CSV)
        assert (ran.status, f"\n  {shown}  1 kB\n" in ran.err) == (0, True)
    assert outputs(root) == {expected}
    monkeypatch.chdir(root / name / "sub")
    assert ptcards("build", *CSV).status == 0
    assert outputs(root) == {expected, expected.replace(".csv", "-sub.csv")}


def test_without_a_deck_toml_outputs_go_to_the_current_folder(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"notes/a.md": NOTE, "else/.git/HEAD": ""})
    monkeypatch.chdir(root / "else")
    for source in ("../notes", "../notes/a.md"):
        assert ptcards("build", source, *CSV).status == 0
    assert outputs(root) == {"else/build/notes.csv", "else/build/a.csv"}


def test_of_several_collections_each_has_its_own_folder(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = {"a/deck.toml": TOML, "a/x.md": NOTE}
    root = write(
        {**one, "cards/deck.toml": TOML, "cards/x.md": NOTE, "pyproject.toml": "", "plain/y.md": NOTE}
    )
    monkeypatch.chdir(root)
    ran = ptcards("build", "a", "cards", "plain", *CSV)
    assert (ran.status, outputs(root)) == (0, {"a/build/my-deck.csv", "build/my-deck.csv", "build/plain.csv"})
    write({"cards/deck.toml": TOML.replace("My deck", "Plain")})
    ran = ptcards("build", "a", "cards", "plain", *CSV)
    assert (ran.status, ran.err.splitlines()[-1]) == (
        2,
        "error: two collections would both be written to `plain`: rename one of them, or build them into two folders with `-o`",
    )


def test_a_project_that_begins_later_moves_the_outputs_of_an_unchanged_collection(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"cards/deck.toml": TOML, "cards/x.md": NOTE})
    monkeypatch.chdir(root)
    assert [ptcards("build", *CSV).status for _ in range(3)] == [0, 0, 0]
    write({"pyproject.toml": ""})
    assert ptcards("build", *CSV).err == (
        "Built My deck: 1 note, 1 card in 0.00 s\n  build/my-deck.csv  1 kB\n"
    )
    assert outputs(root) == {"cards/build/my-deck.csv", "build/my-deck.csv"}
    (root / "build" / "my-deck.csv").unlink()
    assert ptcards("build", *CSV).status == 0
    assert outputs(root) == {"cards/build/my-deck.csv", "build/my-deck.csv"}


def test_a_folder_that_links_to_a_collection_does_not_move_its_outputs(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(
        {"cards/deck.toml": TOML, "cards/x.md": NOTE, "pyproject.toml": "", "else/pyproject.toml": ""}
    )
    (root / "else" / "mine").symlink_to(root / "cards")
    (root / "else" / "cards").symlink_to(root / "else" / "far")
    monkeypatch.chdir(root / "else")
    assert ptcards("build", "mine", *CSV).status == 0
    assert outputs(root) == {"build/my-deck.csv"}


# What git sees


def shown(root: Path) -> list[str]:
    """Return what git shows as untracked, except the collection's own files."""
    own = ("?? cards/deck.lock", "?? my-deck/deck.lock", "?? .gitignore")
    lines = git(root, "status", "--porcelain", "--untracked-files=all").splitlines()
    return [line for line in lines if line.startswith("??") and line not in own]


def committed(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


@pytest.mark.parametrize("deck", [DECK, CARDS], ids=["my-deck", "cards"])
def test_git_does_not_show_new_outputs(
    deck: dict[str, str | bytes], ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = committed(write(deck))
    name = next(iter(deck)).split("/")[0]
    folder = root / "build" if name == "cards" else root / name / "build"
    monkeypatch.chdir(root)
    for _ in range(3):  # the last one is the cached answer
        assert ptcards("build", name).status == 0
        assert sorted(each.name for each in folder.iterdir()) == [".gitignore", "my-deck.apkg", "my-deck.csv"]
        assert ((folder / ".gitignore").read_text(), shown(root)) == ("*\n", [])
    (folder / ".gitignore").unlink()
    assert ptcards("build", name).status == 0
    assert shown(root) == []
    shutil.rmtree(folder)
    assert ptcards("build", name).status == 0
    assert shown(root) == []


@pytest.mark.parametrize("line", ["build/", "*.csv", "/my-deck/"])
def test_a_folder_that_git_ignores_anyway_gets_no_file(
    line: str, ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(DECK))
    assert ptcards("build", "my-deck", "-o", "elsewhere", "-q").status == 0
    shutil.rmtree("elsewhere")
    root = committed(write({}))
    write({".gitignore": f"{line}\n"})
    for _ in range(2):
        assert ptcards("build", "my-deck", *CSV).status == 0
        assert [each.name for each in (root / "my-deck/build").iterdir()] == ["my-deck.csv"]
    write({".gitignore": "\n"})
    assert ptcards("build", "my-deck", *CSV).status == 0
    assert shown(root) == []


@pytest.mark.parametrize(
    "files", [{"my-deck/build/tool.py": "mine"}, {"my-deck/build/sub/x.csv": "mine"}], ids=["file", "folder"]
)
def test_a_folder_with_other_files_stays_as_it_is(
    files: dict[str, str | bytes], ptcards: Run, write: Write
) -> None:
    root = committed(write(DECK))
    write(files)
    assert ptcards("build", root / "my-deck").status == 0
    assert not (root / "my-deck/build/.gitignore").exists()


def test_outputs_that_git_tracks_stay_visible(ptcards: Run, write: Write) -> None:
    root = write(DECK)
    assert ptcards("build", root / "my-deck", *CSV).status == 0
    committed(root)
    assert ptcards("build", root / "my-deck").status == 0
    assert shown(root) == ["?? my-deck/build/my-deck.apkg"]


def test_a_file_of_the_author_is_not_replaced(ptcards: Run, write: Write) -> None:
    root = committed(write(DECK))
    write({"my-deck/build/.gitignore": "*.csv\n"})
    assert ptcards("build", root / "my-deck").status == 0
    assert (root / "my-deck/build/.gitignore").read_text() == "*.csv\n"
    assert "?? my-deck/build/my-deck.apkg" in shown(root)


def test_no_file_for_git_without_git_with_an_option_without_a_deck_toml_and_in_a_dry_run(
    ptcards: Run, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({**DECK, "plain/a.md": NOTE})
    monkeypatch.chdir(root)
    assert ptcards("build", "my-deck").status == 0
    shutil.rmtree(root / "my-deck/build")
    git(root, "init", "-q")
    assert ptcards("build", "my-deck", "-o", "out").status == 0
    assert ptcards("build", "plain").status == 0
    assert ptcards("build", "my-deck", "--dry-run").status == 0
    assert list(root.rglob(".gitignore")) == []
