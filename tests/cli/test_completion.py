"""What a shell offers when you press Tab, such as commands, options, rules, formats, keys and files."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]
TOML = 'name = "Deck"\nid = "i"\n'


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ptcards ver", ["verify"]),
        ("ptcards explain text", ["text-before-heading", "text-without-field"]),
        (
            "ptcards check --select vague-question,text",
            ["vague-question,text-before-heading", "vague-question,text-without-field"],
        ),
        ("ptcards check --ignore closing", ["closing-blank-lines"]),
        ("ptcards check --stat", ["--statistics"]),
        ("ptcards build --format a", ["apkg", "anki-csv"]),
        ("ptcards verify -k what-is-a", ["what-is-a", "what-is-autograd"]),
    ],
)
@pytest.mark.extensions
def test_what_was_begun_is_completed(typed: str, expected: list[str], write: Write) -> None:
    write({"deck.toml": TOML, "a.md": "## What is autograd?\n\nA tape.\n\n## What is a?\n\nIt.\n"})
    assert offered(typed, write({})) == [f"plain,{each}" for each in expected]


def test_sources_are_files(write: Write) -> None:
    assert offered("ptcards check a.", write({})) == ["file,a."]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str, tmp_path: Path) -> None:
    done = _run(tmp_path, _PTCARDS_COMPLETE=f"{shell}_source")
    assert "_PTCARDS_COMPLETE" in done


def offered(typed: str, folder: Path) -> list[str]:
    """Return what bash is offered for a line that was typed in a folder."""
    words = len(typed.split()) - 1
    return _run(
        folder, COMP_WORDS=typed, COMP_CWORD=str(words), _PTCARDS_COMPLETE="bash_complete"
    ).splitlines()


def _run(folder: Path, **env: str) -> str:
    code = "import sys; sys.argv = ['ptcards']; from ptcards.__main__ import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
