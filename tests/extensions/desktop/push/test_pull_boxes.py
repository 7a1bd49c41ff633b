"""Boxes that were moved, added or removed in Anki's editor come back into the Markdown."""

import re

from made_pictures import png
from pushing import World, anki, shared, world

__all__ = ["anki", "shared", "world"]

SOURCE = """\
# Body

## What is heart?
<!-- card: id=heart kind=occlusion -->

![The heart](heart.png)

- 12% 30% 18% 6%: Aorta
  of the heart
- (40% 55% 10% 8%): Left ventricle
- 70% 70% 9% 9%: Apex

### Details

More.
"""
FIELD = (
    "{{c1::image-occlusion:rect:left=.12:top=.3:width=.18:height=.06:oi=1}}<br>"
    "{{c2::image-occlusion:ellipse:left=.4:top=.55:rx=.05:ry=.04:oi=1}}<br>"
    "{{c3::image-occlusion:rect:left=.7:top=.7:width=.09:height=.09:oi=1}}<br>"
)


def pushed(world: World) -> World:
    (world.folder / "a.md").write_text(SOURCE)
    (world.folder / "heart.png").write_bytes(png(80, 60))
    assert world.push().status == 0
    return world


def pulled(world: World, field: str) -> str:
    """Return the source after a field of boxes as Anki's editor writes it was pulled."""
    world.edit("heart", Occlusion=field)
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (0, "Wrote 1 of 1 edits into the Markdown\n")
    return (world.folder / "a.md").read_text()


def test_a_moved_box_changes_only_its_numbers(world: World) -> None:
    text = pulled(pushed(world), FIELD.replace("left=.12:top=.3", "left=.1234:top=.0000"))
    assert text == SOURCE.replace("12% 30%", "12.34% 0%")
    assert world.run("pull", world.folder).err == "nothing was edited in Anki since the last push\n"


def test_a_box_that_is_gone_and_a_new_one(world: World) -> None:
    new = "{{c4::image-occlusion:rect:left=.5:top=.1:width=.1:height=.1:oi=1}}<br>"
    field = re.sub(r"\{\{c2.*?<br>", "", FIELD) + new
    text = pulled(pushed(world), field)
    assert text == SOURCE.replace("- (40% 55% 10% 8%): Left ventricle\n", "").replace(
        "Apex\n", "Apex\n- 50% 10% 10% 10%: Box 4\n"
    )
    assert world.push().status == 0
    lock = (world.folder / "deck.lock").read_text()
    assert re.findall(r"^item\t\w+\t(\d+)\t(\w+)\t", lock, re.MULTILINE) == [
        ("1", "live"),
        ("2", "retired"),
        ("3", "live"),
        ("4", "live"),
    ]


def test_only_the_box_that_is_asked_is_hidden_from_now_on(world: World) -> None:
    text = pulled(pushed(world), FIELD.replace(":oi=1", ""))
    assert text == SOURCE.replace("kind=occlusion", "kind=occlusion hide=one")


def test_a_shape_that_a_source_cannot_describe_is_left(world: World) -> None:
    pushed(world).edit("heart", Occlusion=FIELD.replace(":oi=1}}<br>", ":angle=45:oi=1}}<br>", 1))
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, (world.folder / "a.md").read_text()) == (1, SOURCE)
    assert "Occlusion: no Markdown renders to exactly that" in ran.err
