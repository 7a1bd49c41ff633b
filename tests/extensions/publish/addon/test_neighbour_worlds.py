"""Random collections with neighbours, and feeds that lie: nothing changes that is not the feed's."""

import pytest
from neighbour_worlds import neighbour_worlds


@pytest.mark.slow
def test_no_update_changes_a_byte_of_what_is_not_the_feeds() -> None:
    """The scorecard does the same with more worlds."""
    tally = neighbour_worlds(range(8))
    assert tally.faults == []
    assert tally.worlds == 8
    assert tally.updates >= 32
    assert tally.rows > 1_200
    assert min(tally.claimed, tally.changed, tally.accepted) > 1


@pytest.mark.parametrize("seed", [148, 636])
def test_a_note_type_that_another_deck_left_here_is_not_the_feeds(seed: int) -> None:
    """The subscription knew the id before its own notes had the type; then an import by hand took the id."""
    assert neighbour_worlds(range(seed, seed + 1)).faults == []
