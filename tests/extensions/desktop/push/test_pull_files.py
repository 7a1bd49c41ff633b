"""`ptcards pull --write` saves the pictures that were pasted and the sounds that were recorded in Anki."""

from hashlib import sha256

import pytest

from conftest import Ran
from pushing import NOTHING, World, anki, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

PICTURE, SOUND = f"paste-{'0' * 40}.png", "rec 1.MP3"
UNCHANGED = Ran(0, "", "nothing was edited in Anki since the last push\n")


def digits(content: str) -> str:
    return sha256(content.encode()).hexdigest()[:8]


def saved(world: World) -> dict[str, str]:
    return {file.name: file.read_text() for file in (world.folder / "media").glob("*")}


def note_of(world: World, key: str) -> str:
    """Return the Markdown of a note below its comment."""
    text = "".join(file.read_text() for file in world.folder.rglob("*.md"))
    return text.partition(f"id={key} -->\n\n")[2].partition("\n\n## ")[0].strip()


@pytest.fixture
def pasted(pushed: World) -> World:
    """Return a world in whose Anki a picture was pasted into a0, and a sound recorded for b0."""
    pushed.do("set_media", PICTURE, "picture")
    pushed.do("set_media", SOUND, "sound")
    pushed.edit("a0", tags="mine", Answer=f'<p>first 0</p><div><img src="{PICTURE}"></div>')
    pushed.edit("b0", Hint=f"Listen: [sound:{SOUND}]")
    return pushed


def test_they_are_saved_in_media_and_a_push_gives_anki_our_names(pasted: World) -> None:
    plain = pasted.run("pull", pasted.folder)
    assert (plain.status, plain.err) == (0, "`ptcards pull --write` writes 2 of 2 edits into the Markdown\n")
    assert saved(pasted) == {}
    ran = pasted.run("pull", pasted.folder, "--write")
    assert (ran.status, ran.err) == (0, "Wrote 2 of 2 edits into the Markdown\n")
    picture, sound = f"paste-{'0' * 40}-{digits('picture')}", f"rec-1-{digits('sound')}"
    assert saved(pasted) == {f"{picture}.png": "picture", f"{sound}.mp3": "sound"}
    assert note_of(pasted, "a0") == f"first 0\n\n![](media/{picture}.png)"
    assert note_of(pasted, "b0") == f"first 0\n\n### Hint\n\nListen: ![](media/{sound}.mp3)"
    ran = pasted.push()
    assert (ran.status, ran.out.splitlines()[1:]) == (
        0,
        ["~ 2 changed        a0 b0                    (a0: merged with your edits)"],
    )
    names = f"{picture}-{digits('picture')}.png", f"{sound}-{digits('sound')}.mp3"
    a0 = pasted.note("a0")
    assert (a0["Answer"], a0.tags) == (f'<p>first 0</p>\n<p><img alt="" src="{names[0]}"></p>', ["mine"])
    assert pasted.note("b0")["Hint"] == f'<p>Listen: <audio controls src="{names[1]}"></audio></p>'
    assert [pasted.do("media_content", name) for name in names] == ["picture", "sound"]
    assert pasted.run("pull", pasted.folder) == UNCHANGED
    assert pasted.push().err == NOTHING[1]


def test_a_push_also_writes_them_if_the_markdown_was_edited_after_the_pull(pasted: World) -> None:
    assert pasted.run("pull", pasted.folder, "--write").status == 0
    source = pasted.folder / "a.md"
    source.write_text(source.read_text().replace("first 0\n", "second 0\n"))
    assert pasted.push().status == 0
    assert "<p>second 0</p>\n<p><img " in pasted.note("a0")["Answer"]


def test_an_edit_that_was_pulled_and_taken_back_is_an_edit_in_anki_again(pasted: World) -> None:
    before = (pasted.folder / "a.md").read_text()
    assert pasted.run("pull", pasted.folder, "--write").status == 0
    written = (pasted.folder / "a.md").read_text()
    (pasted.folder / "a.md").write_text(before)
    assert pasted.push().out.splitlines()[1:] == [
        "~ 1 changed        b0",
        "= 1 kept           a0                       (edited in Anki, not here)",
    ]
    assert PICTURE in pasted.note("a0")["Answer"]
    (pasted.folder / "a.md").write_text(written)
    assert pasted.push().out.splitlines()[1:] == [
        "~ 1 changed        a0                       (a0: merged with your edits)"
    ]


def test_a_window_that_brings_the_pasted_picture_back_is_no_edit(pasted: World) -> None:
    assert pasted.run("pull", pasted.folder, "--write").status == 0
    theirs = pasted.note("a0")["Answer"]
    assert pasted.push().status == 0
    pasted.edit("a0", Answer=theirs)
    ran = pasted.run("pull", pasted.folder, "--write")
    assert ran.err == (
        "left unchanged: deck/a.md:3: Answer: Anki has an earlier text of the Markdown (`ptcards push --overwrite` replaces it)\n"
    )


@pytest.mark.parametrize("name", ["..", "x" * 300 + ".png", "notes.md"])
def test_a_file_that_cannot_be_saved_leaves_the_other_edits(pasted: World, name: str) -> None:
    if name == "notes.md":
        pasted.do("set_media", name, "# Deck")
    pasted.edit("b0", Hint=f'<img src="{name}">')
    ran = pasted.run("pull", pasted.folder, "--write")
    assert (ran.status, ran.err.splitlines()[-1]) == (1, "Wrote 1 of 2 edits into the Markdown")
    assert [*saved(pasted)] == [f"paste-{'0' * 40}-{digits('picture')}.png"]


def test_the_inbox_saves_them_too(pasted: World) -> None:
    ran = pasted.run("inbox", pasted.folder, "--all-clean")
    assert (ran.status, len(saved(pasted))) == (0, 2)
    assert pasted.push().status == 0
    assert pasted.run("pull", pasted.folder) == UNCHANGED


def test_a_file_that_the_author_changed_since_is_not_replaced(pasted: World) -> None:
    assert pasted.run("pull", pasted.folder, "--write").status == 0
    (file,) = (pasted.folder / "media").glob("*.png")
    file.write_text("retouched")
    assert pasted.push().status == 0
    pasted.edit("a1", Answer=f'<img src="{PICTURE}">')
    assert pasted.run("pull", pasted.folder, "--write").err == (
        f"left unchanged: deck/a.md:10: Answer: `{PICTURE}` is not in the collection: save it there and refer to it\n"
    )
    assert file.read_text() == "retouched"
