"""Row 41: random authors and learners; every update in the real Anki is compared with the rules."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from subscribe_worlds import WorldTally, worlds

from scorecard.row import Effort, Measurement, Result, Row

_BATCH = 25


def _measure(effort: Effort) -> tuple[Result, ...]:
    total = effort.pick(75, 4_700)
    first = effort.seed * total
    tally = WorldTally()
    seeds = [
        range(begin, min(begin + _BATCH, first + total)) for begin in range(first, first + total, _BATCH)
    ]
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(worlds, seeds):
            tally.add(each)
    figure = (
        f"{len(tally.faults)} in {tally.updates:,} updates of {tally.worlds:,} decks, {tally.fields:,} fields; "
        f"{tally.merged:,} notes merged, {tally.conflicts:,} in conflict, {tally.undone:,} updates undone, "
        f"{tally.imported:,} packages imported by hand"
    )
    return (Result(figure, not tally.faults, tuple(tally.faults)),)


MEASUREMENT = Measurement(
    (
        Row(
            41,
            "random updates of followed decks in the real Anki: an edit, tag, move, deletion, suspension or review "
            "that is lost, or a change of the author's that does not arrive",
            "0",
        ),
    ),
    _measure,
    only_long=True,
)
