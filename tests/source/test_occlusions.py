"""Boxes on a picture as an author writes them, and what is wrong with them."""

from pathlib import Path

import pytest

from made_pictures import png
from ptcards.lint.check import check_text

TOP = "## Heart\n<!-- card: kind=occlusion -->\n\n"
PICTURE = "![The heart](heart.png)\n\n"
AORTA = "- 12% 30% 18% 6%: Aorta\n"


def found(folder: Path, text: str, **files: bytes) -> list[tuple[str, str, str]]:
    """Return the line, rule and message of each problem in a source with these files beside it."""
    for name, content in ({"heart_png": png(80, 60)} | files).items():
        (folder / ".".join(name.rsplit("_", 1))).write_bytes(content)
    diagnostics = check_text(folder / "a.md", text.encode()).diagnostics
    return [
        (str(each.location.line), f"{each.severity}[{each.rule}]", each.message)
        for each in diagnostics
        if each.rule not in ("no-deck-toml", "missing-source")
    ]


@pytest.mark.parametrize(
    "boxes",
    [
        AORTA,
        "- 12.25% 30% 18.5% 6%: *Aorta*\n- (40% 55% 10% 8%): Left\n  ventricle\n",
        "1. 0% 0% 100% 50%: Top\n2. 0% 50% 100% 50.1%: Below\n",
    ],
)
def test_boxes_that_are_right(tmp_path: Path, boxes: str) -> None:
    assert found(tmp_path, TOP + PICTURE + boxes) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (AORTA, ("1", "error[no-picture]", "this occlusion has no picture")),
        (
            f"Text with ![it](heart.png).\n\n{AORTA}",
            ("1", "error[no-picture]", "this occlusion has no picture"),
        ),
        (f"![It](hart.png)\n\n{AORTA}", ("4", "error[missing-media]", "no file `hart.png`")),
        (f"{PICTURE.rstrip()}\n", ("1", "error[no-list]", "an occlusion without a list")),
        (f"{PICTURE}- Aorta\n", ("6", "error[no-place]", "this item has no place on the picture")),
        (f"{PICTURE}- 1% 2% 3%: A\n", ("6", "error[no-place]", "this item has no place on the picture")),
        (f"{PICTURE}- (1% 2% 3% 4%: A\n", ("6", "error[no-place]", "this item has no place on the picture")),
        (f"{PICTURE}- 1% 2% 3% 4%:\n", ("6", "error[empty-item]", "a box without a label")),
        (
            f"{PICTURE}- 1% 2% 0% 4%: A\n",
            ("6", "error[box-outside]", "this box covers no part of the picture"),
        ),
        (
            f"{PICTURE}- 100% 2% 9% 4%: A\n",
            ("6", "error[box-outside]", "this box covers no part of the picture"),
        ),
        (
            f"{PICTURE}- 95% 2% 9% 4%: A\n",
            ("6", "warning[box-outside]", "this box reaches out of the picture"),
        ),
        (
            f"{PICTURE}- -2% 2% 9% 4%: A\n",
            ("6", "warning[box-outside]", "this box reaches out of the picture"),
        ),
        (
            f"{PICTURE}{AORTA}- 20% 32% 18% 6%: Vein\n",
            ("7", "warning[boxes-overlap]", "this box overlaps box 1, `Aorta`"),
        ),
    ],
)
def test_what_is_wrong_with_a_picture_or_its_boxes(
    tmp_path: Path, body: str, expected: tuple[str, str, str]
) -> None:
    assert found(tmp_path, TOP + body) == [expected]


def test_an_svg_needs_a_size_and_a_dark_version_the_same_shape(tmp_path: Path) -> None:
    body = f"{TOP}![It](h.svg)\n\n{AORTA}"
    bare, sized = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"/>',
        b'<svg width="4" height="3px"/>',
    )
    problem = ("4", "error[picture-size]", "`h.svg` has no size, so Anki cannot place boxes on it")
    assert found(tmp_path, body, h_svg=bare) == [problem]
    assert found(tmp_path, body, h_svg=sized) == []
    assert found(tmp_path, TOP + PICTURE + AORTA, **{"heart.dark_png": png(40, 30)}) == []
    assert found(tmp_path, TOP + PICTURE + AORTA, **{"heart.dark_png": png(40, 40)}) == [
        ("4", "warning[picture-size]", "the dark version of `heart.png` has another shape")
    ]


def test_hide_is_all_or_one_and_only_for_pictures(tmp_path: Path) -> None:
    both = TOP.replace("occlusion", "occlusion hide=both") + PICTURE + AORTA
    assert found(tmp_path, both) == [("2", "error[wrong-value]", "unknown hide `both`")]
    other = "## What?\n<!-- card: kind=set hide=one -->\n\n- a\n- b\n"
    assert found(tmp_path, other) == [("2", "error[wrong-value]", "`hide` needs `kind=occlusion`")]
    assert found(tmp_path, TOP.replace("occlusion", "occlusion hide=one") + PICTURE + AORTA) == []
