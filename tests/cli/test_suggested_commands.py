"""Every command that a help suggests works where its reader is."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran

TOML = 'name = "Deck"\nid = "i"\n'
PAIRS = "".join(f"Q: What is {n}?\nA: The number {n}.\n\n" for n in range(5))
QUESTION = "## What is autograd?\n\nA tape of operations.\n"
_COMMAND = re.compile(r"`((?:ptcards|git) [^`]+)`")


@pytest.mark.parametrize("folder", [".", "my deck", "my deck/inner"])
@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"t.txt": "q\ta\nr\tb\n"}, "t.txt"),
        ({"t'able.csv": "q,a\nr,b\n"}, "t'able.csv"),
        ({"README.md": QUESTION}, "."),
        ({"a b.md": PAIRS}, "a b.md"),
        ({"a.md": PAIRS, "b.md": PAIRS.replace("number", "figure")}, "."),
        ({"deck.toml": TOML, "a.md": PAIRS, "b.md": PAIRS.replace("number", "figure")}, "."),
        ({"deck.toml": TOML, "a.md": QUESTION, "deck.lock": "<<<<<<< HEAD\n"}, "."),
    ],
)
def test_suggested_commands_work_from_the_folder_they_are_read_in(
    files: dict[str, str],
    named: str,
    folder: str,
    *,
    write: Callable[..., Path],
    ptcards: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = write({f"work/my deck/inner/{name}": text for name, text in files.items()}) / "work"
    monkeypatch.chdir(root / folder)
    asked = (root / "my deck/inner" / named).relative_to(root / folder)
    helps = [line for line in ptcards("check", asked).out.splitlines() if " help:" in line]
    commands = _COMMAND.findall("\n".join(helps))
    assert commands
    for program, *words in map(shlex.split, commands):
        if program == "git":
            assert Path(words[-1]).is_file()
        else:
            ran = ptcards(*words)
            assert ran.status == 0, ran.err
