"""Boxes that were moved, added or removed in Anki's editor come back into the Markdown."""

import re
from collections.abc import Sequence

import pytest

from conftest import Ran
from made_pictures import png
from pushing import NOTHING, World, anki, shared, wait_for, world

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


def says(ran: Ran) -> tuple[str, str]:
    return ran.out, ran.err


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


ROUNDED = FIELD.replace("left=.7:top=.7:width=.09:height=.09", "left=.6996:top=.6988:width=.0924:height=.09")
"""Anki's editor rounds all boxes to its pixels if one is moved."""


def test_boxes_that_were_only_rounded_to_pixels_keep_their_numbers(world: World) -> None:
    text = pulled(pushed(world), ROUNDED.replace("left=.12:top=.3", "left=.2:top=.3012"))
    assert text == SOURCE.replace("12% 30%", "20% 30.12%")
    assert world.run("pull", world.folder).err == "nothing was edited in Anki since the last push\n"
    assert world.push().status == 0
    assert world.note("heart")["Occlusion"] == FIELD.replace("left=.12:top=.3", "left=.2:top=.3012")
    assert says(world.push()) == NOTHING


def test_a_box_is_deleted_while_others_are_rounded(world: World) -> None:
    text = pulled(pushed(world), re.sub(r"\{\{c2.*?<br>", "", ROUNDED))
    assert text == SOURCE.replace("- (40% 55% 10% 8%): Left ventricle\n", "")
    assert world.push().status == 0
    assert world.note("heart")["Occlusion"] == re.sub(r"\{\{c2.*?<br>", "", FIELD)
    assert says(world.push()) == NOTHING


@pytest.mark.parametrize("oi", [":oi=1", ""])
def test_a_box_that_is_moved_by_less_than_a_pixel_is_moved(world: World, oi: str) -> None:
    text = pulled(pushed(world), ROUNDED.replace(":oi=1", oi))
    moved = SOURCE.replace("70% 70% 9% 9%", "69.96% 69.88% 9.24% 9%")
    assert text == (moved if oi else moved.replace("kind=occlusion", "kind=occlusion hide=one"))


def test_boxes_in_another_order_are_the_same(world: World) -> None:
    first, *others = FIELD.split("<br>")[:-1]
    pushed(world).edit("heart", Occlusion="<br>".join((*others, first)))
    assert world.run("pull", world.folder).err == "nothing was edited in Anki since the last push\n"
    assert says(world.push()) == NOTHING
    pulled(world, "<br>".join((others[1], first)))
    assert world.push().status == 0
    assert says(world.push()) == NOTHING


def test_a_shape_that_a_source_cannot_describe_is_left(world: World) -> None:
    pushed(world).edit("heart", Occlusion=FIELD.replace(":oi=1}}<br>", ":angle=45:oi=1}}<br>", 1))
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, (world.folder / "a.md").read_text()) == (1, SOURCE)
    assert "Occlusion: no Markdown renders to exactly that" in ran.err


def drawn(world: World, count: int, *steps: str | Sequence[float]) -> tuple[list[str], list[str]]:
    """Do steps in Anki's own editor, from which `count` boxes are expected, and pull them.

    Returns the lines that the source had before, and those that it has instead, with rounded numbers, because
    Anki's editor knows only pixels.
    """
    before, lines = world.note("heart")["Occlusion"], (world.folder / "a.md").read_text().splitlines()
    world.do("review", "Mini")
    world.do("edit_current")
    world.do("draw_boxes", "EditCurrent", *steps)

    def is_saved() -> bool:
        field = world.note("heart")["Occlusion"]
        return field != before and field.count("{{c") == count

    wait_for(is_saved)
    wait_for(lambda: bool(world.do("close_windows")))
    ran = world.run("pull", world.folder, "--write")
    assert (ran.status, ran.err) == (0, "Wrote 1 of 1 edits into the Markdown\n")
    assert world.push().status == 0  # with the boxes that were only rounded, and the label of a new one
    assert says(world.push()) == NOTHING
    changed = (world.folder / "a.md").read_text().splitlines()
    return [*map(rounded, lines_only_in(lines, changed))], [*map(rounded, lines_only_in(changed, lines))]


def lines_only_in(some: list[str], others: list[str]) -> list[str]:
    return [line for line in some if line not in others]


def rounded(line: str) -> str:
    return re.sub(r"[\d.]+%", lambda number: f"{round(float(number[0][:-1]))}%", line)


@pytest.mark.parametrize("shared", [pytest.param("desktop", marks=pytest.mark.desktop)], indirect=True)
def test_boxes_of_the_editor_of_anki_come_back_and_stay_as_they_are(world: World) -> None:
    (world.folder / "a.md").write_text(SOURCE)
    (world.folder / "heart.png").write_bytes(png(800, 600))
    assert world.push().status == 0
    moved = ["- 12% 30% 18% 6%: Aorta"], ["- 32% 10% 18% 6%: Aorta"]
    assert drawn(world, 3, [20, 33, 40, 13]) == moved
    assert drawn(world, 4, "E", [60, 20, 80, 35]) == ([], ["- (60% 20% 20% 15%): Box 4"])
    assert drawn(world, 3, [45, 59, 45, 59], "Del") == (["- (40% 55% 10% 8%): Left ventricle"], [])
    package = world.folder.parent / "mini.apkg"
    assert world.run("build", world.folder, "-o", package.parent).status == 0
    assert world.do("import_by_hand", str(package)) == {"duplicate": 1}
