"""Row 44: random sequences of `ptcards add`, edits and builds."""

import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from adding_walks import AddingWalk
from scorecard.row import Effort, Measurement, Result, Row


class _Part(NamedTuple):
    folder: Path
    seed: int
    steps: int


def _walked(part: _Part) -> tuple[int, int, list[str]]:
    """Return how many notes were added, how many texts were refused, and what went wrong."""
    folder = Path(tempfile.mkdtemp(dir=part.folder)).resolve()
    walk = AddingWalk(folder / "deck", part.seed)
    found = walk.run(part.steps)
    shutil.rmtree(folder)
    return walk.added, walk.refused, [found] if found else []


def _parts(effort: Effort) -> Iterator[_Part]:
    count = effort.pick(20, 1000)
    return (
        _Part(effort.folder, seed, effort.pick(5, 10)) for seed in range(effort.seed, effort.seed + count)
    )


def _measure(effort: Effort) -> tuple[Result, ...]:
    walks = added = refused = 0
    failures: list[str] = []
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for number, other, found in pool.map(_walked, _parts(effort)):
            walks, added, refused = walks + 1, added + number, refused + other
            failures += found
    ours = f"{len(failures)} in {walks:,} sequences that add {added:,} notes; {refused:,} texts refused as a whole"
    return (Result(ours, added > walks and not failures, tuple(failures)),)


MEASUREMENT = Measurement(
    (
        Row(
            44,
            "random sequences of `ptcards add`, edits, accepted and rejected drafts, and builds after which a note is lost, a refused text has changed a file, or a draft is in an output or the lock",
            "0",
        ),
    ),
    _measure,
)
