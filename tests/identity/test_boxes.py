"""The boxes of a picture keep their numbers, and so learners their reviews."""

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from anki.collection import Collection

from anki_backend import assert_healthy, cards_of, import_package
from box_edits import DrawnBox, Illustrator
from identity_release import Learner, Maintainer, author, studying
from made_pictures import png

__all__ = ["author"]

HEART = (
    "# Body\n\n## Name the parts of the heart.\n<!-- card: kind=occlusion -->\n\n![The heart](heart.png)\n\n"
)
AORTA = "- 12% 30% 18% 6%: Aorta\n"
VENTRICLE = "- 40% 55% 10% 8%: Left ventricle\n"


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Learner]:
    with studying(tmp_path / "anki") as learner:
        yield learner


@pytest.fixture
def heart(author: Maintainer) -> Maintainer:
    author.write(body=f"{HEART}{AORTA}{VENTRICLE}")
    (author.folder / "heart.png").write_bytes(png(800, 600))
    return author


def numbers(author: Maintainer) -> dict[str, str]:
    """Return the numbers of the labels in the lock."""
    lock = (author.folder / "deck.lock").read_text()
    return {label: n for n, label in re.findall(r"^item\t\w+\t(\d+)\tlive\t.*\t(.*)\t~", lock, re.MULTILINE)}


def shapes(collection: Collection, note: int) -> dict[int, dict[str, str]]:
    """Return what Anki's own reader of image occlusions finds in a note, by number."""
    read = collection._backend.get_image_occlusion_note(note).note
    assert (read.image_data[:8], read.header != "") == (b"\x89PNG\r\n\x1a\n", True)
    return {
        each.ordinal: {"shape": shape.shape} | {one.name: one.value for one in shape.properties}
        for each in read.occlusions
        for shape in each.shapes
    }


def test_anki_takes_the_note_for_one_of_its_own(heart: Maintainer, anki: Learner) -> None:
    heart.write(body=f"{HEART}{AORTA}- (40% 55% 10% 8.5%): Left ventricle\n")
    package = heart.build()
    assert anki.get(package) == {"new": 1}
    assert anki.get(package) == {"duplicate": 1}
    assert_healthy(anki.collection)
    (note,) = anki.collection.find_notes("")
    assert shapes(anki.collection, note) == {
        1: {"shape": "rect", "left": ".12", "top": ".3", "width": ".18", "height": ".06", "oi": "1"},
        2: {"shape": "ellipse", "left": ".4", "top": ".55", "rx": ".05", "ry": ".0425", "oi": "1"},
    }
    model = anki.collection.get_note(note).note_type()
    assert model is not None
    found = anki.collection._backend.get_image_occlusion_fields(model["id"])
    names = [field["name"] for field in model["flds"]]
    places = found.occlusions, found.image, found.header, found.back_extra
    assert [names[place] for place in places] == ["Occlusion", "Image", "Question", "Details"]


def test_hide_one_only_hides_the_box_that_is_asked(heart: Maintainer, anki: Learner) -> None:
    heart.write(body=HEART.replace("occlusion -->", "occlusion hide=one -->") + AORTA + VENTRICLE)
    anki.get(heart.build())
    (note,) = anki.collection.find_notes("")
    assert ["oi" in shape for shape in shapes(anki.collection, note).values()] == [False, False]


def test_a_box_is_the_same_with_another_label_or_in_another_place(heart: Maintainer) -> None:
    heart.build()
    heart.write(body=f"{HEART}{VENTRICLE.replace('55%', '60%')}{AORTA.replace('Aorta', 'Ascending aorta')}")
    heart.build()
    assert numbers(heart) == {"Ascending aorta": "1", "Left ventricle": "2"}
    assert "maybe-same-item" not in heart.rules


def test_labels_that_change_places_stay_with_the_picture(heart: Maintainer) -> None:
    heart.build()
    heart.write(body=HEART + AORTA.replace("Aorta", "Left ventricle") + VENTRICLE.replace("Left v", "V"))
    heart.build()
    assert numbers(heart) == {"Left ventricle": "1", "Ventricle": "2"}


