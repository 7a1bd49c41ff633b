"""The page of `ptcards reviews --format html` in a browser: its charts, both themes, and hostile text."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from browsing import browser, violations, watched_page
from card_pages import LOW_CONTRAST
from handmade import a_note
from ptcards.diagnostics import Location
from ptcards.extensions.desktop.reviews import Figures, Reviewed, ReviewSummary
from ptcards.extensions.desktop.reviews.review_report import as_html

# After `browsing`, which skips this module if there is no browser.
from playwright.sync_api import Browser  # isort: skip

__all__ = ["browser"]

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("html")]
HOSTILE = "</script><script>alert(1)</script><img src=http://example.com/x onerror=alert(1)> {{data}}"


def a_summary(count: int) -> ReviewSummary:
    """Return a summary for this many notes; the first one is a leech with hostile text."""
    notes = []
    for n in range(count):
        question = (
            HOSTILE if n == 0 else f"What does `step_{n}()` do, and why is that so with {'such ' * 20}words?"
        )
        note = replace(
            a_note(question, deck=f"Mini::Topic {n % 3}"), location=Location("cards/a.md", 3 + 4 * n)
        )
        figures = Figures(10, 5, 9 - n % 9, 7.5, 0.5 if n % 2 else None, n == 0, dues=(n % 40,))
        notes.append(Reviewed(f"guid{n}", note, figures, "fails 5 of 10 times; 41 words to recall: split it"))
    return ReviewSummary("Mini <b>", 1, tuple(notes))


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1100, "light")])
def test_the_page_shows_figures_notes_and_plots_and_asks_for_nothing(
    browser: Browser, tmp_path: Path, width: int, scheme: Any
) -> None:
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(a_summary(25)).encode())
    watched = watched_page(
        browser, file.as_uri(), viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = watched.page
    page.goto(file.as_uri())
    assert page.locator("h1").inner_text() == "Mini <b>: reviews"
    assert page.locator("#figures dd").all_inner_texts() == [
        "50%\nAnki’s default goal is 90%",
        "250\nfrom 1 package",
        "25\nof 25 in the deck",
        "25\nof 25 with 5 reviews or more",
        "1\nforgotten again and again",
    ]
    first = page.locator("#fix li").first.inner_text().split("\n")
    assert first == [
        HOSTILE,
        "fails 5 of 10 times: 41 words to recall: split it",
        "retention 50% · 10 reviews · 9 lapses · 8 s · leech",
        "cards/a.md:3",
    ]
    shown = []
    while page.locator("#more").is_visible():
        shown.append(page.locator("#fix li").count())
        page.click("#more")
    assert [*shown, page.locator("#fix li").count()] == [10, 20, 25]
    link = page.locator("#fix a").first
    assert link.get_attribute("href") == f"vscode://file{Path('cards/a.md').absolute()}:3"
    assert page.locator("circle").count() == 25
    assert page.locator("circle").last.text_content() == f"{HOSTILE} · 50% · 8 s"
    assert [each.get_attribute("aria-label") for each in page.locator("svg.plot").all()] == [
        "Retention and seconds of 25 notes, of which 25 are to fix",
        "Retention: Topic 0 50%, Topic 1 50%, Topic 2 50%",
        f"Leeches: {HOSTILE} 9 lapses",
        "Upcoming reviews: today 1, in 1 day 1, " + ", ".join(f"in {n} days 1" for n in range(2, 25)),
    ]
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])
    assert page.evaluate("document.documentElement.scrollWidth") == width
    is_night = "document.documentElement.hasAttribute('data-night')"
    assert page.evaluate(is_night) == (scheme == "dark")
    page.click("#night")
    assert page.evaluate(is_night) == (scheme != "dark")
    assert (watched.dialogs, watched.complaints, {*watched.requests}) == ([], [], {file.as_uri()})
    page.context.close()


def test_a_question_and_an_answer_from_right_to_left_begin_at_the_right_and_the_rest_at_the_left(
    browser: Browser, tmp_path: Path
) -> None:
    start = "وحدة الحياة، وعدد الخلايا في الجسم البشري يزيد عن العدد التقريبي"
    answer = f"{start} $x^2 + y^2 + z^2$ في الجسم."
    note = replace(a_note("ما *الخلية*؟", answer), location=Location("cards/a.md", 3))
    figures = Figures(10, 5, 5, 7.5)
    file = tmp_path / "reviews.html"
    file.write_bytes(
        as_html(ReviewSummary("Mini", 1, (Reviewed("a", note, figures, "fails; split it"),))).encode()
    )
    page = watched_page(browser, file.as_uri()).page
    page.goto(file.as_uri())
    assert page.locator("#fix .said").first.inner_text() == f"{start} x² + y² + z²…"
    looks = "each => each.map(one => [getComputedStyle(one).textAlign, getComputedStyle(one).direction])"
    assert page.locator("#fix li > div").evaluate_all(looks) == [
        *(2 * [["start", "rtl"]]),
        *(3 * [["start", "ltr"]]),
    ]
    assert page.locator("#plots .dot-name").all_text_contents() == ["\u2068ما الخلية؟\u2069"]
    page.context.close()


def test_a_page_without_reviews_says_what_is_missing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Mini", 0, ())).encode())
    watched = watched_page(browser, file.as_uri())
    page = watched.page
    page.goto(file.as_uri())
    assert page.locator("p:visible").all_inner_texts() == [
        "No note with five reviews or more fails often.",
        "After some reviews, this shows how many were remembered, by topic.",
        "After some reviews, this shows how many were remembered, by topic.",
        "No cards are due on these days.",
        "Reviews as Anki’s true retention counts them: answers to cards with an interval of a day or more.",
    ]
    assert watched.complaints == []
    page.context.close()
