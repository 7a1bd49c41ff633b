"""The core works with all extensions deleted, and lists only its own commands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ptcards

pytestmark = pytest.mark.slow  # starts a process for each command

COMMANDS = ("init", "check", "diff", "keep", "build", "find", "open", "explain")


def test_the_core_works_without_extensions(tmp_path: Path) -> None:
    core = tmp_path / "core" / "ptcards"
    shutil.copytree(Path(ptcards.__file__).parent, core, ignore=shutil.ignore_patterns("__pycache__"))
    for extension in [each for each in (core / "extensions").iterdir() if each.is_dir()]:
        shutil.rmtree(extension)

    def run(*command: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "ptcards", *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(core.parent), "XDG_CACHE_HOME": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    _, page = run("--help")
    listed = [line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2:3].islower()]
    assert [name for name in listed if name in COMMANDS or name == "serve"] == list(COMMANDS)
    status, text = run("push")
    assert (status, text.splitlines()[0]) == (2, "error: there is no `ptcards push`")
    assert [
        run(*command.split())[0] for command in ("init deck", "check deck", "build deck", "build deck")
    ] == [0] * 4
    assert [
        run(*command.split())[0] for command in ("find gap --in deck", "explain no-answer", "diff deck")
    ] == [
        0,
        0,
        2,
    ]
    for option, command in (("--fetch", "check --fix --fetch deck"), ("--agents", "init --agents deck")):
        status, text = run(*command.split())
        message = f"`{option}` needs an extension of ptcards that is not installed"
        assert (status, text.splitlines()[-1]) == (2, f"error: {message}")
    toml = tmp_path / "deck" / "deck.toml"
    toml.write_text(f'{toml.read_text("utf-8")}dialect = "qa"\n', "utf-8")
    status, text = run("check", "deck")
    assert (status, text.splitlines()[0].partition(" ")[2], text.splitlines()[-3]) == (
        2,
        "error[unknown-dialect] unknown dialect `qa`",
        "  = help: the extension of ptcards that reads other formats is not installed",
    )
    assert {each.suffix for each in (tmp_path / "deck" / "build").iterdir() if each.is_file()} >= {
        ".apkg",
        ".csv",
    }
