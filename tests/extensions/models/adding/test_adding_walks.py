"""Random sequences of `ptcards add`, edits and builds; the scorecard runs longer ones (row 44)."""

from pathlib import Path

import pytest

from adding_walks import AddingWalk


@pytest.mark.parametrize("first", range(0, 50, 10))
def test_no_note_is_lost_and_no_draft_is_published(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 10):
        assert AddingWalk(tmp_path / f"{seed}", seed).run(4) == ""
