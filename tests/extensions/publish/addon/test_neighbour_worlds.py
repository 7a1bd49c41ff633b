"""Random collections with neighbours, and feeds that lie: nothing changes that is not the feed's."""

import pytest
from neighbour_worlds import neighbour_worlds


@pytest.mark.slow
def test_no_update_changes_a_byte_of_what_is_not_the_feeds() -> None:
    """The scorecard does the same with more worlds."""
    tally = neighbour_worlds(range(120))
    assert tally.faults == []
    assert tally.worlds == 120
    assert tally.updates >= 500
    assert tally.rows > 20_000
    assert min(tally.claimed, tally.changed, tally.accepted) > 50
