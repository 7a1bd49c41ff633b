"""What people do every day in Anki's editor, and the Markdown that `ptcards pull --write` makes of it."""

from typing import NamedTuple

import pytest

from conftest import Ran
from pushing import NOTHING, World, anki, shared, world

__all__ = ["anki", "shared", "world"]


class Edit(NamedTuple):
    """An edit of a field: `there` replaces `here` in Anki's HTML, or all of it if `here` is empty.

    `before` and `after` are the Markdown below the note's heading and comment; `$K` is the note's key.
    """

    field: str
    here: str
    there: str
    before: str
    after: str
    kind: str = ""
    heading: str = "What is $K?"


ADDED, GONE = "first\n\n### Details\n\n{}", "first\n\n### Hint\n\nGone."
PYTHON, ASKED = "```python\n{}\n```", "```python\n{}\n```\n\n### Answer\n\nfirst"
CAPITAL, LINES = "{}\n\nThe capital of France.", "First\n\nSecond"
WRITTEN = (
    Edit("Answer", "first", "second", "first $K", "second $K"),
    Edit("Answer", "first", "<b>first</b>", "first $K", "**first** $K"),
    Edit("Answer", "first", "<i>first</i>", "first $K", "*first* $K"),
    Edit("Answer", "first", "<sub>first</sub>", "first $K", "<sub>first</sub> $K"),
    Edit("Details", "", "typed", "first", ADDED.format("typed")),
    Edit("Details", "", "<div>one</div><div>two</div>", "first", ADDED.format("one\n\ntwo")),
    Edit("Hint", "", "", GONE, "first"),
    Edit("Hint", "", "<br>", GONE, "first"),
    Edit("Hint", "", "<p><br></p>", GONE, "first"),
    Edit("Hint", "", "<div>&nbsp;</div><div><br></div>", GONE, "first"),
    Edit("Answer", "", "ภาษา\u200bไทย", "first", "ภาษา\u200bไทย"),  # where a line may break
    Edit("Answer", "", "First<div>Second</div>", "first", LINES),
    Edit("Answer", "", "<div>First</div><div>Second<br></div>", "first", LINES),
    Edit("Answer", "", "First<br><br>Second", "first", LINES),
    Edit("Answer", "", "First<br>Second", "first", "First\\\nSecond"),
    Edit("Answer", "", "<p>first and more<br></p>", "first", "first and more"),
    Edit("Answer", "", "<p>first</p><p>second</p>", "first", "first\n\nsecond"),
    Edit("Answer", "alpha", "alpha\nzeta", PYTHON.format("alpha\nbeta"), PYTHON.format("alpha\nzeta\nbeta")),
    Edit("Answer", "b</li>\n", "b</li><li>c</li>\n", "* a\n* b", "* a\n* b\n* c"),
    Edit(
        "Answer", "b</li>\n", "b</li><li>c</li>\n", "Two:\n\n+ a\n+ b\n\nEnd", "Two:\n\n+ a\n+ b\n+ c\n\nEnd"
    ),
    Edit("Answer", "<li>b</li>\n", "", "*   a\n*   b\n*   c", "*   a\n*   c"),
    Edit("Answer", "b</li>\n", "b</li><li>c</li>\n", "1) a\n2) b", "1) a\n2) b\n3) c"),
    Edit(
        "Answer", "</span> os", "</span> re", PYTHON.format("import os\nos"), PYTHON.format("import re\nos")
    ),
    Edit(
        "Question",
        "What is",
        "What then is",
        ASKED.format("f(1)"),
        ASKED.format("f(1)"),
        heading="What then is $K?",
    ),
    Edit("Question", ">1<", ">2<", ASKED.format("f(1)"), ASKED.format("f(2)")),
    Edit(
        "Typed", "Paris", "Lyon &amp; *", CAPITAL.format("Paris"), CAPITAL.format("Lyon & *"), " kind=typed"
    ),
    Edit(
        "Answer",
        "The",
        "A",
        CAPITAL.format("Paris"),
        CAPITAL.format("Paris").replace("The", "A"),
        " kind=typed",
    ),
    Edit(
        "Answer", "As", "Since", "- [x] one\n- [ ] two\n\nAs 1 < 2.", "- [x] one\n- [ ] two\n\nSince 1 < 2."
    ),
    Edit("Answer", "", "write {{c1::x}} here", "first", "write \\{{c1::x}} here"),
    Edit("Answer", "", "write [$]x[/$] here", "first", "write \\[\\$\\]x\\[/\\$\\] here"),
    Edit("Answer", "", "a * b and _d_ `e`", "first", "a * b and \\_d\\_ \\`e\\`"),
    Edit("Answer", "", "a &lt;b&gt; c &amp;amp; d", "first", "a \\<b> c \\&amp; d"),
    Edit("Answer", "", "1. first<div># second</div>", "first", "1\\. first\n\n\\# second"),
    Edit("Answer", "x^2", "x^3", "Area $x^2$ here", "Area $x^3$ here"),
    Edit("Answer", ">1<", ">7<", "| a | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 7 | 2 |"),
    Edit("Answer", "three", "four", "- one\n    - two\n- three", "- one\n    - two\n- four"),
    Edit(
        "Answer",
        "</li>\n</ul></li>",
        "</li>\n<li>more</li></ul></li>",
        "- one\n\t- *two*\n- three",
        "- one\n\t- *two*\n\t- more\n- three",
    ),
    Edit("Answer", "</ul>", "<li>three</li></ul>", "- one\n- two", "- one\n- two\n- three"),
    Edit("Answer", "sat", "{{c2::sat}}", "The {{c1::cat}} sat.", "The {{c1::cat}} {{c2::sat}}."),
    Edit("Answer", "", 'see <a href="https://example.org">it</a>', "first", "see [it](https://example.org)"),
    Edit(
        "Sources",
        "RFC 1",
        "RFC 2",
        "first\n\n### Sources\n\n- <https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html>\n- RFC 1",
        "first\n\n### Sources\n\n- <https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html>\n- RFC 2",
    ),
    Edit(
        "Sources",
        "</p>",
        " of RFC 1</p>",
        "first\n\n### Sources\n\n<https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html>",
        "first\n\n### Sources\n\n<https://docs.pytorch.org/docs/stable/generated/torch.nn.Dropout.html> of RFC 1",
    ),
    Edit(
        "Answer",
        "calls",
        "uses",
        "it calls `torch.nn.functional.scaled_dot_product_attention(q)`",
        "it uses `torch.nn.functional.scaled_dot_product_attention(q)`",
    ),
    Edit("Sources", "RFC 1", "RFC 2", "first\n\n### Sources\n\nRFC 1", "first\n\n### Sources\n\nRFC 2"),
    Edit("Answer", "sentence ", "<b>sentence </b>", "A sentence here $K", "A **sentence** here $K"),
    Edit("Answer", "first sentence", "&nbsp;sentence", "The first sentence $K", "The sentence $K"),
    Edit("Answer", " sentence", "<i> sentence</i>", "A sentence here $K", "A *sentence* here $K"),
    Edit(
        "Answer",
        "<li>two</li>",
        "<li>two</li><ul><li>three</li></ul>",
        "- one\n- two",
        "- one\n- two\n\t- three",
    ),
    Edit(
        "Question",
        "</p>",
        '</p><p class="heading">Second $K.</p>',
        "first",
        "Second $K.\n\n### Answer\n\nfirst",
    ),
    Edit(
        "Question",
        "</p>",
        '</p><div class="heading">Second $K.</div>',
        "- [x] one\n- [ ] two",
        "Second $K.\n\n- [x] one\n- [ ] two",
    ),
    Edit("Question", "", "Was ist $K?", "first", "first", heading="Was ist $K?"),
    Edit("Typed", "", "torch.ones", "`torch.zeros`", "`torch.ones`", " kind=typed"),
    Edit("Typed", "", "a*b*c", "`torch.zeros`", "`a*b*c`", " kind=typed"),
    Edit("Typed", "", "a*b*c", "Paris", "`a*b*c`", " kind=typed"),
    Edit("Answer", "", "<div>so</div><div>\\[x^2\\]</div>", "first", "so\n\n$$x^2$$"),
)
MEANT = {
    Edit("Answer", "", "see https://a.org/x_(y).", "first", "see <https://a.org/x_(y)>."): (
        '<p>see <a href="https://a.org/x_(y)">https://a.org/x_(y)</a>.</p>'
    ),
    Edit("Sources", "", "https://a.org/x_y", "first", "first\n\n### Sources\n\n<https://a.org/x_y>"): (
        '<p><a href="https://a.org/x_y">https://a.org/x_y</a></p>'
    ),
    Edit("Answer", "", "<p>so</p><p>- a</p><p>- <b>b</b></p>", "first", "so\n\n- a\n- **b**"): (
        "<p>so</p>\n<ul>\n<li>a</li>\n<li><strong>b</strong></li>\n</ul>"
    ),
    Edit(
        "Answer",
        "",
        "<table><tbody><tr><td>a</td><td><div>b</div></td></tr><tr><td>1</td><td>2</td></tr></tbody></table>",
        "first",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ): "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
    Edit(
        "Details", "", "so<br>- a<br>- b<br>end", "first", "first\n\n### Details\n\nso\n\n- a\n- b\n\nend"
    ): ("<p>so</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>end</p>"),
    Edit("Answer", "", "<pre><code>a = 1<br>b = 2</code></pre>", "first", "```\na = 1\nb = 2\n```"): (
        '<pre class="code"><code><span class="ln">a = 1\n</span><span class="ln">b = 2\n</span></code></pre>'
    ),
    Edit("Answer", "", "auto\xadmatic\u200b words", "first", "automatic words"): "<p>automatic words</p>",
}
"""Edits that are written as people mean them: the next push gives the field this HTML."""
LEFT = {
    Edit("Answer", "✓ right", "✓ sure", "- [x] one\n- [ ] two", ""): (
        "the options are different in its fields Answer and Choices, or their marks changed"
    ),
    Edit("Answer", "", 'first<img src="gone.png">', "first", ""): (
        "`gone.png` is not in the collection: save it there and refer to it"
    ),
    Edit("Answer", "", "first[sound:../gone.mp3]", "first", ""): (
        "`../gone.mp3` is not in the collection: save it there and refer to it"
    ),
    Edit("Answer", "", '<font color="#ff0000">first</font>', "first", ""): (
        'Markdown has nothing that looks like `<font color="#ff0000">`'
    ),
    Edit("Answer", "", '<span style="color: red">first</span>', "first", ""): (
        'Markdown has nothing that looks like `<span style="color: red">`'
    ),
    Edit("Answer", "", '<div style="text-align: center">first</div>', "first", ""): (
        'Markdown has nothing that looks like `<div style="text-align: center">`'
    ),
    Edit("Answer", "", "<h2>Title</h2>first", "first", ""): "Markdown has nothing that looks like `<h2>`",
    Edit(
        "Answer", "", '<a href="notes.pdf">here</a>', "first", ""
    ): 'Markdown has nothing that looks like `<a href="notes.pdf">`',
    Edit("Answer", "", '<table><tr><td colspan="2">a</td></tr></table>', "first", ""): (
        "Markdown has nothing that looks like a table with merged cells, or with several lines in one"
    ),
    Edit("Answer", "", "<p><br></p>", "first", ""): "a note needs an answer",
    Edit("Question", "", "<br>", "first", ""): "a note needs a question",
    Edit("Extra 1", "", "mine", "first", ""): "this field has no text in the Markdown: it is yours",
    Edit("Difficulty", "", "Very hard", "first", ""): "a difficulty is one of `easy`, `medium`, `hard`",
}
SAME = ("<p>first</p><p><br></p>", "<div>first</div>", "first<br>")
"""What Anki's editor makes of `<p>first</p>` without any edit that one can see."""


