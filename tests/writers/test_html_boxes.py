"""The boxes of a picture on the study page."""

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path

import pytest

from browsing import chromium, violations, watched_page
from conftest import Ran
from made_pictures import png

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, expect  # isort: skip

pytestmark = pytest.mark.browser

SOURCE = """# Body

## Name the parts.
<!-- card: kind=occlusion{hide} -->

![The heart](heart.png)

- 10% 20% 30% 40%: *Aorta*
- (60% 50% 20% 10%): Vein
"""
PLACES = """() => [...document.querySelector("#card").shadowRoot.querySelectorAll("#image-occlusion-container button")].map(
  (box) => {
    const [own, all] = [box, box.parentElement].map((each) => each.getBoundingClientRect());
    const percent = [(own.x - all.x) / all.width, (own.y - all.y) / all.height, own.width / all.width, own.height / all.height];
    return [...percent.map((part) => Math.round(part * 100)), getComputedStyle(box).backgroundColor];
  },
)"""
ASKED, HIDDEN, SHOWN = "rgb(255, 142, 142)", "rgb(255, 235, 162)", "rgba(0, 0, 0, 0)"
AORTA, VEIN = [10, 20, 30, 40], [60, 50, 20, 10]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("hide", ["", " hide=one"], ids=["all", "one"])
def test_boxes_are_over_the_picture_and_the_label_is_the_answer(
    ptcards: Callable[..., Ran], tmp_path: Path, browser: Browser, hide: str
) -> None:
    folder = tmp_path / "body"
    folder.mkdir()
    (folder / "deck.toml").write_text('name = "Body"\nid = "6f0c2c0e"\n')
    (folder / "a.md").write_text(SOURCE.format(hide=hide))
    (folder / "heart.png").write_bytes(png(400, 300))
    assert ptcards("build", folder, "-o", tmp_path, "--format", "html").status == 0
    watched = watched_page(browser, (tmp_path / "body.html").as_uri())
    page = watched.page
    page.goto(watched.home)
    page.get_by_role("button", name="Start").click()
    card = page.locator("#card")
    expect(card.locator("#image-occlusion-container img")).to_have_js_property("naturalWidth", 400)
    # The order of new cards is random.
    label = "Vein" if [*VEIN, ASKED] in page.evaluate(PLACES) else "Aorta"
    both = {"Aorta": AORTA, "Vein": VEIN}
    drawn = {name: HIDDEN for name in both if not hide or name == label}
    assert page.evaluate(PLACES) == _places(both, drawn | {label: ASKED})
    expect(card).not_to_contain_text(label)
    expect(card).not_to_contain_text("Your Anki is too old")
    asked = card.locator("#image-occlusion-container button").nth([*drawn].index(label))
    asked.click()  # a tap shows what is below a box, and does not turn the card
    assert page.evaluate(PLACES) == _places(both, drawn | {label: SHOWN})
    page.get_by_role("button", name="Show answer").click()
    expect(card.locator("#image-occlusion-container + p")).to_have_text(label)
    assert page.evaluate(PLACES) == _places(both, drawn | {label: SHOWN})
    assert (violations(page), watched.complaints, watched.strays) == ([], [], [])


NATIVE = """<div id="card">
<div data-shape="polygon" data-points=".1,.2 .5,.2 .3,.6" data-ordinal="1" class="cloze"></div>
<div data-shape="rect" data-left=".5" data-top=".5" data-width=".2" data-height=".1" data-angle="2500"
 data-occludeinactive="1" data-ordinal="2" class="cloze-inactive"></div>
<div data-shape="text" data-text="A" data-occludeinactive="1" data-ordinal="0" class="cloze-inactive"></div>
<div data-shape="rect" data-ordinal="3" class="cloze-inactive"></div>
<div id="image-occlusion-container"><canvas></canvas></div></div>"""


def test_shapes_of_anki_are_drawn_unless_they_hide_nothing(browser: Browser) -> None:
    page = browser.new_page()
    script = resources.files("ptcards.writers.study") / "boxes.js"
    page.set_content(f"{NATIVE}<script>{script.read_text('utf-8')}; drawBoxes(card)</script>")
    assert page.evaluate(
        """[...document.querySelectorAll("button")].map(({ style, ariaLabel }) =>
          [ariaLabel, style.clipPath, style.left, style.width, style.rotate, style.background])"""
    ) == [
        ["□ 1", "polygon(10% 20%, 50% 20%, 30% 60%)", "0px", "100%", "0deg", ASKED],
        ["□ 2", "", "50%", "20%", "90deg", HIDDEN],
    ]
    assert page.locator("canvas").count() == 0


def _places(boxes: dict[str, list[int]], colours: dict[str, str]) -> list[list[object]]:
    return [[*boxes[name], colours[name]] for name in colours]
