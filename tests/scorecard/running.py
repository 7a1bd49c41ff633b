"""Runs each measurement in a separate process, which may break without affecting the others."""

import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from scorecard.row import Effort, Measurement, Result
from scorecard.rows import MEASUREMENTS


def measured(
    chosen: list[Measurement], *, long: bool, seed: int, jobs: int
) -> Iterator[tuple[Measurement, tuple[Result, ...], float]]:
    """Run each measurement in a separate process, as many at the same time as there are jobs."""
    at_once = 1 if len(chosen) == 1 else jobs
    with (
        tempfile.TemporaryDirectory(prefix="scorecard-") as folder,
        ProcessPoolExecutor(at_once, get_context("spawn"), max_tasks_per_child=1) as pool,
    ):
        futures = {}
        for number, measurement in enumerate(chosen):
            own = Path(folder) / str(number)
            own.mkdir()
            effort = Effort(long, seed, max(1, jobs // at_once), own)
            futures[pool.submit(_measure, MEASUREMENTS.index(measurement), effort)] = measurement
        for future in as_completed(futures):
            yield (futures[future], *future.result())


def _measure(number: int, effort: Effort) -> tuple[tuple[Result, ...], float]:
    measurement = MEASUREMENTS[number]
    begun = time.monotonic()
    try:
        results = measurement.run(effort)
    except Exception:  # noqa: BLE001 - whatever breaks a measurement, the other rows are still measured
        said = tuple(traceback.format_exc().rstrip().split("\n")[-12:])
        results = tuple(Result("the measurement failed", False, said) for _ in measurement.rows)
    return results, time.monotonic() - begun
