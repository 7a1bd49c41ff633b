"""Row 41: random authors, learners and neighbours; each update in Anki is compared with the rules."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from neighbour_worlds import NeighbourTally, neighbour_worlds
from subscribe_worlds import WorldTally, worlds

from scorecard.row import Effort, Measurement, Result, Row

_BATCH = 25


def _batches(effort: Effort, few: int, many: int) -> Iterator[range]:
    total = effort.pick(few, many)
    first = effort.seed * total
    for begin in range(first, first + total, _BATCH):
        yield range(begin, min(begin + _BATCH, first + total))


def _measure(effort: Effort) -> tuple[Result, ...]:
    tally, others = WorldTally(), NeighbourTally()
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(worlds, _batches(effort, 75, 4_700)):
            tally.add(each)
        for found in pool.map(neighbour_worlds, _batches(effort, 75, 3_000)):
            others.add(found)
    faults = (*tally.faults, *others.faults)
    figure = (
        f"{len(tally.faults)} in {tally.updates:,} updates of {tally.worlds:,} decks, {tally.fields:,} fields; "
        f"{tally.merged:,} notes merged, {tally.conflicts:,} in conflict, {tally.undone:,} updates undone, "
        f"{tally.imported:,} packages imported by hand; {len(others.faults)} in {others.updates:,} updates of "
        f"feeds that lie, in {others.worlds:,} collections with other decks, {others.rows:,} rows of others"
    )
    return (Result(figure, not faults, faults),)


MEASUREMENT = Measurement(
    (
        Row(
            41,
            "random updates of followed decks in the real Anki: an edit, tag, move, deletion, suspension or review "
            "that is lost, a change of the author's that does not arrive, or a changed byte of what is not the "
            "feed's",
            "0",
        ),
    ),
    _measure,
    only_long=True,
)
