"""Random edits of learners in decks of all kinds are written exactly, or left with a reason."""

import random
from pathlib import Path

import pytest

from inbox_decks import DECKS
from inbox_walks import NEVER, InboxWalk, Tally, inbox, notes_of
from ptcards.compile import BuildOptions, build
from ptcards.importing.write_back import FEWER_CARDS
from ptcards.inbox.suggestions import Sender, SentEdits
from ptcards.workspace import ReadOptions


@pytest.mark.slow
def test_random_edits_are_written_exactly_or_left_with_a_reason(tmp_path: Path) -> None:
    tally = Tally()
    seed = random.randrange(1 << 30)
    for number, deck in enumerate(DECKS):
        tally.add(InboxWalk(tmp_path / str(number), deck, seed).run(19))
    written, came = tally.plain
    assert (tally.wrong, {kind: tally.written[kind] for kind in NEVER}) == ([], dict.fromkeys(NEVER, 0)), seed
    assert written >= 0.85 * came, (seed, tally.left)  # 97% of many; there are only about 100 here


@pytest.mark.parametrize("emptied", ["", "<br>"])
def test_a_field_without_which_a_card_would_be_missing_is_not_emptied(tmp_path: Path, emptied: str) -> None:
    root = tmp_path / "deck"
    DECKS["adopted package"](root)
    with ReadOptions.of_user(lambda _: None) as reading:
        build([root], BuildOptions(root / "out"), reading, waiting=lambda _: None)
    (guid, fields), *_ = [
        (guid, fields) for guid, (fields, facts) in notes_of(root).items() if str(facts).count("(0, 1, 2)")
    ]
    with inbox(root) as collection:
        name = collection.ours[guid].names[2]
        sent = SentEdits(guid, {name: (fields[2], emptied)}, Sender("test"))
        (entry,) = collection.judge([sent])
    assert entry.reason == FEWER_CARDS
