"""An author's edits over many releases, in short; row 37 of the scorecard has the long form."""

from identity_author import Shares, simulate


def test_no_schedule_goes_to_another_card_in_silence_and_every_change_arrives() -> None:
    tally = simulate(range(120))
    assert (tally.faults, tally.undelivered, tally.needless_untold) == ([], 0, 0)
    assert Shares.of(tally).are_few, Shares.of(tally)
