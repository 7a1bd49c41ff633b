"""Inputs beyond a limit cause a message with a location, and do not waste time or memory.

Row 34 of the scorecard measures all of them.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from hostile_inputs import INPUTS, cost


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "deck.toml: a key of 30,000 parts",
            "deck.toml:3:1: error[broken-deck-toml] a key has more than 16 parts",
        ),
        (
            "notetype.json: 100,000 values",
            "notetypes/word/notetype.json:1:1: error[broken-note-type] `notetype.json` has over 20,000 values",
        ),
        ("deck.toml: 1 GB", "deck.toml:1:1: error[broken-deck-toml] is larger than 256 KB"),
        ("css: 3 GB", "deck.toml:3:1: error[missing-css] `look.css` is larger than 1 MB"),
        ("deck.lock: 3 GB", "deck.lock:1:1: error[damaged-lock] is larger than 32 MB"),
        (
            "deck.lock: 31 MB of line ends",
            "deck.lock:1:1: error[damaged-lock] the lock has over 400,000 lines",
        ),
        ("source: 3 GB", "b.md:1:1: error[source-too-large] the file is larger than 16 MB"),
        (
            "picture: 3 GB",
            "a.md:6:1: error[media-too-large] `p.png` is larger than 100 MB, AnkiWeb's limit",
        ),
        ("front matter: 1 MB", "a.md:1:1: error[broken-front-matter] the front matter is larger than 16 KB"),
    ],
)
def test_what_is_too_large_is_named_with_its_place_and_costs_little(
    name: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "clone").mkdir()
    INPUTS[name](tmp_path / "clone")
    ran = cost(tmp_path / "clone", "check")
    assert (ran.status, [line for line in ran.said.split("\n") if line == said], ran.is_fair) == (
        2 if said.startswith("deck.") else 1,
        [said],
        True,
    )


def test_the_mistakes_of_one_file_of_settings_are_named_up_to_a_hundred(
    tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    INPUTS["deck.toml: 30,000 unknown keys"](tmp_path)
    assert ptcards("check", "-v", tmp_path).out.count("error[unknown-key]") == 100


def test_what_a_command_costs_is_measured_without_the_process_that_asks(tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    held = b"x" * (100 << 20)
    assert cost(tmp_path / "clone", "--version").megabytes < len(held) >> 20


def test_a_lock_that_became_huge_is_refused_before_it_is_read(
    tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    INPUTS["picture: a pipe"](tmp_path)
    (tmp_path / "p.png").unlink()
    (tmp_path / "p.png").write_bytes(b"PNG")
    build = ("build", tmp_path, "-o", tmp_path / "out")
    assert [ptcards(*build).status for _ in range(2)] == [0, 0]
    for name in ("deck.lock", "out/deck.csv"):
        with (tmp_path / name).open("ab") as file:
            file.truncate(1 << 42)  # reading all of it would take an hour
    ran = ptcards(*build)
    assert (ran.status, ran.err.split("\n")[0]) == (
        2,
        "deck.lock:1:1: error[damaged-lock] is larger than 32 MB",
    )
