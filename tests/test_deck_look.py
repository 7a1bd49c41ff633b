"""Cards of the PyTorch deck in a real Chromium, with the deck's own style."""

import pytest

from card_pages import HOSTS, Side, inlined, page
from handmade import EARLIER
from ptcards.anki.cards import card_sides
from ptcards.anki.fields import render_note
from ptcards.notes import Identified
from ptcards.workspace import Workspace
from test_cards import CARDS

from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def back() -> Side:
    """Return the back of a card with a drawing."""
    (contents,) = Workspace.read([CARDS]).contents
    note = next(note for note in contents.notes if note.id == "rope")
    rendered, _ = render_note(Identified(note, "rope", EARLIER))
    qa = contents.note_types[0]
    (card,) = card_sides(rendered, qa)
    return Side("rope", qa.css, inlined(card.back, rendered))


@pytest.mark.parametrize(("width", "shown"), [(360, 328), (390, 358), (768, 438), (1000, 468), (1440, 468)])
def test_text_in_a_drawing_is_about_as_large_as_the_text_around_it(
    page: Page, back: Side, width: int, shown: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(back.page(HOSTS[3], night=False))
    assert round(page.evaluate("document.querySelector('.day-only').getBoundingClientRect().width")) == shown


@pytest.mark.parametrize("width", [360, 768, 1000])
def test_a_drawing_is_in_the_middle_of_its_column(page: Page, back: Side, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.set_content(back.page(HOSTS[3], night=False))
    before, after = page.evaluate(
        """() => {
          const drawing = document.querySelector(".day-only"), shown = drawing.getBoundingClientRect();
          const column = drawing.closest("details, .answer").getBoundingClientRect();
          return [shown.left - column.left, column.right - shown.right];
        }"""
    )
    assert abs(before - after) <= 1


def test_texts_of_drawings_end_inside_them(page: Page) -> None:
    outside = {}
    for file in sorted((CARDS / "img").glob("*.svg")):
        page.set_content(file.read_text("utf-8"))
        if found := page.evaluate(
            """() => {
              const drawing = document.querySelector("svg").getBoundingClientRect();
              const texts = [...document.querySelectorAll("svg text")];
              return texts.filter(text => {
                const shown = text.getBoundingClientRect();
                return shown.left < drawing.left + 2 || shown.right > drawing.right - 2
                  || shown.top < drawing.top || shown.bottom > drawing.bottom;
              }).map(text => text.textContent);
            }"""
        ):
            outside[file.name] = found
    assert outside == {}
