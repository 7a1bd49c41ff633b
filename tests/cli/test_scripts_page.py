"""The page about scripts has a program that works as it is written."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scripts.md"


def test_its_program_lists_what_stops_a_build(write: Callable[[dict[str, str]], Path]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    toml = 'name = "D"\nid = "i"\n'
    root = write({"my-deck/deck.toml": toml, "my-deck/a.md": "## What is it?\n", "program.py": program})
    ran = subprocess.run([sys.executable, "program.py"], cwd=root, capture_output=True, text=True, check=True)
    assert ran.stdout == "my-deck/a.md:1: this question has no answer\n"
    (root / "my-deck" / "a.md").write_text("## What is it?\n\nIt is this, because of that.\n", "utf-8")
    ran = subprocess.run([sys.executable, "program.py"], cwd=root, capture_output=True, text=True, check=True)
    assert (ran.stdout, (root / "my-deck" / "build" / "d.apkg").exists()) == ("", True)
