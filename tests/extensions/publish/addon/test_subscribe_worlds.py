"""Random authors and learners: no update differs from the rules."""

import pytest
from subscribe_worlds import worlds


@pytest.mark.slow
def test_no_update_of_random_worlds_differs_from_the_rules() -> None:
    """The scorecard does the same with more worlds."""
    tally = worlds(range(10))
    assert tally.faults == []
    assert tally.worlds == 10
    assert tally.updates >= 35
    assert min(tally.merged, tally.conflicts, tally.undone, tally.imported) > 0
