"""Row 45: random edits of learners that `ptcards inbox --accept` writes into decks of all kinds."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from inbox_decks import DECKS
from inbox_walks import NEVER, OTHERS, PLAIN, InboxWalk, Tally
from scorecard.row import Effort, Measurement, Result, Row

_SHARE = 0.9
"""The promised share of plain text edits that are written."""


class _Part(NamedTuple):
    folder: Path
    deck: str
    seed: int
    steps: int


def _walked(part: _Part) -> Tally:
    """Return what became of the edits of one deck."""
    return InboxWalk(part.folder / part.deck.replace(":", " "), part.deck, part.seed).run(part.steps)


def _parts(effort: Effort) -> Iterator[_Part]:
    return (_Part(effort.folder, deck, effort.seed, effort.pick(19, 910)) for deck in DECKS)


def _details(tally: Tally) -> Iterator[str]:
    """Yield what is wrong, then the figures of each kind of edit."""
    yield from tally.wrong
    for kind in (*PLAIN, *OTHERS):
        yield f"{kind}: {tally.written[kind]:,} of {tally.came[kind]:,} written"
    for reason, count in tally.left.most_common():
        yield f"left {count:,}: {reason}"


def _measure(effort: Effort) -> tuple[Result, ...]:
    tally = Tally()
    with ProcessPoolExecutor(effort.jobs, get_context("spawn")) as pool:
        for each in pool.map(_walked, _parts(effort)):
            tally.add(each)
    written, came = tally.plain
    edits = sum(tally.came.values())
    ours = (
        f"{len(tally.wrong)} wrong of {edits:,} edits in {len(DECKS)} kinds of decks; {written / came:.1%} of "
        f"{came:,} plain text edits written ({min(map(_share, tally.by_deck.values())):.0%} or more in each kind of deck), "
        f"each other left with a reason; {sum(tally.written[kind] for kind in NEVER)} scripts, colours and pictures that only Anki has written"
    )
    return (Result(ours, not tally.wrong and written >= _SHARE * came, tuple(_details(tally))),)


def _share(counts: "dict[str, int]") -> float:
    """Return the share of plain text edits of a deck that were written."""
    came = sum(counts[f"{kind} came"] for kind in PLAIN)
    return sum(counts[f"{kind} written"] for kind in PLAIN) / max(1, came)


MEASUREMENT = Measurement(
    (
        Row(
            45,
            "random edits of learners in decks of all kinds (own format, own note types, an adopted package, each dialect) after whose `inbox --accept` and build a field is not exactly the learner's, or anything else changed; plain text edits that are written",
            "0; 90%",
        ),
    ),
    _measure,
    only_long=True,  # a slow test has the short form
)
