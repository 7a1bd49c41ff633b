"""What somebody types in the editor of a desktop Anki, and what `ptcards pull --write` makes of it."""

import time
from typing import NamedTuple

import pytest

from pushing import World, anki, query, shared, wait_for, world

__all__ = ["anki", "shared", "world"]

pytestmark = pytest.mark.parametrize(
    "shared", [pytest.param("desktop", marks=pytest.mark.desktop)], indirect=True
)


class Typed(NamedTuple):
    """An edit of a field: its keys, and the Markdown below a note's comment before and after it.

    `left` is why it is not written, `setting` is added to the comment, and `$K` is the note's key.
    """

    field: str
    keys: tuple[str, ...]
    before: str
    after: str = ""
    left: str = ""
    kind: str = ""
    setting: str = ""
    heading: str = "What is $K?"


FIRST, LIST = "The first sentence here.", "- one\n- two"
HINT, ADDED = "first\n\n### Hint\n\nA hint.", "first\n\n### Details\n\n{}"
WORD = ("Ctrl+Home", "Ctrl+Right", "Right", "Ctrl+Shift+Right")
WORD_AND_SPACE = (*WORD, "Shift+Right")
ALL, END = "Ctrl+A", "Ctrl+End"
TABLE = "<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
CODE = "<pre class='x'><code>a = 1\nb = 2</code></pre>"
NESTED = "<ul><li>x</li><li>y<ul><li>z</li></ul></li></ul>"
LOOKS = "Markdown has nothing that looks like `{}`"
EDITS = (
    Typed("Answer", (END, "= More."), FIRST, f"{FIRST} More."),
    Typed("Answer", (END, "Backspace", "=!"), FIRST, "The first sentence here!"),
    Typed("Answer", (ALL, "=Something else."), FIRST, "Something else."),
    Typed("Answer", (*WORD, "Delete"), FIRST, "The sentence here."),
    Typed("Answer", (*WORD, "Ctrl+B"), FIRST, "The **first** sentence here."),
    Typed("Answer", (*WORD_AND_SPACE, "Ctrl+B"), FIRST, "The **first** sentence here."),
    Typed("Answer", (*WORD_AND_SPACE, "Ctrl+I"), FIRST, "The *first* sentence here."),
    Typed("Answer", (*WORD, "Ctrl+U"), FIRST, "The <u>first</u> sentence here."),
    Typed("Answer", (*WORD, "Ctrl+="), FIRST, "The <sup>first</sup> sentence here."),
    Typed("Answer", ("Ctrl+Home", "Shift+Right", "Ctrl+B"), FIRST, "<b>T</b>he first sentence here."),
    Typed("Answer", (END, "Return", "=More."), FIRST, f"{FIRST}\n\nMore."),
    Typed("Answer", (END, "Shift+Return", "=More."), FIRST, f"{FIRST}\\\nMore."),
    Typed("Answer", (END, "Home", "Backspace"), "one\n\ntwo", "onetwo"),
    Typed("Hint", (ALL, "Delete"), HINT, "first"),
    Typed("Details", ("=one",), "first", ADDED.format("one")),
    Typed("Details", ("=one", "Return", "=two"), "first", ADDED.format("one\\\ntwo")),
    Typed("Details", ("=one", "Return", "Return", "=two"), "first", ADDED.format("one\n\ntwo")),
    Typed("Details", ("=- one", "Return", "=- two"), "first", ADDED.format("- one\n- two")),
    Typed("Answer", (END, "Return", "=- a", "Return", "=- b"), FIRST, f"{FIRST}\n\n- a\n- b"),
    Typed("Answer", (END, "Return", "=three"), LIST, f"{LIST}\n- three"),
    Typed("Answer", (END, "Return", "=three", "!indent"), LIST, f"{LIST}\n  - three"),
    Typed("Answer", (END, "Return", "Return", "=after"), LIST, f"{LIST}\n\nafter"),
    Typed("Answer", (END, *["Backspace"] * 4, "=!"), LIST, "- one!"),
    Typed("Answer", (ALL, "!insertUnorderedList"), FIRST, f"- {FIRST}"),
    Typed("Answer", (END, "= See https://a.org/x_y."), FIRST, f"{FIRST} See <https://a.org/x_y>."),
    Typed("Sources", ("=https://a.org/x_y",), "first", "first\n\n### Sources\n\n<https://a.org/x_y>"),
    Typed("Question", (END, "Left", "= here"), "first", "first", heading="What is $K here?"),
    Typed("Question", (ALL, "=Who is $K?"), "first", "first", heading="Who is $K?"),
    Typed("Question", (END, "Return", "=In short."), "first", "In short.\n\n### Answer\n\nfirst"),
    Typed("Typed", (ALL, "=torch.ones"), "`torch.zeros`", "`torch.ones`", kind=" kind=typed"),
    Typed("Difficulty", ("=hard",), "first", "first", setting=" difficulty=hard"),
    Typed("Answer", (END, "<a href='https://a.org'>site</a>"), "See:", "See:[site](https://a.org)"),
    Typed("Answer", (END, TABLE), FIRST, f"{FIRST}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
    Typed("Details", (CODE,), "first", ADDED.format("```\na = 1\nb = 2\n```")),
    Typed("Answer", (END, NESTED), FIRST, f"{FIRST}\n\n- x\n- y\n  - z"),
    Typed("Answer", (END, "<p>one</p><p>two</p>"), FIRST, f"{FIRST}one\n\ntwo"),
    Typed("Answer", (ALL, "!justifyCenter"), FIRST, left=LOOKS.format('<p style="text-align: center; ">')),
    Typed(
        "Answer",
        (END, "<font color='red'>red</font>"),
        FIRST,
        left=LOOKS.format('<span style="color: red;">'),
    ),
    Typed("Answer", (END, "<h2>Title</h2><p>two</p>"), FIRST, left=LOOKS.format("<h2>")),
    Typed("Answer", (ALL, "Delete"), FIRST, left="a note needs an answer"),
    Typed("Extra 1", ("=mine",), "first", left="this field has no text in the Markdown: it is yours"),
)


def note(number: int, heading: str, settings: str, text: str) -> str:
    key = f"key{number:02}"
    return f"## {heading}\n<!-- card: id={key}{settings} -->\n\n{text}\n".replace("$K", key)


def type_in(world: World, key: str, edit: Typed) -> None:
    """Type in Anki's browser, and wait until its editor has saved all."""
    (nid,) = [each["id"] for each in world.do("read", query(key))]

    def fields() -> dict[str, str]:
        return dict(world.do("read", f"nid:{nid}")[0]["fields"])

    world.do("select", f"nid:{nid}")
    wait_for(lambda: world.do("shown", "Browser") == [*fields().values()])
    before = fields()[edit.field]
    world.do("press_keys", "Browser", edit.field, *(each.replace("$K", key) for each in edit.keys))
    wait_for(lambda: fields()[edit.field] != before)
    time.sleep(0.7 + 0.1 * len(edit.keys))


def test_edits_typed_in_the_editor_are_written_or_left_with_their_reason(world: World) -> None:
    notes = [note(n, "What is $K?", each.kind, each.before) for n, each in enumerate(EDITS)]
    source = world.folder / "a.md"
    source.write_text("\n".join(["# Alpha\n", *notes]))
    assert world.push().status == 0
    for number, each in enumerate(EDITS):
        type_in(world, f"key{number:02}", each)
    ran = world.run("pull", world.folder, "--write")
    after = [
        before if each.left else note(n, each.heading, each.kind + each.setting, each.after)
        for (n, each), before in zip(enumerate(EDITS), notes, strict=True)
    ]
    assert source.read_text() == "\n".join(["# Alpha\n", *after])
    left = [each for each in EDITS if each.left]
    said = [line.partition(".md:")[2].partition(": ")[2] for line in ran.err.splitlines()]
    assert said[:-1] == [f"{each.field}: {each.left}" for each in left]
    assert (
        ran.err.splitlines()[-1] == f"Wrote {len(EDITS) - len(left)} of {len(EDITS)} edits into the Markdown"
    )
    assert world.push().status == 0
    again = [line for line in world.run("pull", world.folder).err.splitlines() if "--write` " in line]
    assert ["` leaves: " in line for line in again] == [True] * len(left)
