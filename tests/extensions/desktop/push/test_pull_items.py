"""An edit of an item of a sequence in Anki finds its line, and the item keeps its card."""

import re

import pytest

from conftest import Ran
from pushing import NOTHING, World, anki, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

LIST = """\
# Alpha

## What is tcp?
<!-- card: id=tcp kind=sequence -->

Three segments:

1. `SYN`
2. SYN-ACK with $a_1$
3. ACK
   - nested

They take one round trip.
"""


def numbers(world: World) -> list[tuple[str, str]]:
    lock = (world.folder / "deck.lock").read_text()
    found = re.findall(r"^item\t\w+\t(\d+)\tlive\t\d+\t\w+\t\w+\t(.*)\t~", lock, re.MULTILINE)
    return [(number, text) for number, text in found]


@pytest.mark.parametrize("setting", ["sequence", "sequence before=1", "set"])
def test_an_edited_item_is_written_to_its_line_and_keeps_its_number(world: World, setting: str) -> None:
    source = world.folder / "a.md"
    text = LIST.replace("kind=sequence", f"kind={setting}")
    source.write_text(text.replace("1. `SYN`\n", "1. `SYN`\n1. gone\n"))
    assert world.push().status == 0
    source.write_text(text)
    assert world.push().status == 0
    answer = world.note("tcp")["Answer"]
    world.edit(
        "tcp",
        Answer=answer.replace("SYN-ACK with", "The server answers, counting").replace("ACK\n", "Done\n"),
    )
    assert world.run("pull", world.folder, "--write") == Ran(
        0,
        "deck/a.md:3: What is tcp?\n"
        "  Answer: [-SYN-ACK with-]{+The server answers, counting+} \\(a_1\\)\n"
        "    [-ACK-]\n    {+Done+}\n",
        "Wrote 1 of 1 edits into the Markdown\n",
    )
    assert source.read_text() == text.replace("SYN-ACK with", "The server answers, counting").replace(
        "3. ACK", "3. Done"
    )
    assert numbers(world) == [
        ("1", "`SYN`"),
        ("3", "The server answers, counting $a_1$"),
        ("4", "Done - nested"),
    ]
    assert world.push() == Ran(0, *NOTHING)


def test_an_item_of_a_translation_goes_to_anki_and_comes_back_with_its_mark(world: World) -> None:
    toml = world.folder / "deck.toml"
    toml.write_text(f'{toml.read_text()}\n[languages]\nde = "Deutsch"\n')
    listed = "# Alpha\n\n## {}\n<!-- card: id=tcp kind=sequence -->\n\n* SYN\n* {}\n"
    (world.folder / "a.md").write_text(listed.format("What is tcp?", "the reply"))
    german = world.folder / "a.de.md"
    german.write_text(listed.format("What is ist?", "die Antwort"))
    assert world.push().status == 0
    shown = world.note("ist")["Answer"]
    world.edit("ist", Answer=shown.replace("die Antwort", "die Quittung"))
    assert world.run("pull", world.folder, "--write").status == 0
    assert german.read_text() == listed.format("What is ist?", "die Quittung")
    assert world.push() == Ran(0, *NOTHING)
