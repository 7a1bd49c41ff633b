"""An author's edits over many releases; row 37 of the scorecard has the long form."""

from author_judge import Shares
from identity_author import simulate


def test_no_schedule_goes_to_another_card_in_silence_and_every_change_arrives() -> None:
    tally = simulate(range(120))
    assert (tally.faults, tally.undelivered, tally.lost) == ([], 0, [])
    assert Shares.of(tally).are_few, Shares.of(tally)
