"""Row 36: words that `#` lines take out of answers."""

import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import deck_lines
from scorecard.row import Effort, Measurement, Result, Row

_BATCH = 500


def _lost(batch: tuple[Path, int, int]) -> tuple[int, list[str]]:
    folder, seed, begin = batch
    source = random.Random(f"{seed} {begin}")
    folder.mkdir()
    return deck_lines.misplaced(folder, [deck_lines.a_text(source, number) for number in range(_BATCH)])


def _batches(effort: Effort, total: int) -> Iterator[tuple[Path, int, int]]:
    for begin in range(0, total, _BATCH):
        yield effort.folder / str(begin), effort.seed, begin


def _measure(effort: Effort) -> tuple[Result, ...]:
    total = effort.pick(1_000, 20_000)
    published, lost = 0, []
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for count, texts in pool.map(_lost, _batches(effort, total)):
            published += count
            lost += texts
    figure = f"{len(lost)} of {total:,} texts; {published:,} could be published, the others were refused with a location"
    return (Result(figure, published > 0 and not lost, tuple(map(repr, lost))),)


MEASUREMENT = Measurement(
    (
        Row(
            36,
            "generated texts that lose a word to a `#` line or have an answer cut off, without a message",
            "0 of 10,000",
        ),
    ),
    _measure,
)
