"""An edit that `ptcards pull --write` wrote and the author discarded is an edit in Anki again."""

from pathlib import Path
from typing import NamedTuple

import pytest

from pushing import NOTHING, World, anki, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

FIRST = "The cat sat on the mat."
THEIRS = "<p>The <b>old</b> cat sat on the mat.</p>"
WRITTEN = "The **old** cat sat on the mat."
CONFLICT = (
    "x 1 conflict       a0: Answer changed in Anki and here   (--overwrite takes the text from the sources)"
)
KEPT = "= 1 kept           a0                       (edited in Anki, not here)"
CHANGED = "~ 1 changed        a0"
MERGED = "~ 1 changed        a0                       (a0: merged with your edits)"


class After(NamedTuple):
    """The Markdown of the answer when the next push runs, what that says, and the answer in Anki then."""

    markdown: str
    said: list[str]
    anki: str


OURS_STAY = (
    After(WRITTEN, [], THEIRS),
    After("The **old** cat sat on my mat.", [CHANGED], "<p>The <strong>old</strong> cat sat on my mat.</p>"),
    After(f"{WRITTEN}\n\nMore.", [CHANGED], f"{THEIRS}\n<p>More.</p>".replace("b>", "strong>")),
    After(f"Well.\n\n{WRITTEN}", [CHANGED], f"<p>Well.</p>\n{THEIRS}".replace("b>", "strong>")),
)
THEIRS_STAY = (
    After(FIRST, [KEPT], THEIRS),
    After("The cat sat on my mat.", [CONFLICT], THEIRS),
    After("The old cat sat on my mat.", [CONFLICT], THEIRS),
    After(f"{FIRST}\n\nAn **old** one.", [CONFLICT], THEIRS),
    After("Something else.", [CONFLICT], THEIRS),
)


def rest_of(out: str) -> list[str]:
    return out.splitlines()[1:]


def pull(world: World, theirs: str, first: str = FIRST) -> Path:
    """Push a note with an answer, which is edited in Anki then and pulled; return the source."""
    world.write("a.md", "Alpha", f"a0: {first}", "a1: first 1")
    assert world.push().status == 0
    world.edit("a0", Answer=theirs)
    assert world.run("pull", world.folder, "--write").status == 0
    return world.folder / "a.md"


@pytest.mark.parametrize("after", [*OURS_STAY, *THEIRS_STAY], ids=lambda each: each.markdown)
def test_what_was_pulled_is_written_only_over_an_edit_that_the_markdown_contains(
    world: World, after: After
) -> None:
    source = pull(world, THEIRS)
    assert WRITTEN in source.read_text()
    source.write_text(source.read_text().replace(WRITTEN, after.markdown))
    ran = world.push()
    assert (ran.status, rest_of(ran.out)) == (int(CONFLICT in after.said), after.said)
    assert world.note("a0")["Answer"] == after.anki


# Each pair of edits: what the owner of the Anki collection did, and what the author did to the old text.
OTHER_EDITS = {
    "words that the edit removed": ("The cat sat.", "The cat sat on the mat today."),
    "another order": ("The mat sat on the cat.", "The cat sat on the mat, then."),
    "the same correction, and no more": ("A old cat sat on the mat", "The old cat sat on the mat."),
    "a word less of several equal ones": ("The cat sat on mat.", "The cat sat on the mat. The end."),
    "all emptied": ("", "The cat sat on the red mat."),
}


@pytest.mark.parametrize(("theirs", "markdown"), OTHER_EDITS.values(), ids=OTHER_EDITS)
def test_an_edit_of_the_text_before_the_pull_is_a_conflict(world: World, theirs: str, markdown: str) -> None:
    world.write("a.md", "Alpha", f"a0: Well.\n\n### Details\n\n{FIRST}")
    source = world.folder / "a.md"
    before = source.read_text()
    assert world.push().status == 0
    world.edit("a0", Details=theirs)
    assert world.run("pull", world.folder, "--write").status == 0
    assert source.read_text() != before
    source.write_text(before.replace(FIRST, markdown))
    ran = world.push()
    assert (ran.status, rest_of(ran.out)) == (1, [CONFLICT.replace("Answer", "Details")])
    assert world.note("a0")["Details"] == theirs
    assert world.push("--overwrite").status == 0
    assert world.note("a0")["Details"] == f"<p>{markdown}</p>"
    assert world.push().err == NOTHING[1]


def test_an_edit_that_was_discarded_stays_when_another_field_changes(world: World) -> None:
    source = pull(world, THEIRS)
    source.write_text(source.read_text().replace(WRITTEN, f"{FIRST}\n\n### Hint\n\nMeow."))
    assert rest_of(world.push().out) == [MERGED]
    note = world.note("a0")
    assert (note["Answer"], note["Hint"]) == (THEIRS, "<p>Meow.</p>")
    assert rest_of(world.push().out) == [KEPT]


def test_after_a_conflict_the_pulled_text_may_return(world: World) -> None:
    source = pull(world, THEIRS)
    pulled = source.read_text()
    source.write_text(pulled.replace(WRITTEN, "Something else."))
    assert rest_of(world.push().out) == [CONFLICT]
    source.write_text(pulled.replace(WRITTEN, f"{WRITTEN}\n\nMore."))
    assert rest_of(world.push().out) == [CHANGED]


def test_files_that_were_written_before_one_that_cannot_be_are_known_as_pulled(
    pushed: World, tmp_path: Path
) -> None:
    pushed.edit("a0", Answer="<p>old first 0</p>")
    pushed.edit("b0", Answer="<p>old first 0</p>", Hint='<p>See <img src="p.png">.</p>')
    pushed.do("set_media", "p.png", "picture")
    (pushed.folder / "media").symlink_to(tmp_path)
    ran = pushed.run("pull", pushed.folder, "--write")
    assert (ran.status, "cannot write" in ran.err) == (1, True)
    (pushed.folder / "media").unlink()
    source = pushed.folder / "a.md"
    source.write_text(source.read_text().replace("old first 0", "old first zero"))
    assert rest_of(pushed.push().out) == [CHANGED, KEPT.replace("a0", "b0")]
