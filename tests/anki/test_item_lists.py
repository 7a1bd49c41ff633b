"""The cards of a sequence and of a set, rendered by a real Anki and shown in the pages of its apps."""

from dataclasses import replace
from pathlib import Path

import pytest

from card_pages import HOSTS, Host, faults, page, sides_of
from handmade import a_note
from ptcards.anki.built_in_notetypes import find_type
from ptcards.anki.cards import card_sides
from ptcards.anki.fields import render_note
from ptcards.anki.mathml import with_math
from ptcards.notes import Identified, Kind
from ptcards.notes.rendered import RenderedNote

from playwright.sync_api import Page  # isort: skip - after `card_pages`, which skips the tests if Chromium is missing

__all__ = ["page"]

pytestmark = pytest.mark.browser

LIST = "Above:\n\n3. one `a::b`\n4. two $x$\n5. three\n   - nested\n6. four\n\nBelow.\n\n1. Another list.\n"
SEEN = """() => [...document.querySelectorAll(".sequence > span, .set > span")]
  .filter(each => each.checkVisibility({ visibilityProperty: true }))
  .map(each => each.innerText.replace(/\\s+/g, " "))"""
COUNTED = """() => {
  const seen = [...document.querySelectorAll(".sequence > span, .set > span")]
    .filter(each => getComputedStyle(each).counterIncrement !== "none" && each.checkVisibility());
  const asked = document.querySelectorAll(".cloze");
  return seen.indexOf(asked[asked.length - 1]) + 1;
}"""
"""What the counter of the item that is asked has added up to: hidden items count, and empty marks do not."""


def rendered(kind: Kind, before: int = 0, language: str = "") -> RenderedNote:
    note = a_note("Q?", LIST, kind=kind)._replace(before=before, language=language)
    found, problems = render_note(Identified(note, f"{kind}{before}", 1))
    assert problems == []
    return found


ONE, TWO, THREE, FOUR = "one a::b", r"two \(x\)", "three nested", "four"


@pytest.mark.parametrize(
    ("kind", "before", "shown"),
    [
        (Kind.SEQUENCE, 0, [[], [ONE], [ONE, TWO], [ONE, TWO, THREE]]),
        (Kind.SEQUENCE, 1, [[], [ONE], [TWO], [THREE]]),
        (Kind.SEQUENCE, 2, [[], [ONE], [ONE, TWO], [TWO, THREE]]),
        (Kind.SEQUENCE, 99, [[], [ONE], [ONE, TWO], [ONE, TWO, THREE]]),
    ],
)
def test_a_card_of_a_sequence_shows_the_items_before_it(
    page: Page, tmp_path: Path, kind: Kind, before: int, shown: list[list[str]]
) -> None:
    sides = sides_of([rendered(kind, before)], tmp_path)
    for number, items in enumerate(shown):
        for side, own in zip(
            sides[2 * number : 2 * number + 2], ("[...]", [ONE, TWO, THREE, FOUR][number]), strict=True
        ):
            page.set_content(side.page(HOSTS[0], night=False))
            assert page.evaluate(SEEN) == [*items, own]
            assert page.evaluate(COUNTED) == number + 1


def test_a_card_of_a_set_shows_the_other_items(page: Page, tmp_path: Path) -> None:
    sides = sides_of([rendered(Kind.SET)], tmp_path)
    page.set_content(sides[4].page(HOSTS[0], night=False))
    one, _, *others = page.evaluate(SEEN)
    assert (len(sides), one, others) == (8, ONE, ["[...]", FOUR])


@pytest.mark.parametrize(("language", "start"), [("de", "left"), ("ar", "right")])
@pytest.mark.parametrize("kind", [Kind.SEQUENCE, Kind.SET])
def test_the_bar_of_the_item_that_is_asked_is_where_it_begins(
    page: Page, tmp_path: Path, kind: Kind, language: str, start: str
) -> None:
    asked = sides_of([rendered(kind, language=language)], tmp_path)[2]
    page.set_content(asked.page(HOSTS[0], night=False))
    bar = """() => ["left", "right"].filter(side =>
      getComputedStyle(document.querySelector(".ptc span.cloze")).getPropertyValue(`border-${side}-width`) === "3px")"""
    assert page.evaluate(bar) == [start]


@pytest.mark.parametrize("kind", [Kind.SEQUENCE, Kind.SET])
def test_an_item_with_a_formula_is_as_wide_as_the_others(page: Page, tmp_path: Path, kind: Kind) -> None:
    """Also once it is filled: dots of items that are still to come stay below it."""
    asked = sides_of([rendered(kind)], tmp_path)[2:4]
    width = "document.querySelector('.answer .cloze').clientWidth > 0.9 * document.querySelector('.answer').clientWidth"
    shown = []
    for side in asked:
        page.set_content(replace(side, html=with_math(side.html)).page(HOSTS[0], night=False))
        shown.append(page.evaluate(width))
    assert shown == [True, True]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.name)
def test_every_side_is_readable_at_every_width(
    page: Page, tmp_path: Path, host: Host, *, night: bool
) -> None:
    notes = [rendered(Kind.SEQUENCE), rendered(Kind.SEQUENCE, 1), rendered(Kind.SET)]
    assert faults(page, sides_of(notes, tmp_path), host, night=night) == []


def test_our_own_renderer_shows_what_anki_shows(tmp_path: Path) -> None:
    notes = [rendered(Kind.SEQUENCE), rendered(Kind.SEQUENCE, 1), rendered(Kind.SET)]
    cards = [card for note in notes for card in card_sides(note, find_type("cloze", ()))]
    ours = [html for card in cards for html in (card.front, card.back)]
    assert ours == [side.html for side in sides_of(notes, tmp_path)]
