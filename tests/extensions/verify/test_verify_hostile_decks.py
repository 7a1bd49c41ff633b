"""Other people's decks: `verify` runs their code, which cannot affect anything outside."""

from pathlib import Path

import pytest
from verify_attacks import VERIFY_ATTACKS, Attack, harm_of

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("attack", VERIFY_ATTACKS, ids=lambda attack: attack.name.replace(" ", "-"))
def test_a_hostile_deck_does_nothing(attack: Attack, tmp_path: Path) -> None:
    assert harm_of(attack, tmp_path) == []


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("a card that reads", ["read a secret"]),
        ("a card that talks to sockets", ["talked to a socket"]),
        ("a card that talks to the network", ["talked to a socket"]),
        ("a card that stays", []),
        ("a card that stays and kills what runs it", []),
    ],
)
def test_without_the_sandbox_it_would_but_nothing_stays(name: str, harm: list[str], tmp_path: Path) -> None:
    attack = next(each for each in VERIFY_ATTACKS if each.name == name)
    assert harm_of(attack, tmp_path, "--no-sandbox") == harm
