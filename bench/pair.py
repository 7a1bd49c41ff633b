"""Compares the CPU time of two wheels of ptcards on the same notes, in turns.

    make bench BASE=eb6c10d              this commit and eb6c10d, with 10,000 notes
    make bench BASE=eb6c10d NOTES=2000   with fewer

Run it with a Python that has this commit's wheel, and name the `ptcards` of the other. The figures are the
least of several rounds, user and system time together: other programs on the machine only ever add to it.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from decks import write_deck

CASES = ("cold build", "first check", "build after one edit", "build again, nothing changed")


@dataclass(frozen=True, slots=True)
class Side:
    """An installed `ptcards`, and the folder with its deck, its outputs and its cache."""

    program: Path
    folder: Path

    def costs(self) -> dict[str, float]:
        """Return the seconds of CPU time of each case, in one round."""
        deck, build = self.folder / "deck", ("build", "-q", "deck", "-o", "out")
        cold = self.cost(*build)
        shutil.rmtree(self.folder / "cache")
        (deck / "deck.lock").unlink()
        checked = self.cost("check", "-q", "deck")
        self.cost(*build)
        file = min(deck.rglob("*.md"))
        file.write_text(file.read_text("utf-8").replace("-->\n\n", "-->\n\nOnce more. ", 1), "utf-8")
        edited = self.cost(*build)
        unchanged = self.cost(*build)
        for made in ("cache", "out"):
            shutil.rmtree(self.folder / made)
        (deck / "deck.lock").unlink()
        return dict(zip(CASES, (cold, checked, edited, unchanged), strict=True))

    def cost(self, *arguments: str) -> float:
        """Run the program and return the seconds of CPU time of it and its processes."""
        before = _used()
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run(  # noqa: S603 - commands above
            [self.program, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{self.program} {arguments}\n{done.stderr}")
        return _used() - before


def _used() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("base", type=Path, help="the `ptcards` to compare with")
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its modules compiled
    with tempfile.TemporaryDirectory() as folder:
        programs = (Path(sys.executable).with_name("ptcards"), given.base.absolute())
        sides = [Side(program, Path(folder, name)) for program, name in zip(programs, "ab", strict=True)]
        for side in sides:
            write_deck(side.folder / "deck", given.notes, "mixed", "ptcards")
            side.cost("--version")
        rounds = [[side.costs() for side in sides] for _ in range(given.rounds)]
    print(f"| {given.notes:,} notes | this commit | base | ratio |\n|---|---|---|---|")
    for case in CASES:
        ours, base = (min(each[side][case] for each in rounds) for side in (0, 1))
        print(f"| {case} | {ours:.2f} s | {base:.2f} s | {ours / base:.2f} |")


if __name__ == "__main__":
    main()
