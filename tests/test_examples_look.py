"""Cards of the decks in `examples/` in a real Chromium, as the real Anki renders them."""

import base64
from pathlib import Path

import pytest

from anki_backend import import_package, learner, sides
from card_pages import HOSTS, PICTURES_SHOWN, Side, faults, page
from conftest import runner
from test_examples import SKY

from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser

SHOWN = {
    "seasons": "Question:*seasons*",
    "phases": "Question:*have*phases*",
    "side": "Question:*lying*",
    "planets": "outwards card:4",
    "typed": "Question:*hottest*",
    "layers": "Question:*layer*",
    "word": "Word:*fugaz",
}
"""A search for a card of each kind that looks different."""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> list[Side]:
    """Return both sides of a card of each of these notes."""
    folder = tmp_path_factory.mktemp("sky")
    ran = runner(folder)("build", SKY, "--locked", "-o", folder, "--format", "apkg")
    assert ran.status == 0, ran.err
    with learner(folder / "anki") as collection:
        import_package(collection, folder / "the-sky.apkg")
        media = Path(collection.media.dir())
        found = []
        for name, search in SHOWN.items():
            cards = collection.find_cards(search, order=True)
            assert cards, search
            card = collection.get_card(cards[0])
            for side, html in zip(("front", "back"), sides(card), strict=True):
                found.append(Side(f"{name}-{side}", card.note_type()["css"], _inlined(html, media)))
        return found


def _inlined(html: str, media: Path) -> str:
    """Return HTML with its drawings inlined, because the page has no folder."""
    for file in media.glob("*.svg"):
        content = base64.b64encode(file.read_bytes()).decode()
        html = html.replace(f'"{file.name}"', f'"data:image/svg+xml;base64,{content}"')
    return html


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_cards_about_the_sky_fit_a_phone_and_can_be_read(
    page: Page, shown: list[Side], *, night: bool
) -> None:
    assert faults(page, shown, HOSTS[0], night=night) == []


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_a_card_about_the_sky_shows_the_drawing_for_its_time_of_day(
    page: Page, shown: list[Side], *, night: bool
) -> None:
    (back,) = (side for side in shown if side.name == "phases-back")
    page.set_viewport_size({"width": 390, "height": 700})
    page.set_content(back.page(HOSTS[0], night=night))
    (picture,) = page.evaluate(PICTURES_SHOWN)
    assert (picture.startswith("Seen from above"), picture.endswith(" 360")) == (True, True)
    (drawing,) = page.evaluate(
        "[...document.images].filter(each => each.checkVisibility()).map(each => each.src)"
    )
    svg = base64.b64decode(drawing.partition("base64,")[2])
    assert svg == (SKY / "img" / ("phases.dark.svg" if night else "phases.svg")).read_bytes()
