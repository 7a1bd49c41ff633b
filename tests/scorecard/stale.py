"""Row 38: builds after random edits and commands that share one cache."""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from ankiconnect import anki_connect
from scorecard.row import Effort, Measurement, Result, Row
from stale_walks import KINDS, Walk


class _Part(NamedTuple):
    folder: Path
    kind: str
    seed: int
    steps: int
    pushes: bool


def _walked(part: _Part) -> tuple[int, list[str]]:
    """Return the number of builds of a walk, and the first difference that it found."""
    folder = Path(tempfile.mkdtemp(dir=part.folder)).resolve()
    walk = Walk(folder / "walk", part.kind, part.seed, has_git=part.seed % 3 == 0)
    if part.pushes:
        (folder / "anki").mkdir()
        with anki_connect(folder / "anki") as anki:
            walk.url = anki.url
            found = next(walk.run(part.steps), "")
    else:
        found = next(walk.run(part.steps), "")
    shutil.rmtree(folder)
    return walk.builds, [found] if found else []


def _parts(effort: Effort, unlike: int) -> Iterator[_Part]:
    """Yield the walks: those of fixed seeds, and one of another seed for each kind."""
    seeds = [*range(effort.seed, effort.seed + effort.pick(1, 40)), unlike]
    for number, seed in enumerate(seeds):
        for kind in KINDS:
            pushes = number % 4 == 1 and kind != "types"
            yield _Part(effort.folder, kind, seed, effort.pick(12, 20), pushes)


def _measure(effort: Effort) -> tuple[Result, ...]:
    unlike = secrets.randbelow(10**6)
    builds, failures = 0, []
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for count, found in pool.map(_walked, _parts(effort, unlike)):
            builds += count
            failures += found
    wanted = effort.pick(100, 3000)
    same = f"{len(failures)} differ in {builds:,} builds"
    return (Result(same, builds >= wanted and not failures, tuple(failures)),)


MEASUREMENT = Measurement(
    (
        Row(
            38,
            "builds after random edits and commands that share one cache (own format, own note types, each dialect; `push` and `pull` included) whose outputs, lock or messages differ from those of a build without a cache",
            "0",
        ),
    ),
    _measure,
)
