"""`ptcards pull` lists edits made in Anki, and writes those to the Markdown that it can write exactly."""

import subprocess

from conftest import Ran
from pushing import NOTHING, World, anki, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

ALPHA = """\
# Alpha

## What is a0?
<!-- card: id=a0 -->

first 0

### Hint

Think of *a0*.

## What is a1?
<!-- card: id=a1 -->

first 1
<!-- a comment of the author's -->

## What is a2?
<!-- card: id=a2 -->

first 2
"""


def test_what_was_edited_in_anki_goes_into_the_markdown_and_a_push_has_nothing_to_do(world: World) -> None:
    source = world.folder / "a.md"
    source.write_text(ALPHA)
    assert world.push().status == 0
    assert world.run("pull", world.folder) == Ran(0, "", "nothing was edited in Anki since the last push\n")
    world.edit("a0", Answer="<p>first <b>edited</b> 0</p>", Hint='<p>Think of <em>a&amp;0</em> "now".</p>')
    world.edit("a1", Answer="<p>second 1</p>", tags="mine")
    world.edit(
        "a2", Question='<p class="heading">What is a2 then?</p>', Answer="<ul><li>one</li><li>two</li></ul>"
    )
    listed = (
        "deck/a.md:3: What is a0?\n"
        "  Answer: first {+edited+} 0\n"
        '  Hint: Think of [-a0.-] {+a&0 "now".+}\n'
        "deck/a.md:12: What is a1?\n"
        "  Answer: [-first-]{+second+} 1\n"
        "deck/a.md:18: What is a2?\n"
        "  Question: What is [-a2?-] {+a2 then?+}\n"
        "  Answer: [-first 2-]{+one\n    two+}\n"
    )
    assert world.run("pull", world.folder) == Ran(
        0, listed, "`ptcards pull --write` writes them into the Markdown\n"
    )
    assert world.run("pull", world.folder, "--write") == Ran(
        0, listed, "wrote 5 of 5 edits into the Markdown\n"
    )
    assert source.read_text() == (
        ALPHA.replace("first 0", "first **edited** 0")
        .replace("Think of *a0*.", 'Think of *a&0* "now".')
        .replace("first 1", "second 1")
        .replace("What is a2?", "What is a2 then?")
        .replace("first 2", "- one\n- two")
    )
    assert world.push() == Ran(0, *NOTHING)
    assert world.run("pull", world.folder) == Ran(0, "", "nothing was edited in Anki since the last push\n")


def test_conflicts_and_files_with_uncommitted_changes_are_left(pushed: World) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", "-C", str(pushed.folder))
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "first")):
        subprocess.run([*git, *arguments], check=True)
    for key in ("a0", "a1", "b0"):
        pushed.edit(key, Answer=f"<p>mine {key}</p>")
    pushed.write("a.md", "Alpha", "a0: first 0", "a1: second 1", *(f"a{n}: first {n}" for n in range(2, 10)))
    ran = pushed.run("pull", pushed.folder, "--write")
    assert ran == Ran(
        1,
        "deck/a.md:3: What is a0?\n  Answer: [-first 0-]{+mine a0+}\n"
        "deck/a.md:8: What is a1?\n  Answer: [-second 1-]{+mine a1+}\n"
        "deck/b.md:3: What is b0?\n  Answer: [-first 0-]{+mine b0+}\n",
        "left deck/a.md:8: Answer: it also changed here\n"
        "left deck/a.md:3: Answer: its file has uncommitted changes (`--force`)\n"
        "wrote 1 of 3 edits into the Markdown\n",
    )
    pushed.edit("b1", Choices="<p>mine</p>")
    left = "left deck/b.md:8: Choices: no Markdown renders to exactly that\n"
    assert pushed.run("pull", pushed.folder, "--write", "--force").err == (
        "left deck/a.md:8: Answer: it also changed here\n" + left + "wrote 1 of 3 edits into the Markdown\n"
    )
    assert "mine a0" in (pushed.folder / "a.md").read_text()
    assert "mine b0" in (pushed.folder / "b.md").read_text()
