"""Row 40: random histories of a deck, whose every release can be read back from the newest feed."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from release_histories import HistoryTally, histories

from scorecard.row import Effort, Measurement, Result, Row

_BATCH = 25


def _measure(effort: Effort) -> tuple[Result, ...]:
    total = effort.pick(50, 1_500)
    first = effort.seed * total
    tally = HistoryTally()
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(
            histories, [range(begin, begin + _BATCH) for begin in range(first, first + total, _BATCH)]
        ):
            tally.histories += each.histories
            tally.releases += each.releases
            tally.notes += each.notes
            tally.faults += each.faults
    figure = (
        f"{len(tally.faults)} in {tally.histories:,} histories with {tally.releases:,} releases "
        f"of {tally.notes:,} notes"
    )
    return (Result(figure, not tally.faults, tuple(tally.faults)),)


MEASUREMENT = Measurement(
    (Row(40, "random histories of releases: a release that the newest feed tells wrongly", "0"),),
    _measure,
    only_long=True,
)
