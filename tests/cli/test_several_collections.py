"""A folder above several collections stands for all of them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]


def course(write: Write) -> Path:
    """Return the folder of a course with two lectures, which are collections."""
    return write(
        {
            "README.md": "# A course\n",
            ".venv/deck.toml": 'name = "Not ours"\n',
            **{
                f"lectures/{name}/{file}": text
                for name in ("first", "second")
                for file, text in {
                    "deck.toml": f'name = "{name}"\nid = "{name}"\nlicense = "MIT"\n',
                    "a.md": f"# Deck\n\n## What is the {name}?\n\nThe {name} is a lecture of the course.\n",
                }.items()
            },
        }
    )


@pytest.mark.parametrize("command", ["check", "build --dry-run", "verify", "find lecture --in", "diff"])
def test_commands_do_the_same_as_for_each_folder(
    command: str, write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course(write))
    subprocess.run(
        "git init -q && git add . && git -c user.name=a -c user.email=b commit -qm x", shell=True, check=True
    )
    words = command.split()
    alone = [ptcards(*words, Path("lectures", name)) for name in ("first", "second")]
    both = ptcards(*words, Path())
    assert both.status == max(ran.status for ran in alone)
    for stream in ("out", "err"):
        lines = [
            line
            for ran in alone
            for line in getattr(ran, stream).splitlines()
            if "nothing to report" not in line
        ]
        assert [line for line in lines if line not in getattr(both, stream)] == []


def test_each_is_built_into_its_own_folder(write: Write, ptcards: Run) -> None:
    root = course(write)
    assert ptcards("build", root).status == 0
    assert sorted(file.relative_to(root).as_posix() for file in root.rglob("*.apkg")) == [
        "lectures/first/build/first.apkg",
        "lectures/second/build/second.apkg",
    ]


def test_notes_beside_collections_are_never_passed_over(write: Write, ptcards: Run) -> None:
    root = course(write)
    write({"more.md": "## Who?\n\nI.\n"})
    ran = ptcards("check", root)
    assert (ran.status, ran.out.count("error[nested-collection]")) == (2, 2)
    assert "name its folder, `" in ran.out


def test_json_is_about_one_collection(write: Write, ptcards: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course(write))
    assert ptcards("diff", ".", "--format", "json") == Ran(
        2, "", "error: JSON is about one collection\nhelp: name one: `lectures/first`\n"
    )
