"""Row 37: an author's edits over many releases, compared with a reference of which note is which."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from author_judge import Shares, Tally
from identity_author import simulate
from scorecard.row import Effort, Measurement, Result, Row

_BATCH = 50


def _measure(effort: Effort) -> tuple[Result, ...]:
    total = effort.pick(100, 10_000)
    first = effort.seed * total
    batches = [range(begin, begin + _BATCH) for begin in range(first, first + total, _BATCH)]
    tally = Tally()
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(simulate, batches):
            tally.add(each)
    shares = Shares.of(tally)
    figure = (
        f"{len(tally.faults)} and {tally.undelivered} of {tally.published:,} notes published in {total:,} sequences, "
        f"{tally.releases:,} releases; wrong but listed, or the author was asked: {tally.told_wrong:,}; needless new notes: "
        f"{tally.needless_told:,} with a message, {len(tally.lost):,} without one, and {tally.returned:,} that came back "
        f"after being retired with another question and answer; of {tally.rewordings.total():,} rewordings {shares.asked:.1f}% asked "
        f"(typography {shares.asked_over_typography:.1f}%), {shares.untold:.2f}% new without a message"
    )
    is_clean = not tally.faults and not tally.undelivered and not tally.lost
    return (Result(figure, is_clean and shares.are_few, (*tally.faults, *tally.lost)),)


MEASUREMENT = Measurement(
    (Row(37, "an author's releases: notes silently wrong; changes that do not arrive", "0, 0"),),
    _measure,
    only_long=True,  # a quick test has the short form
)