def note(number: int, heading: str, kind: str, text: str) -> str:
    key = f"key{number:02}"
    return f"## {heading}\n<!-- card: id={key}{kind} -->\n\n{text}\n".replace("$K", key)


def edit_all(world: World, edits: tuple[Edit, ...]) -> str:
    """Push notes, edit each in Anki, and return their source."""
    source = "\n".join(
        ["# Alpha\n", *(note(n, "What is $K?", each.kind, each.before) for n, each in enumerate(edits))]
    )
    (world.folder / "a.md").write_text(source)
    assert world.push().status == 0
    for number, each in enumerate(edits):
        found = f'"Question:*What is key{number:02}?*"'
        html = world.do("read", found)[0]["fields"][each.field]
        assert each.here in html
        there = each.there.replace("$K", f"key{number:02}")
        world.do("edit", found, {each.field: html.replace(each.here, there, 1) if each.here else there})
    return source


def test_everyday_edits_are_written_and_lines_without_an_edit_keep_their_bytes(world: World) -> None:
    edit_all(world, WRITTEN)
    said = f"`ptcards pull --write` writes {len(WRITTEN)} of {len(WRITTEN)} edits into the Markdown\n"
    plain = world.run("pull", world.folder)
    assert (plain.status, plain.err) == (0, said)
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (0, f"Wrote {len(WRITTEN)} of {len(WRITTEN)} edits into the Markdown\n")
    after = ["# Alpha\n", *(note(n, each.heading, each.kind, each.after) for n, each in enumerate(WRITTEN))]
    assert (world.folder / "a.md").read_text() == "\n".join(after)
    assert world.push() == Ran(0, *NOTHING)


