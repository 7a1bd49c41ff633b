"""What differs on Windows and macOS, simulated on Linux: files in use, names, and how processes start.

`other_systems.py` has the rules of Windows. Locales are in `test_odd_streams.py`; for everything else that
depends on the system, a function decides, whose tests are beside it.
"""

import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

import pytest
import yaml

from conftest import NEW_LOCK, Ran
from other_systems import files_in_use
from systems import left_out

Form = Literal["NFC", "NFD"]
Run = Callable[..., Ran]
Write = Callable[[dict[str, str | bytes]], Path]

TOML = 'name = "Deck"\nid = "deck"\n'
NOTE = "## Explain one.\n<!-- card: id=one -->\n\nBecause it fits.\n"
NOW = {"SOURCE_DATE_EPOCH": "1700000000"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# Files in use


@pytest.fixture
def _windows(monkeypatch: pytest.MonkeyPatch) -> None:
    files_in_use(monkeypatch)


@pytest.mark.usefixtures("_windows")
@pytest.mark.parametrize("held", ["out/deck.apkg", "c/deck.lock"])
def test_a_file_that_another_program_has_open_is_named_and_nothing_is_lost(
    held: str, write: Write, ptcards: Run
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": NOTE})
    build = ("build", root / "c", "-o", root / "out")
    assert ptcards(*build, env=NOW).status == 0
    before = tree(root)
    write({"c/a.md": f"{NOTE}\nAnd more.\n", "c/b.md": "## Two?\n\nBecause.\n"})
    with (root / held).open("rb"):
        ran = ptcards(*build, env=NOW)
    message = f"error: cannot write `{held}`: another program has it open; close it and try again\n"
    assert (ran.status, ran.err.replace(NEW_LOCK, "")) == (1, message)
    assert {name: content for name, content in tree(root).items() if name.startswith("out/")} == {
        name: content for name, content in before.items() if name.startswith("out/")
    }
    assert ptcards(*build, env=NOW).status == 0
    after = tree(root)
    assert after.keys() == before.keys() | {"c/b.md"}
    for name in ("out/deck.apkg", "out/deck.csv", "c/deck.lock"):
        (root / name).unlink()
    write({"c/deck.lock": before["c/deck.lock"]})
    assert ptcards(*build, env=NOW).status == 0
    assert tree(root) == after


@pytest.mark.usefixtures("_windows")
def test_no_command_replaces_or_flushes_a_file_in_a_way_that_windows_refuses(
    write: Write, ptcards: Run, tmp_path: Path
) -> None:
    root = write({"c/deck.toml": TOML, "c/a.md": f"{NOTE}\n```pyhton\nx\n```\n"})
    ran = [
        ptcards("init", root / "new"),
        ptcards("check", root / "c", "--fix"),
        ptcards("build", root / "c", "-o", root / "out", "--format", "html", "--format", "apkg"),
        ptcards("keep", root / "c"),
        ptcards("import", root / "out" / "deck.apkg", root / "imported"),
        ptcards("inbox", root / "c", root / "out" / "deck.apkg"),
        ptcards("add", tmp_path / "note", "--to", root / "c" / "a.md"),
    ]
    assert [each.err for each in ran if each.status not in (0, 2)] == []
    assert "imported/deck.lock" in tree(root)
    assert not [name for name in tree(root) if ".ptcards-" in name]


# Names


def _collection(root: Path, form: Form) -> Path:
    files = {
        "deck.toml": f'{TOML}order = ["Größe"]\nexclude = ["ü.md"]\ninclude = ["é/README.md"]\n',
        "größe/é.md": f"{NOTE}\n![A drawing](bü.svg)\n",
        "größe/bü.svg": "<svg/>",
        "ü.md": "## Why?\n",
        "é/README.md": "## Two?\n\nBecause of it.\n",
    }
    for name, content in files.items():
        file = root / form / unicodedata.normalize(form, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, "utf-8")
    return root / form


def test_names_with_divided_accents_make_the_same_deck(ptcards: Run, tmp_path: Path) -> None:
    """HFS+ divides accents in names; archives and shares bring such names to every system."""
    made = []
    for form in get_args(Form):
        folder = _collection(tmp_path, form)
        assert ptcards("check", folder).status == 0
        assert ptcards("build", folder, env=NOW).status == 0
        made.append(tree(folder / "build") | {"deck.lock": (folder / "deck.lock").read_bytes()})
    assert made[0] == made[1]


# Processes


_AS_ON_MACOS = """
import sys
from ptcards.__main__ import run
if __name__ == "__main__":
    sys.platform = "darwin"
    run()
"""


@pytest.mark.slow
def test_spawned_processes_make_the_same_deck(tmp_path: Path, write: Write) -> None:
    many = "".join(f"## Explain {number}.\n\nBecause `{number}` fits.\n\n" for number in range(600))
    write({"c/deck.toml": TOML, "c/a.md": many, "c/b.md": many, "start.py": _AS_ON_MACOS})
    made = []
    for name, program in (("here", ("-m", "ptcards")), ("there", ("start.py",))):
        command = [sys.executable, *program, "build", "c", "-o", name]
        env = {**os.environ, **NOW, "XDG_CACHE_HOME": str(tmp_path / f"cache-{name}")}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
        made.append(tree(tmp_path / name))
    assert made[0] == made[1]


# The tests themselves


ROOT = Path(__file__).parent.parent


def test_few_modules_of_tests_need_linux() -> None:
    """Lower the numbers when they fall; a test that runs on every system is better than a mark."""
    assert {system: len(left_out(system)) for system in ("linux", "darwin", "win32")} == {
        "linux": 0,
        "darwin": 11,
        "win32": 45,
    }


def test_the_workflow_runs_what_the_commands_for_contributors_run() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    quick, gate = workflow["jobs"]["quick"], workflow["jobs"]["gate"]
    assert quick["strategy"]["matrix"] == {
        "system": ["ubuntu-latest", "windows-latest", "macos-latest"],
        "python": ["3.11", "3.14"],
    }
    commands = [step["run"] for step in quick["steps"] if "run" in step]
    (make_test,) = re.findall(
        r"^test:.*\n\t@\$\(BIN\)/(.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    assert commands[1:] == ["ruff check", "ruff format --check", "mypy", "mypy src addon", make_test]
    assert gate["steps"][-1] == {"run": "bash .ci/run"}
