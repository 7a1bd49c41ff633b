"""Row 35: caches that were damaged, planted or removed between two builds."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cache_damage
from scorecard.row import Effort, Measurement, Result, Row

_SHORT = 60
_PARTS = 8


def _survivors(part: tuple[Path, int, int, int]) -> tuple[int, list[str]]:
    folder, seed, number, step = part
    site = cache_damage.Site(folder)
    site.restore()
    damages = list(cache_damage.damages(site.cache, seed))
    step = step or len(damages) // _SHORT * _PARTS
    chosen = damages[number * (step // _PARTS) :: step]
    failures = cache_damage.failures(site, chosen)
    site.restore()
    return len(chosen), failures


def _parts(effort: Effort) -> Iterator[tuple[Path, int, int, int]]:
    for number in range(_PARTS):
        yield effort.folder / str(number), effort.seed, number, effort.pick(0, _PARTS)


def _measure(effort: Effort) -> tuple[Result, ...]:
    tried, failures = 0, []
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for count, found in pool.map(_survivors, _parts(effort)):
            tried += count
            failures += found
    builds = tried * len(cache_damage.SITUATIONS)
    survived = f"{builds - len(failures):,} of {builds:,} builds with {tried:,} damaged caches"
    return (Result(survived, tried >= effort.pick(50, 100) and not failures, tuple(failures)),)


MEASUREMENT = Measurement(
    (
        Row(
            35,
            "damaged, foreign and unreadable caches survived: same bytes as without one, at most one line of output, no hang",
            "all of at least 100",
        ),
    ),
    _measure,
)