def test_edits_are_written_as_they_are_meant_and_a_push_gives_anki_the_same(world: World) -> None:
    edit_all(world, tuple(MEANT))
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (0, f"Wrote {len(MEANT)} of {len(MEANT)} edits into the Markdown\n")
    after = ["# Alpha\n", *(note(n, each.heading, each.kind, each.after) for n, each in enumerate(MEANT))]
    assert (world.folder / "a.md").read_text() == "\n".join(after)
    assert world.push().status == 0
    shown = [world.note(f"key{n:02}")[each.field] for n, each in enumerate(MEANT)]
    assert shown == [*MEANT.values()]
    assert world.push() == Ran(0, *NOTHING)


def test_a_difficulty_is_written_into_the_comment_and_removed_from_it_and_its_tag_follows(
    world: World,
) -> None:
    source = edit_all(world, (Edit("Hint", "", "", "first", ""),))
    for value in ("hard", "easy", ""):
        world.edit("key00", Difficulty=value)
        assert world.run("pull", world.folder, "--write").status == 0
        setting = f"key00 difficulty={value} " if value else "key00 "
        assert (world.folder / "a.md").read_text() == source.replace("key00 ", setting)
        assert world.push().status == 0
        assert world.note("key00").tags == ([f"difficulty::{value}"] if value else [])
        assert world.push() == Ran(0, *NOTHING)


