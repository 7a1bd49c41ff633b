"""Compares the speed of ptcards with that of other tools, on the same notes and at the same time.

    make bench                     every case (about half an hour)
    make bench CASES="cold check"  cases whose name contains one of these words
    make bench NOTES=1000          with a tenth of the notes

Run it with a Python that has a wheel of ptcards installed, as users do. In each case, the tools take turns;
the figures are medians of wall-clock time, including start-up. Every tool reads the deck in its own
dialect (`bench/decks.py`).
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from decks import write_deck

HERE = Path(__file__).parent
OURS = [Path(sys.executable).with_name("ptcards")]
Command = Callable[[], Sequence[str | Path]]


@dataclass(frozen=True, slots=True)
class Row:
    """A measured case: the seconds of both tools, and the target for their ratio or for ptcards alone."""

    case: str
    ours: float
    other: float | None
    target: str

    def line(self) -> str:
        """Return the row of the table."""
        other = "" if self.other is None else f"{self.other:.2f} s"
        ratio = "" if self.other is None else f"{self.ours / self.other:.2f}"
        return f"| {self.case} | {self.ours:.2f} s | {other} | {ratio} | {self.target} |"


@dataclass(slots=True)
class Bench:
    """The cases, and their decks, which are written on demand.

    `scale` is the number of notes in the medium deck.
    """

    folder: Path
    peers: Path
    scale: int
    rounds: int
    words: Sequence[str]

    def run(self) -> None:
        """Measure all selected cases, and print each result immediately."""
        print("| case | ours | other | ratio | target |\n|---|---|---|---|---|", flush=True)
        some, tenth, fifth = self.scale, self.scale // 10, self.scale // 5
        for notes, target in ((tenth // 10, ""), (tenth, ""), (some, "≤ 0.2 ×")):
            self.cold(notes, "mixed", target)
        self.cold(fifth, "real", "")
        self.peer("ankdown 0.7.1", fifth, "ankdown", "≤ 1.0 ×", self.ankdown)
        self.peer("markdown-anki-decks", fifth, "mdankideck", "far below", self.mdankideck)
        self.unchanged(some, "≤ 0.15 s")
        self.unchanged(some * 10, "≤ 0.4 s")
        self.edit(some, "≤ 0.8 s")
        self.edit(fifth, "", "real")
        self.check(some)
        self.large(some)
        self.alone("--help", lambda: [*OURS, "--help"], "≤ 0.1 s")
        self.shipped()

    def cold(self, notes: int, shape: str, target: str) -> None:
        """Build without cache, lock and outputs, and compare with the naive script."""
        deck, naive = self.deck(notes, shape), self.folder / "naive.apkg"
        command: list[str | Path] = [sys.executable, HERE / "naive.py", deck, naive]
        self.compare(
            f"cold build, {notes:,} notes ({shape}), naive script",
            lambda: self.build(deck, fresh=True),
            lambda: command,
            target,
        )

    def peer(
        self, name: str, notes: int, dialect: str, target: str, command: Callable[[Path], Command]
    ) -> None:
        """Build without cache, and compare with another tool in its own dialect."""
        if not (self.peers / "bin").is_dir():
            return
        deck = self.deck(notes, "mixed")
        theirs = self.deck(notes, "mixed", dialect)
        case = f"cold build, {notes:,} notes (mixed), {name}"
        self.compare(case, lambda: self.build(deck, fresh=True), command(theirs), target)

    def ankdown(self, deck: Path) -> Command:
        """Return the command for ankdown, which writes one package."""
        return lambda: [
            self.peers / "bin/ankdown",
            "-r",
            deck,
            "-p",
            self.folder / "ankdown.apkg",
            "--highlight",
        ]

    def mdankideck(self, deck: Path) -> Command:
        """Return the command for markdown-anki-decks, which writes a package for each file."""
        (self.folder / "mdankideck").mkdir(exist_ok=True)
        return lambda: [self.peers / "bin/mdankideck", deck, self.folder / "mdankideck"]

    def unchanged(self, notes: int, target: str) -> None:
        """Build again without a change."""
        case = f"rebuild, nothing changed, {notes:,} notes"
        if self.wanted(case):
            deck = self.deck(notes, "mixed")
            self.took(self.build(deck))
            self.alone(case, lambda: self.build(deck), target)

    def edit(self, notes: int, target: str, shape: str = "mixed") -> None:
        """Build after a change to one note."""
        case = f"rebuild, one note edited, {notes:,} notes ({shape})"
        if not self.wanted(case):
            return
        deck = self.deck(notes, shape)
        self.took(self.build(deck))
        times = self.edited(deck, self.build(deck))
        floor: list[str | Path] = [
            sys.executable,
            HERE / "floor.py",
            self.output(deck) / "bench.apkg",
            self.folder / "floor.apkg",
        ]
        floors = [float(self.ran(floor)) for _ in range(self.rounds)]
        case = f"{case}; the same rows written by sqlite3 and zlib"
        print(Row(case, statistics.median(times), statistics.median(floors), target).line(), flush=True)
        shutil.rmtree(deck)

    def edited(self, deck: Path, command: Sequence[str | Path]) -> list[float]:
        """Run a command repeatedly, each time after a change to one note; return the seconds."""
        file, times = min(deck.rglob("*.md")), []
        for number in range(self.rounds + 2):
            text = file.read_text("utf-8").replace("-->\n\n", f"-->\n\nEdit {number}. ", 1)
            file.write_text(text, "utf-8")
            times.append(self.took(command))
        return times

    def check(self, notes: int) -> None:
        """Compare a first check with the naive script's build; then check again, and after an edit."""
        deck, naive = self.deck(notes, "mixed"), self.folder / "naive.apkg"
        other: list[str | Path] = [sys.executable, HERE / "naive.py", deck, naive]
        ours: list[str | Path] = [*OURS, "check", "-q", deck]

        def fresh() -> list[str | Path]:
            shutil.rmtree(self.folder / "cache", ignore_errors=True)
            return ours

        case = f"check, {notes:,} notes (mixed)"
        self.compare(f"{case}, naive script", fresh, lambda: other, "≤ 0.2 ×")
        self.alone(f"{case}, nothing changed", lambda: ours, "≤ 0.3 s")
        if self.wanted(f"{case}, one note edited"):
            self.took(ours)
            times = self.edited(deck, ours)
            print(
                Row(f"{case}, one note edited", statistics.median(times), None, "≤ 1.2 s").line(), flush=True
            )
        if self.wanted(f"{case}, share of each rule"):
            print(f"\n{self.ran([sys.executable, HERE / 'rules.py', deck])}", flush=True)

    def large(self, notes: int) -> None:
        """Build ten times as many notes, compare the time with that of `notes`, and report the memory."""
        case = f"cold build, {notes * 10:,} notes, and {notes:,}"
        if not self.wanted(case):
            return
        small, large = self.deck(notes, "mixed"), self.deck(notes * 10, "mixed")
        self.compare(
            case, lambda: self.build(large, fresh=True), lambda: self.build(small, fresh=True), "≤ 11 ×"
        )
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
        print(
            f"\nPeak memory of any process up to here: {peak} MB (target 200 MB for 100,000 notes)\n",
            flush=True,
        )

    def shipped(self) -> None:
        """Build the deck that comes with ptcards, from a copy."""
        deck = self.folder / "cards"
        shutil.copytree(HERE.parent / "cards", deck)
        self.alone("cold build, cards/", lambda: self.build(deck, fresh=True), "")
        self.took(self.build(deck))
        self.alone("rebuild, nothing changed, cards/", lambda: self.build(deck), "")

    def wanted(self, case: str) -> bool:
        """Whether a case was requested."""
        return not self.words or any(word in case for word in self.words)

    def deck(self, notes: int, shape: str, dialect: str = "ptcards") -> Path:
        """Return a deck; the first call writes it."""
        folder = self.folder / f"{shape}-{notes}-{dialect}"
        if not folder.is_dir():
            write_deck(folder, notes, shape, dialect)
        return folder

    def build(self, deck: Path, *, fresh: bool = False) -> Sequence[str | Path]:
        """Return the command that builds a deck; `fresh` deletes the results of earlier builds."""
        if fresh:
            for path in (self.output(deck), self.folder / "cache"):
                shutil.rmtree(path, ignore_errors=True)
            if deck.name != "cards":
                (deck / "deck.lock").unlink(missing_ok=True)
        return [*OURS, "build", "-q", deck, "-o", self.output(deck)]

    def output(self, deck: Path) -> Path:
        """Return the output folder of a deck."""
        return self.folder / f"out-{deck.name}"

    def compare(self, case: str, ours: Command, other: Command, target: str) -> None:
        """Run ptcards and the other tool in turn."""
        if self.wanted(case):
            times = [(self.took(ours()), self.took(other())) for _ in range(self.rounds)]
            mine, theirs = (statistics.median(some) for some in zip(*times, strict=True))
            print(Row(case, mine, theirs, target).line(), flush=True)

    def alone(self, case: str, ours: Command, target: str) -> None:
        """Run ptcards a few times."""
        if self.wanted(case):
            times = [self.took(ours()) for _ in range(self.rounds + 2)]
            print(Row(case, statistics.median(times), None, target).line(), flush=True)

    def took(self, command: Sequence[str | Path]) -> float:
        """Run a command and return the seconds that it took."""
        begun = time.perf_counter()
        self.ran(command)
        return time.perf_counter() - begun

    def ran(self, command: Sequence[str | Path]) -> str:
        """Run a command and return what it prints."""
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - commands above
        if done.returncode:
            sys.exit(f"{command}\n{done.stderr}")
        return done.stdout


def main() -> None:
    """Run the benchmark in a temporary folder."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("words", nargs="*", help="measure only cases whose name contains one of these words")
    parser.add_argument("--notes", type=int, default=10_000, help="notes in the medium deck")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--peers", type=Path, default=Path(".venv-bench"), help="virtual environment of the other tools"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Bench(Path(folder), given.peers.absolute(), given.notes, given.rounds, given.words).run()


if __name__ == "__main__":
    main()
