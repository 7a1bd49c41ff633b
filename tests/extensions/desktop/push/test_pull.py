"""`ptcards pull` lists edits made in Anki, and writes those to the Markdown that it can write exactly."""

import hashlib
import subprocess

from conftest import Ran
from pushing import NOTHING, TOML, World, anki, pushed, shared, world

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
        0, listed, "`ptcards pull --write` writes 5 of 5 edits into the Markdown\n"
    )
    assert world.run("pull", world.folder, "--write") == Ran(
        0, listed, "Wrote 5 of 5 edits into the Markdown\n"
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
        "left unchanged: deck/a.md:8: Answer: it also changed here\n"
        "left unchanged: deck/a.md:3: Answer: its file has uncommitted changes (`--force`)\n"
        "Wrote 1 of 3 edits into the Markdown\n",
    )
    pushed.edit("b1", Choices="<p>mine</p>")
    left = "left unchanged: deck/b.md:8: Choices: no Markdown renders to exactly that\n"
    assert pushed.run("pull", pushed.folder, "--write", "--force").err == (
        "left unchanged: deck/a.md:8: Answer: it also changed here\n"
        + left
        + "Wrote 1 of 3 edits into the Markdown\n"
    )
    assert "mine a0" in (pushed.folder / "a.md").read_text()
    assert "mine b0" in (pushed.folder / "b.md").read_text()


def test_sections_that_were_filled_or_emptied_in_anki_are_added_or_removed(world: World) -> None:
    source = world.folder / "a.md"
    before = (
        "# Alpha\r\n\r\n## What is a0?\r\n<!-- card: id=a0 -->\r\n\r\nfirst 0\r\n<!-- mine -->\r\n\r\n"
        "## What is a1?\r\n<!-- card: id=a1 -->\r\n\r\n```text\r\n## no heading\r\n```\r\n\r\n### Details\r\n\r\nMore.\r\n\r\n"
        "# Beta\r\n\r\n## What is b0?\r\n<!-- card: id=b0 -->\r\n\r\n- [x] one\r\n- [ ] two\r\n\r\n"
        "## What is b1?\r\n<!-- card: id=b1 -->\r\n\r\nfirst\r\n\r\n### Hint\r\n\r\nGone.\r\n\r\n### Details\r\n\r\nStays.\r\n\r\n"
        "## What is b2?\r\n<!-- card: id=b2 -->\r\n\r\nlast"
    )
    source.write_bytes(before.encode())
    assert world.push().status == 0
    world.edit(
        "a0",
        Hint="<p>Hint <b>0</b>.</p>",
        Details="<p>one</p><p>two</p>",
        Question='<p class="heading">What is a0 then?</p>',
    )
    world.edit("a1", Hint="Hint 1.")
    world.edit("b0", Sources="RFC 1")
    world.edit("b1", Hint="")
    world.edit("b2", Details="one<br>two")
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (0, "Wrote 7 of 7 edits into the Markdown\n")
    assert source.read_bytes().decode() == (
        before.replace("a0?\r\n", "a0 then?\r\n")
        .replace(
            "mine -->\r\n",
            "mine -->\r\n\r\n### Hint\r\n\r\nHint **0**.\r\n\r\n### Details\r\n\r\none\r\n\r\ntwo\r\n",
        )
        .replace("```\r\n\r\n### D", "```\r\n\r\n### Hint\r\n\r\nHint 1.\r\n\r\n### D")
        .replace("two\r\n\r\n## What is b1", "two\r\n\r\n### Sources\r\n\r\nRFC 1\r\n\r\n## What is b1")
        .replace("### Hint\r\n\r\nGone.\r\n\r\n", "")
        .replace("\r\nlast", "\r\nlast\r\n\r\n### Details\r\n\r\none\\\r\ntwo")
    )
    assert world.push() == Ran(0, *NOTHING)


def test_a_picture_that_was_pasted_or_removed_is_named(pushed: World) -> None:
    pushed.edit("a1", Answer='<p>first 1 <img src="paste-1.png"></p>')
    assert pushed.run("pull", pushed.folder) == Ran(
        0,
        "deck/a.md:8: What is a1?\n  Answer: first 1 {+[picture paste-1.png]+}\n",
        "`--write` leaves: deck/a.md:8: Answer: `paste-1.png` is not in the collection: save it there and refer to it\n",
    )


def test_an_edit_that_changes_no_markdown_is_not_called_written(pushed: World) -> None:
    before = (pushed.folder / "a.md").read_text()
    pushed.edit("a1", Answer='<p><font color="#ff0000">first</font> 1</p>')
    assert pushed.run("pull", pushed.folder, "--write") == Ran(
        1,
        "deck/a.md:8: What is a1?\n  Answer: the same text, formatted differently\n",
        'left unchanged: deck/a.md:8: Answer: Markdown has nothing that looks like `<font color="#ff0000">`\n',
    )
    assert (pushed.folder / "a.md").read_text() == before


