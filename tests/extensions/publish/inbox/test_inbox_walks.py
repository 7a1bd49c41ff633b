"""Random edits of learners in decks of all kinds are written exactly, or left with a reason."""

from pathlib import Path

import pytest

from inbox_decks import DECKS
from inbox_walks import NEVER, InboxWalk, Tally

SEED = 465977521
"""It adds an item to a list whose marks are stars. The scorecard has many more edits."""


@pytest.mark.slow
def test_random_edits_are_written_exactly_or_left_with_a_reason(tmp_path: Path) -> None:
    tally = Tally()
    for number, deck in enumerate(DECKS):
        tally.add(InboxWalk(tmp_path / str(number), deck, SEED).run(10))
    written, came = tally.plain
    assert (tally.wrong, {kind: tally.written[kind] for kind in NEVER}) == ([], dict.fromkeys(NEVER, 0)), SEED
    assert written >= 0.85 * came, (SEED, tally.left)  # 97% of many; there are only about 50 here


@pytest.mark.slow
def test_what_is_accepted_all_at_once_can_be_built(tmp_path: Path) -> None:
    tally = Tally()
    for number, deck in enumerate(DECKS):
        walk = InboxWalk(tmp_path / str(number), deck, SEED)
        walk.accept_all(20)
        tally.add(walk.tally)
    assert (tally.wrong, tally.written["at once"] > len(DECKS)) == ([], True), SEED