def test_edits_that_are_left_say_why_before_and_when_the_others_are_written(world: World) -> None:
    edits = tuple(LEFT)
    source = edit_all(world, edits)
    lines = source.split("\n")
    places = [lines.index(f"## What is key{number:02}?") + 1 for number in range(len(edits))]
    reasons = [
        f"deck/a.md:{place}: {each.field}: {reason}\n"
        for place, (each, reason) in zip(places, LEFT.items(), strict=True)
    ]
    plain, ran = world.run("pull", world.folder), world.run("pull", world.folder, "--write")
    assert (plain.status, plain.err) == (0, "".join(f"`--write` leaves: {each}" for each in reasons))
    assert (ran.status, ran.err) == (1, "".join(f"left unchanged: {each}" for each in reasons))
    assert (world.folder / "a.md").read_text() == source


OPTIONS = "- [x] one\n- [ ] two\n  - for *two* reasons\n\nAs 1 < 2."


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ({"Choices": ("two", "three")}, OPTIONS.replace("] two", "] three")),
        ({"Answer": (">two", "><b>three</b>")}, OPTIONS.replace("] two", "] **three**")),
        ({"Answer": ("reasons", "causes")}, OPTIONS.replace("reasons", "causes")),
        ({"Answer": ("one", "1"), "Choices": ("one", "1")}, OPTIONS.replace("one", "1")),
    ],
)
def test_an_option_is_written_from_either_of_its_fields_and_the_other_follows(
    world: World, edits: dict[str, tuple[str, str]], after: str
) -> None:
    source = edit_all(world, (Edit("Question", "What", "What", OPTIONS, ""),))
    fields = world.do("read", '"Question:*What is key00?*"')[0]["fields"]
    changed = {name: fields[name].replace(*words, 1) for name, words in edits.items()}
    world.do("edit", '"Question:*What is key00?*"', changed)
    assert world.run("pull", world.folder, "--write").status == 0
    assert (world.folder / "a.md").read_text() == source.replace(OPTIONS, after)
    assert world.push().status == 0
    fields = world.do("read", '"Question:*What is key00?*"')[0]["fields"]
    assert [fields[name] for name in changed] == list(changed.values())


def test_an_option_that_is_different_in_its_two_fields_is_left(world: World) -> None:
    source = edit_all(world, (Edit("Question", "What", "What", OPTIONS, ""),))
    fields = world.do("read", '"Question:*What is key00?*"')[0]["fields"]
    changed = {
        "Answer": fields["Answer"].replace("one", "1"),
        "Choices": fields["Choices"].replace("one", "I"),
    }
    world.do("edit", '"Question:*What is key00?*"', changed)
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (
        1,
        (
            "left unchanged: deck/a.md:3: Answer: the options are different in its fields Answer and Choices, or their marks changed\n"
            "Wrote 1 of 2 edits into the Markdown\n"
        ),
    )
    assert (world.folder / "a.md").read_text() == source.replace("one", "I")


def test_what_only_the_editor_sees_is_not_an_edit(world: World) -> None:
    edit_all(world, tuple(Edit("Answer", "", there, "first", "") for there in SAME))
    assert world.run("pull", world.folder) == Ran(0, "", "nothing was edited in Anki since the last push\n")
    assert world.push() == Ran(0, *NOTHING)
