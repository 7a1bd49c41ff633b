"""The messages of `check`, `build` and `build --locked` about notes that are matched by similarity."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from identity_release import Author
from ptcards.diagnostics import Location
from ptcards.identity.advice import Recognised, list_recognised

WHY = "It saves memory and time, since no graph is recorded."
HOOK = "A function that is called on the way back through the graph."
BEFORE = f"""\
# Autograd

## Why is evaluation run under `no_grad`?

{WHY}

## What is a backward hook of a tensor?

{HOOK}

## What is a leaf?

A tensor that you made.
"""
AFTER = f"""\
# Autograd

## Why do we use `no_grad` for evaluation?

{WHY}

## What is a backward hook of a tensor for?

{HOOK[:-1]}, if there is one.

## what is a leaf

A tensor that you made.
"""
LINES = """\
recognised 2 notes after rewording:
  cards/autograd.md:3:4  "Why is evaluation run under `no_grad`?" -> "Why do we use `no_grad` for evaluation?"  (same answer)
  cards/autograd.md:7:4  "What is a backward hook of a tensor?" -> "What is a backward hook of a tensor for?"  (answer edited)
recognised 1 note with changed typography
a different card? restore `deck.lock`, give the card its own id and build again
""".splitlines()


@pytest.fixture
def author(tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Author:
    monkeypatch.chdir(tmp_path)
    author = Author(tmp_path / "cards", ptcards)
    author.write(autograd=BEFORE).build("cards")
    author.write(autograd=AFTER)
    return author


def test_check_says_what_will_be_recognised_before_a_build_does(author: Author) -> None:
    help_ = "help: if this is a different card, give it its own `id` before you build"
    hints = [line for line in author.run("check").out.splitlines() if "recognised" in line or help_ in line]
    assert hints == [
        "cards/autograd.md:3:4: hint[recognised-note] recognised as `Why is evaluation run under no_grad?` (same answer)",
        f"  = {help_}",
        "cards/autograd.md:7:4: hint[recognised-note] recognised as `What is a backward hook of a tensor?` (answer edited)",
        f"  = {help_}",
    ]


def test_build_lists_what_it_recognised_once(author: Author) -> None:
    author.build("cards")
    files = ["  build/pytorch.apkg  1 kB", "  build/pytorch.csv   1 kB"]
    built = ["Built PyTorch: 3 notes, 3 cards in 0.00 s", "  ~3 changed (3 reworded)", *files]
    assert author.said.splitlines() == [*built, *LINES]
    assert author.run("build", "cards", "-o", "build").err.splitlines() == [
        "Unchanged PyTorch: 3 notes, 3 cards in 0.00 s",
        *files,
    ]


def test_a_locked_build_lists_what_would_be_recognised(author: Author) -> None:
    ran = author.run("build", "cards", "--locked")
    fix = "help: build without `--locked`, then commit `deck.lock`"
    assert (ran.status, ran.err.splitlines()[4:]) == (
        1,
        [*(f"  {line}" for line in LINES), fix],
    )


def test_an_author_can_say_that_a_recognised_note_is_another(author: Author) -> None:
    """This follows the advice in the last line: restore the previous lock, add an id, and build."""
    lock = author.folder / "deck.lock"
    published = lock.read_bytes()
    author.build("cards")
    was = author.guids["Why do we use `no_grad` for evaluation?"]
    lock.write_bytes(published)
    heading = "## Why do we use `no_grad` for evaluation?\n"
    author.write(autograd=AFTER.replace(heading, f"{heading}<!-- card: id=another -->\n")).build("cards")
    assert author.guids["Why do we use `no_grad` for evaluation?"] != was
    assert author.said.splitlines()[-4:] == [
        "recognised 1 note after rewording:",
        LINES[2].replace(":7:", ":8:"),
        *LINES[3:],
    ]


def test_a_long_list_ends_with_a_count() -> None:
    many = [Recognised(Location("a.md", line), "Old?", "New?", "same answer", 7) for line in range(1, 23)]
    assert list(list_recognised(many, 0))[20:] == [
        '  a.md:20:1  "Old?" -> "New?"  (same answer)',
        "  and 2 more; `ptcards diff` lists them all",
        "a different card? restore `deck.lock`, give the card its own id and build again",
    ]