def test_what_obsidian_reads_otherwise_stays_and_plain_text_is_written(world: World) -> None:
    (world.folder / "deck.toml").write_text(TOML + 'inlines = "obsidian"\n')
    source = world.folder / "a.md"
    world.write(
        "a.md", "Alpha", "a0: See ==this== and [[note|that]].", "a1: first %%hidden%% 1", "a2: first 2"
    )
    before = source.read_text()
    assert world.push().status == 0
    assert world.answers()["a0"] == "See <mark>this</mark> and that."
    world.edit("a0", Answer="<p>See <mark>this</mark>.</p>")
    world.edit("a1", Answer="<p>second 1</p>")
    world.edit("a2", Answer="<p>with <b>[[x]]</b></p>", Details="second <mark>2</mark>")
    ran = world.run("pull", world.folder, "--write")
    reason = "no Markdown renders to exactly that"
    assert (ran.status, ran.err) == (
        1,
        f"left unchanged: deck/a.md:3: Answer: {reason}\nWrote 3 of 4 edits into the Markdown\n",
    )
    after = before.replace("first %%", "second %%").replace("first 2", "with <b>\\[\\[x\\]\\]</b>")
    assert source.read_text() == f"{after}\n### Details\n\nsecond <mark>2</mark>\n"
    kept = "= 1 kept           a0                       (edited in Anki, not here)\n"
    assert world.push() == Ran(0, NOTHING[0] + kept, NOTHING[1])


def test_notes_of_other_programs_are_pushed_and_their_edits_are_written(world: World) -> None:
    (world.folder / "deck.toml").write_text(TOML + 'dialect = "obsidian"\n')
    source = world.folder / "a.md"
    source.write_text("#flashcards\n\nWhat is a0?::first ==0==\n\nWhat is a1?\n?\nfirst 1\n")
    assert world.push().status == 0
    source.write_text(source.read_text().replace("first ==", "second =="))
    world.edit("a1", Answer="<p>mine</p>")
    assert world.push().out.splitlines()[1:] == [
        "~ 1 changed        what-is-a0",
        "= 1 kept           what-is-a1               (edited in Anki, not here)",
    ]
    assert world.answers() == {"a0": "second <mark>0</mark>", "a1": "mine"}
    before = source.read_text()
    assert world.run("pull", world.folder, "--write") == Ran(
        0,
        "deck/a.md:5: What is a1?\n  Answer: [-first 1-]{+mine+}\n",
        "Wrote 1 of 1 edits into the Markdown\n",
    )
    assert source.read_text() == before.replace("first 1", "mine")


def test_a_formula_with_a_macro_is_compared_expanded_and_written_back_with_its_macro(world: World) -> None:
    toml, source = world.folder / "deck.toml", world.folder / "a.md"
    toml.write_text(f'{toml.read_text()}[math]\nmacros = "macros.tex"\n')
    (world.folder / "macros.tex").write_text("\\newcommand{\\RR}{\\mathbb{R}}\n")
    before = (
        "# Alpha\n\n## What is a0?\n<!-- card: id=a0 -->\n\nfirst in $\\RR^n$\n\n"
        "## What is a1?\n<!-- card: id=a1 -->\n\nfirst in $\\RR$\n"
    )
    source.write_text(before)
    assert world.push().status == 0
    assert world.answers() == {"a0": "first in \\(\\mathbb{R}^n\\)", "a1": "first in \\(\\mathbb{R}\\)"}
    assert world.run("pull", world.folder) == Ran(0, "", "nothing was edited in Anki since the last push\n")
    world.edit("a0", Answer="<p>second in \\(\\mathbb{R}^n\\)</p>")
    world.edit("a1", Answer="<p>first in \\(\\mathbb{Q}\\)</p>")
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (
        1,
        (
            "left unchanged: deck/a.md:8: Answer: it changes the formula `$\\RR$`, which uses a macro: edit the Markdown\n"
            "Wrote 1 of 2 edits into the Markdown\n"
        ),
    )
    assert source.read_text() == before.replace("first in $\\RR^n$", "second in $\\RR^n$")


def test_an_edit_beside_a_drawing_or_of_its_text_keeps_the_diagram_and_a_picture_that_is_gone_goes(
    world: World,
) -> None:
    diagram = '```dot alt="A line"\ngraph { a -- b }\n```'
    name = hashlib.sha256(b"dot\0graph { a -- b }").hexdigest()[:16]
    drawing = world.folder / f"img/drawn/{name}.svg"
    drawing.parent.mkdir(parents=True)
    drawing.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    source = world.folder / "a.md"
    notes = (f"## What is a{n}?\n<!-- card: id=a{n} -->\n\nfirst {n}\n\n{diagram}\n" for n in range(3))
    source.write_text(before := "# Alpha\n\n" + "\n".join(notes))
    assert world.push().status == 0
    shown = world.answers()["a0"].partition("<img ")[2].partition('src="')[2].partition('"')[0]
    world.edit("a0", Answer=f'<p>second 0</p>\n<p><img alt="A line" src="{shown}"></p>')
    world.edit("a1", Answer=f'<p>first 1</p>\n<p><img alt="Another line" src="{shown}"></p>')
    world.edit("a2", Answer="<p>first 2</p>")
    ran = world.run("pull", world.folder, "--write")
    wanted = before.replace("first 0", "second 0").replace(
        '1\n\n```dot alt="A line', '1\n\n```dot alt="Another line'
    )
    wanted = wanted.removesuffix(f"\n{diagram}\n")
    assert (ran.status, source.read_text()) == (0, wanted)
    assert ran.err.endswith("Wrote 3 of 3 edits into the Markdown\n")
