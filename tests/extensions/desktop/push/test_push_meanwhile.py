"""`ptcards push` while something else happens: edits in Anki, another profile, another push."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pushing import NOTHING, World, anki, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

LEFT = (
    "x 1 conflict       a1: Answer changed in Anki and here   (--overwrite takes the text from the sources)"
)


def on(action: str, times: int, do: Callable[[], object]) -> Callable[[str, dict[str, Any]], None]:
    """Return a function that does something once, before an action is requested for the nth time."""
    left = [times]

    def before(asked: str, _: dict[str, Any]) -> None:
        left[0] -= asked == action
        if asked == action and left[0] == 0:
            do()

    return before


def test_an_edit_in_anki_after_the_comparison_is_not_overwritten(pushed: World) -> None:
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    # The profile is requested again immediately before anything is written.
    pushed.anki.before = on("getActiveProfile", 2, lambda: pushed.edit("a1", Answer="mine", later=9))
    ran = pushed.push()
    assert (ran.status, ran.out.splitlines()[-1]) == (1, LEFT)
    assert (pushed.note("a1")["Answer"], pushed.answers()["a2"]) == ("mine", "second 2")
    assert pushed.push().out.splitlines()[-1] == LEFT


def test_an_edit_in_anki_right_before_the_import_is_a_conflict_next_time(pushed: World) -> None:
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    pushed.anki.before = on("importPackage", 1, lambda: pushed.edit("a1", Answer="mine"))
    ran = pushed.push()
    assert ran.status == 1
    assert "warning: `a1` was edited in Anki during the push: push again\n" in ran.err
    assert (pushed.note("a1")["Answer"], pushed.answers()["a2"]) == ("mine", "second 2")
    again = pushed.push()
    assert (again.status, again.out.splitlines()[-1]) == (1, LEFT)


def test_a_retired_note_that_is_edited_before_it_is_deleted_stays(pushed: World) -> None:
    pushed.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(9)))
    pushed.anki.before = on("getActiveProfile", 2, lambda: pushed.edit("a9", Answer="mine"))
    assert pushed.push("--delete-retired", "--yes").out.splitlines()[-1] == (
        "! 1 retired        a9, 0 reviews            (edited in Anki: delete it there)"
    )
    assert pushed.answers()["a9"] == "mine"


def test_another_profile_that_is_opened_meanwhile_gets_nothing(pushed: World) -> None:
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    pushed.anki.before = on("getActiveProfile", 2, lambda: pushed.do("close"))
    ran = pushed.push()
    assert (ran.status, ran.err.splitlines()[0]) == (
        1,
        "error: Anki has no collection open: it shows its profiles, or is syncing",
    )
    pushed.do("open")
    assert pushed.answers()["a1"] == "first 1"
    assert pushed.push().status == 0


@pytest.mark.slow
def test_of_two_pushes_together_one_waits_and_has_nothing_to_do(pushed: World) -> None:
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(10)))
    command = [sys.executable, "-m", "ptcards", "push", str(pushed.folder)]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = sorted(each.communicate()[1].splitlines()[-1] for each in running)
    assert [each.returncode for each in running] == [0, 0]
    assert [line[:15] for line in said] == ["nothing to push", "pushed 10 notes"]
    assert pushed.push().out == NOTHING[0]


def test_text_that_anki_normalises_is_no_edit(world: World) -> None:
    world.write("a.md", "Alpha", "a0: cafe\u0301", "a1: first")
    assert world.push().status == 0
    assert world.push().out == NOTHING[0]
    world.edit("a0", Hint="mine")
    world.write("a.md", "Alpha", "a0: Cafe\u0301", "a1: first")
    assert world.push().out.splitlines()[1:] == [
        "~ 1 changed        a0                       (a0: merged with your edits)"
    ]
    assert world.push().out.splitlines()[1:] == [
        "= 1 kept           a0                       (edited in Anki, not here)"
    ]
