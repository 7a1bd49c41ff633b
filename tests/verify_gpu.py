"""Run the code on the cards that needs a GPU, on a machine that has one: `make verify-gpu`."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

_NEEDS_ONE_GPU = re.compile(r' no-run="(needs a GPU|values need a GPU)"')
_ID = re.compile(r"<!-- card: .*?\bid=([\w-]+)")


def without_the_mark(text: str) -> tuple[str, list[str]]:
    """Return a source whose GPU code is run like any other, and the ids of its notes."""
    ids = []
    key = ""
    for line in text.splitlines():
        if found := _ID.match(line):
            key = found[1]
        elif _NEEDS_ONE_GPU.search(line) and key not in ids:
            ids.append(key)
    return _NEEDS_ONE_GPU.sub("", text), ids


def main(cards: Path, python: str) -> int:
    """Run each note with GPU code, with access to the devices; return the number of those that fail."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(cards, Path(folder) / "cards"))
        for file in sorted(copy.glob("*.md")):
            text, ids = without_the_mark(file.read_text("utf-8"))
            file.write_text(text, "utf-8")
            for key in ids:
                click.echo(key)
                command = [sys.executable, "-m", "ptcards", "verify", str(file), "-k", key, "--strict"]
                # The sandbox hides the devices, and the first CUDA call takes long.
                options = ["--no-sandbox", "--timeout", "300", "--python", python]
                failed += subprocess.run([*command, *options], check=False).returncode != 0
    click.echo(f"{failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]) > 0)
