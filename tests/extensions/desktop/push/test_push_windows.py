"""A push while windows of a desktop Anki are open: an edit there saves only what its owner typed."""

import pytest

from conftest import Ran
from pushing import NOTHING, TOML, World, anki, pushed, query, shared, wait_for, world

__all__ = ["anki", "pushed", "shared", "world"]

pytestmark = pytest.mark.parametrize(
    "shared", [pytest.param("desktop", marks=pytest.mark.desktop)], indirect=True
)


def push_seconds(world: World) -> None:
    """Push a new answer of every note."""
    world.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    assert world.push().status == 0


def wait_until_shown(world: World, window: str) -> None:
    """Wait until the window shows the note as the collection has it, and has nothing left to save."""
    wait_for(lambda: world.do("shown", window) == [*world.note("a1").fields.values()])


def type_and_tag(world: World, window: str) -> None:
    wait_until_shown(world, window)
    world.do("type", window, "Hint", "typed")
    wait_for(lambda: world.note("a1")["Hint"] == "typed")
    world.do("tag", window, "own")
    wait_for(lambda: world.note("a1").tags == ["own"])
    assert world.note("a1")["Hint"] == "typed"


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("window", ["Browser", "EditCurrent"])
def test_what_is_typed_after_a_push_leaves_the_pushed_text(pushed: World, window: str, merged: bool) -> None:
    if window == "Browser":
        pushed.do("select", query("a1"))
    else:
        pushed.do("suspend", f"-{query('a1')}")
        pushed.do("review", "Mini")
        pushed.do("edit_current")
    wait_until_shown(pushed, window)
    if merged:
        pushed.do("type", window, "Details", "mine")
        wait_for(lambda: pushed.note("a1")["Details"] == "mine")
    push_seconds(pushed)
    type_and_tag(pushed, window)
    assert pushed.note("a1")["Answer"] == "<p>second 1</p>"
    kept = "= 1 kept           a1                       (edited in Anki, not here)\n"
    assert pushed.push() == Ran(0, NOTHING[0] + kept, NOTHING[1])


def test_an_edit_window_that_opens_after_a_push_shows_the_pushed_text(pushed: World) -> None:
    pushed.do("suspend", f"-{query('a1')}")
    pushed.do("review", "Mini")
    push_seconds(pushed)
    # Anki refreshes the card when its owner returns to the window.
    pushed.do("focus")
    pushed.do("edit_current")
    type_and_tag(pushed, "EditCurrent")
    assert pushed.note("a1")["Answer"] == "<p>second 1</p>"


def test_a_look_that_was_pushed_is_in_the_card_window(pushed: World) -> None:
    assert ".mine" not in pushed.do("css_in_cards", "Mini")
    (pushed.folder / "own.css").write_text(".mine { color: red }\n")
    (pushed.folder / "deck.toml").write_text(TOML + 'css = "own.css"\n')
    assert pushed.push().status == 0
    assert pushed.do("css_in_cards", "Mini").endswith(".mine { color: red }\n")