def test_two_boxes_of_one_label_that_both_moved_are_named(heart: Maintainer) -> None:
    heart.write(body=f"{HEART}- 1% 1% 9% 9%: Rib\n- 1% 20% 9% 9%: Rib\n").publish("v1")
    heart.write(body=f"{HEART}- 3% 1% 9% 9%: Rib\n- 3% 20% 9% 9%: Rib\n").build()
    assert heart.rules.count("maybe-same-item") == 2
    assert heart.run("keep", heart.folder).out.count("item: Rib") == 4


def test_another_picture_keeps_boxes_by_their_labels_and_its_shape_is_remembered(heart: Maintainer) -> None:
    heart.publish("v1")
    (heart.folder / "heart.png").write_bytes(png(400, 300, 9))
    heart.build()
    assert ("picture-reshaped" in heart.rules, numbers(heart)) == (
        False,
        {"Aorta": "1", "Left ventricle": "2"},
    )
    (heart.folder / "heart.png").write_bytes(png(600, 600))
    heart.build()
    assert ("picture-reshaped" in heart.rules, numbers(heart)) == (
        True,
        {"Aorta": "1", "Left ventricle": "2"},
    )
    heart.build()
    assert "picture-reshaped" not in heart.rules


def test_diff_says_which_cards_come_and_go(heart: Maintainer) -> None:
    heart.publish("v1")
    heart.write(body=f"{HEART}{AORTA}- 70% 70% 9% 9%: Apex of the heart\n")
    ran = heart.run("diff", heart.folder)
    assert "adds a card, a card left empty until the learner runs Tools > Empty Cards" in ran.out


def test_find_and_csv_have_the_labels(heart: Maintainer) -> None:
    heart.build()
    assert heart.run("find", "ventricle", heart.folder).out.startswith("cards/body.md:3: ")
    assert VENTRICLE.strip() in (heart.root / "build" / "pytorch.csv").read_text("utf-8")


def test_no_random_edit_puts_the_card_of_a_learner_on_another_box(author: Maintainer, anki: Learner) -> None:
    drawers = [Illustrator(random.Random(seed)) for seed in range(20)]
    for drawer in drawers:
        drawer.begin()
    asked: dict[int, int] = {}
    edits = 0
    for release in range(11):
        for drawer in drawers if release else ():
            drawer.edit()
            edits += 1
        notes = [
            f"## Picture {n}\n<!-- card: id=p-{n} kind=occlusion -->\n\n![Ribs](ribs.png)\n\n"
            + "".join(box.line for box in drawer.boxes)
            for n, drawer in enumerate(drawers)
        ]
        author.write(ribs="# Ribs\n\n" + "\n".join(notes))
        (author.folder / "ribs.png").write_bytes(png(80, 60))
        # Anki 24.11 gives an updated note the time of the import, and skips releases that are older.
        package = author.build(now=int(time.time()) + 86_400 * (release + 1))
        anki.get(package)
        assert import_package(anki.collection, package) == {"duplicate": 20}
        for n, drawer in enumerate(drawers):
            by_corner: dict[str, DrawnBox] = {_corner(box.left, box.top): box for box in drawer.boxes}
            cards = cards_of(anki.collection, author.guids[f"Picture {n}"])
            drawn = shapes(anki.collection, cards[0].nid)
            assert sorted(_corner_of(shape) for shape in drawn.values()) == sorted(by_corner)
            for card in cards:
                if shape := drawn.get(card.ord + 1):
                    box = by_corner[_corner_of(shape)]
                    assert asked.setdefault(card.id, box.origin) == box.origin
    assert edits == 200


def _corner(left: float, top: float) -> str:
    return f"{left / 100:.4f} {top / 100:.4f}"


def _corner_of(shape: dict[str, str]) -> str:
    return f"{float(shape['left']):.4f} {float(shape['top']):.4f}"
