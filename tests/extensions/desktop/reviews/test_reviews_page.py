"""The page of `ptcards reviews --format html` in a browser: its charts, both themes, and hostile text."""

import math
import re
from dataclasses import replace
from itertools import pairwise
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

pytestmark = pytest.mark.browser
HOSTILE = "</script><script>alert(1)</script><img src=http://example.com/x onerror=alert(1)> {{data}}"
ESCAPED = HOSTILE.replace("<", "\\<")


def a_summary(count: int) -> ReviewSummary:
    """Return a summary for this many notes; the first one is a leech with hostile text."""
    notes = []
    for n in range(count):
        question = f"What does `step_{n}()` do, and why is that so with {'such ' * 20}words?"
        note = a_note(
            question if n else "What is {{data}}?", "" if n else ESCAPED, deck=f"Mini::Topic {n % 3}"
        )._replace(
            location=Location("cards/a.md", 3 + 4 * n),
        )
        figures = Figures(10, 5, 9 - n % 9, 7.5, 0.5 if n % 2 else None, n == 0, dues=(n % 40,))
        notes.append(Reviewed(f"guid{n}", note, figures, "fails 5 of 10 times; 41 words to recall: split it"))
    return ReviewSummary("Mini <b>", 1, tuple(notes))


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (768, "light"), (1100, "light")])
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
    assert page.locator("h1").inner_text() == "Reviews: \u2068Mini <b>\u2069"
    assert page.locator("#figures dd").all_inner_texts() == [
        "25\nof 25 with 5+ reviews",
        "50%\nAnki’s default: 90%",
        "250\nfrom 1 package",
        "25\nof 25 in the deck",
    ]
    first = page.locator("#fix li").first.inner_text().split("\n")
    assert page.locator("#fix .answer").first.evaluate("each => each.whole") == HOSTILE
    assert [line for line in first if line and line[:9] != HOSTILE[:9]] == [
        "1",
        "What is {{data}}?",
        "fails 5 of 10 times · 8\u00a0s an answer · leech",
        "41 words to recall: split it",
        "cards/a.md:3",
    ]
    about = "Notes with 5 reviews or more that are likely to fail 20% or more of the time, are leeches, or take 30\u00a0s or more; the most urgent first. 1 of these is a leech."
    assert page.locator("#fix-about").inner_text() == about
    below = "all => all.map(each => each.textContent)"
    assert page.locator("#plots section:last-child svg > text:not([text-anchor=end][x='22'])").evaluate_all(
        below
    ) == [
        "today",
        "in 10 days",
        "in 20 days",
        "in 29 days",
    ]
    shown = []
    while page.locator("#more").is_visible():
        shown.append(page.locator("#fix li").count())
        page.click("#more")
    assert [*shown, page.locator("#fix li").count()] == [10, 20, 25]
    link = page.locator("#fix a").first
    assert link.get_attribute("href") == f"vscode://file{Path('cards/a.md').absolute()}:3"
    assert page.locator(".dot").all_inner_texts() == [*map(str, range(1, 11)), *[""] * 15]
    assert [each.get_attribute("aria-label") for each in page.locator("svg.plot").all()] == [
        "Retention and seconds of 25 notes, of which 25 are to fix",
        "Upcoming reviews: today 1, in 1 day 1, " + ", ".join(f"in {n} days 1" for n in range(2, 25)),
    ]
    assert [each.split("\n") for each in page.locator(".topics li").all_inner_texts()] == [
        *(
            [f"Topic {n}", f"50.0% of {reviews} reviews{to_fix} to fix"]
            for n, reviews, to_fix in ((0, 90, 9), (1, 80, 8), (2, 80, 8))
        ),
        ["50%", "90%", "100%"],
    ]
    places = "all => all.map(each => each.getBoundingClientRect()).map(box => [box.left, box.right])"
    scale = page.locator(".scale .rail span").evaluate_all(places)
    assert [after[0] - before[1] > 8 for before, after in pairwise(scale)] == [True, True]
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])
    assert page.evaluate("document.documentElement.scrollWidth") == width
    is_night = "document.documentElement.hasAttribute('data-night')"
    assert page.evaluate(is_night) == (scheme == "dark")
    page.click("#night")
    assert page.evaluate(is_night) == (scheme != "dark")
    assert (watched.dialogs, watched.complaints, {*watched.requests}) == ([], [], {file.as_uri()})


def a_thousand() -> ReviewSummary:
    """Return the reviews of 1,000 notes: 12 always fail and are slow, one is only slow, the rest known."""
    notes = []
    for n in range(1000):
        note = a_note(f"What is `x{n}`?", "It.")._replace(location=Location("cards/a.md", 3 + 4 * n))
        figures = Figures(20, 20, 20, 59) if n < 12 else Figures(20, 1, 1, 3 + n % 7)
        reason = "fails 20 of 20 times; split it" if n < 12 else ""
        if n == 12:
            figures, reason = Figures(20, 0, 0, 55), "takes 55 s; easily confused with cards/a.md:7: ask both"
        notes.append(Reviewed(f"guid{n}", note, figures, reason))
    return ReviewSummary("Mini", 1, tuple(notes))


@pytest.mark.parametrize("width", [390, 1440])
def test_each_of_a_thousand_notes_is_in_the_plot_and_those_to_fix_are_reached_by_all_means(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(a_thousand()).encode())
    watched = watched_page(browser, file.as_uri(), viewport={"width": width, "height": 800}, has_touch=True)
    page = watched.page
    page.goto(file.as_uri())
    counts = [each.split()[0] for each in page.locator(".scatter rect title").all_text_contents()]
    assert (len(counts) < 10, sum(map(int, counts))) == (True, 987)
    centres = page.locator(".dot").evaluate_all(
        "dots => dots.map(dot => dot.getBoundingClientRect()).map(box => [box.x + box.width / 2, box.y + box.height / 2])"
    )
    near = [(a, b) for a in range(10) for b in range(a) if math.dist(centres[a], centres[b]) < 19.5]
    assert (len(centres), near, max(x for x, _ in centres) < width - 15) == (13, [], True)
    label = "Notes to fix: the arrow keys lead from each to the next"
    assert page.get_by_role("group", name=label).get_by_role("link").count() == 13
    picked, worst = page.locator(".picked"), page.locator(".dot").last
    page.locator(".dot").first.focus()
    assert page.evaluate("document.activeElement.ariaLabel") == "1 · What is x0? · 0% · 59\u00a0s"
    for key, number in (
        ("ArrowRight", "2"),
        ("End", "13"),
        ("ArrowRight", "13"),
        ("ArrowUp", "12"),
        ("Home", "1"),
    ):
        page.keyboard.press(key)
        assert picked.locator(".rank").inner_text() == number
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "place"
    page.keyboard.press("Escape")
    assert not picked.is_visible()
    box = worst.bounding_box()
    assert box
    page.mouse.move(box["x"] - 9, box["y"] - 9)
    assert [line for line in picked.inner_text().split("\n") if line] == [
        "13",
        "What is x12?",
        "It.",
        "takes 55 s · 100% of 20 reviews",
        "easily confused with cards/a.md:7: ask both",
        "cards/a.md:51",
    ]
    assert [
        each.split("/")[-1] for each in picked.locator("a").evaluate_all("all => all.map(a => a.href)")
    ] == [
        "a.md:7",
        "a.md:51",
    ]
    page.mouse.move(0, 0)
    assert not picked.is_visible()
    worst.tap()
    page.set_viewport_size({"width": width, "height": 700})
    page.wait_for_timeout(100)
    assert (picked.is_visible(), page.url) == (True, file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert (violations(page), page.evaluate(LOW_CONTRAST), watched.complaints) == ([], [], [])


def test_a_square_of_notes_with_too_few_reviews_is_hollow_and_only_what_is_drawn_is_explained(
    browser: Browser, tmp_path: Path
) -> None:
    few, known, bad = Figures(4, 4, 4, 20), Figures(10, 0, 0, 7), Figures(10, 5, 5, 7)

    def looks(*some: Figures) -> tuple[list[list[str | None]], str]:
        noted = [
            Reviewed(f"{n}", a_note(f"What {n}?", "It."), each, "fails; split it" if each is bad else "")
            for n, each in enumerate(some)
        ]
        file = tmp_path / "reviews.html"
        file.write_bytes(as_html(ReviewSummary("Mini", 1, tuple(noted))).encode())
        page = watched_page(browser, file.as_uri()).page
        page.goto(file.as_uri())
        squares = "all => all.map(each => [each.textContent, each.getAttribute('class'), getComputedStyle(each).fillOpacity])"
        found = (
            page.locator(".scatter rect").evaluate_all(squares),
            page.locator("#plots .about").first.inner_text(),
        )
        page.context.close()
        return found

    dots = "Each red dot is a note to fix and leads to its source; the numbers are those of the list."
    blue, hollow = (
        "The blue squares are notes with nothing to fix.",
        "The hollow squares are notes with fewer than 5 reviews, too few to judge.",
    )
    goals = "The dashed lines are the goal of 90% and 30\u00a0s."
    assert looks(bad, known, few) == (
        [["1 note", "few", "1"], ["1 note", "bar", "1"]],
        f"{dots} {blue} {hollow} {goals}",
    )
    assert looks(few, few) == ([["2 notes", "few", "1"]], f"{hollow} {goals}")
    slower = replace(known, seconds=20)
    more = "The bluer a square, the more notes."
    assert looks(known, known, known, known, slower, few) == (
        [["1 note", "few", "1"], ["4 notes", "bar", "1"], ["1 note", "bar", "0.575"]],
        f"{blue} {more} {hollow} {goals}",
    )


@pytest.mark.parametrize(
    ("failed", "shares"),
    [
        (12, ["100%", "90%", "75%", "50%", "40%"]),
        (10, ["100%", "90%", "75%", "50%"]),
        (15, ["100%", "90%", "75%", "50%", "20%"]),
        (20, ["100%", "90%", "75%", "50%", "25%", "0%"]),
    ],
)
def test_the_lowest_line_of_the_plot_has_its_share_and_the_worst_note_is_not_half_outside(
    browser: Browser, tmp_path: Path, failed: int, shares: list[str]
) -> None:
    note = Reviewed("a", a_note("What?", "It."), Figures(20, failed, 0, 7.5), "fails; split it")
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Mini", 1, (note,))).encode())
    page = watched_page(browser, file.as_uri()).page
    page.goto(file.as_uri())
    assert page.locator(".scatter text[text-anchor=end]").all_text_contents() == shares
    places = "all => all.map(each => each.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    levels = page.locator(".scatter text[text-anchor=end]").evaluate_all(places)
    assert [after[0] >= before[1] for before, after in pairwise(levels)] == [True] * (len(levels) - 1)
    ((_, low),) = page.locator(".dot").evaluate_all(places)
    frame = max(bottom for _, bottom in page.locator(".scatter .grid").evaluate_all(places))
    times = min(top for top, _ in page.locator(".scatter text[text-anchor=middle]").evaluate_all(places))
    assert low <= frame < times


def test_paper_is_white_and_has_the_list_and_the_plots(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(a_summary(3)).encode())
    page = watched_page(browser, file.as_uri(), color_scheme="dark").page
    page.goto(file.as_uri())
    page.evaluate(
        "addEventListener('beforeprint', () => document.title = getComputedStyle(document.documentElement).color)"
    )
    page.pdf()
    assert page.title() == "rgb(31, 35, 40)"
    page.emulate_media(media="print")
    seen = [page.locator(each).first.is_visible() for each in ("h1", "#fix li", ".dot", ".topics", "#night")]
    assert seen == [True, True, True, True, False]


@pytest.mark.parametrize("language", ["", "ar", "zh"])
def test_a_long_answer_ends_after_a_word_wherever_two_lines_end(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    sentences = {"": "A cat sat. So `it` did! ", "ar": "حيث هو الوتر. ثم ماذا؟ ", "zh": "猫坐下。然后呢？"}
    answer = sentences[language] * 20
    note = a_note("Why?", answer)._replace(language=language)
    reviewed = Reviewed("a", note, Figures(10, 5, 5, 7.5), "fails; split it")
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Mini", 1, (reviewed,), language)).encode())
    page = watched_page(browser, file.as_uri(), viewport={"width": 300, "height": 800}).page
    page.goto(file.as_uri())
    shown = []
    for width in (*range(300, 480, 12), 1130, 1160, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(50)
        shown.append(page.locator("#fix .answer").text_content() or "")
        assert page.locator("#fix .answer").evaluate("each => each.scrollHeight <= each.clientHeight + 1")
    assert len({*shown[-3:]}) > 1
    page.locator(".dot").focus()
    shown.append(page.locator(".picked .answer").text_content() or "")
    read = answer.replace("`", "")
    assert [each for each in shown if not read.startswith(each.removesuffix("…"))] == []
    assert [each for each in shown if not re.search(r"\w…$", each)] == []
    assert len({*shown}) > 5


@pytest.mark.parametrize(
    ("language", "width", "sides"),
    [("ar", 390, ["right", "left"]), ("ar", 1100, ["right", "left"]), ("", 1100, ["left", "right"])],
)
def test_texts_have_their_languages_and_a_row_begins_where_the_deck_does(
    browser: Browser, tmp_path: Path, language: str, width: int, sides: list[str]
) -> None:
    note = a_note("HTTP هو ماذا؟", "In $x^2 = y$.")._replace(
        location=Location("cards/a.md", 3), language="ar,de"
    )
    reviewed = Reviewed("a", note, Figures(10, 5, 5, 7.5), "fails; split it")
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("عربي", 1, (reviewed,), language)).encode())
    page = watched_page(browser, file.as_uri(), viewport={"width": width, "height": 800}).page
    page.goto(file.as_uri())
    page.locator(".dot").focus()
    looks = "all => all.map(each => [each.className, each.lang, getComputedStyle(each).direction])"
    places = """row => Object.fromEntries([".rank", ".question", ".answer", ".reason", ".advice", ".place"].map(name => {
        const [box, range, each] = [row.getBoundingClientRect(), new Range(), row.querySelector(name)];
        range.selectNodeContents(name === ".advice" ? each.firstChild : each);
        const text = range.getBoundingClientRect();
        return [name, text.left - box.left < box.right - text.right ? "left" : "right"];
    }))"""
    for row in page.locator("#fix li"), page.locator(".picked"):
        assert row.locator("> *").evaluate_all(looks) == [
            ["rank", "", "rtl" if language else "ltr"],
            ["question", "ar", "rtl"],
            ["answer", "de", "ltr"],
            ["reason", "", "ltr"],
            ["advice", "", "ltr"],
        ]
        names = ".rank", ".question", ".answer", ".reason", ".advice"
        assert row.evaluate(places) == {**dict.fromkeys(names, sides[0]), ".place": sides[1]}
    assert page.locator(".topics .name").get_attribute("lang") == language


@pytest.mark.parametrize("language", ["", "ar"])
def test_the_place_is_beside_the_advice_if_there_is_room_and_else_below(
    browser: Browser, tmp_path: Path, language: str
) -> None:
    note = a_note("What?", "It.")._replace(location=Location("cards/a.md", 3))
    reviewed = [
        Reviewed(f"{n}", note, Figures(10, 5, 5, 7.5), f"fails; {'word ' * n}word") for n in range(10)
    ]
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Mini", 1, tuple(reviewed), language)).encode())
    page = watched_page(browser, file.as_uri(), viewport={"width": 390, "height": 800}).page
    page.goto(file.as_uri())
    places = """rows => rows.map(row => {
        const range = new Range();
        range.selectNodeContents(row.querySelector(".advice").firstChild);
        const [line, place] = [[...range.getClientRects()].at(-1), row.querySelector(".place").getBoundingClientRect()];
        const apart = Math.max(place.left - line.right, line.left - place.right);
        return place.top >= line.bottom ? "below" : apart > 8 ? "beside" : "over";
    })"""
    found = page.locator("#fix li").evaluate_all(places)
    assert (found[0], {*found}) == ("beside", {"beside", "below"})


def test_a_long_topic_without_a_blank_is_beside_its_figures_or_above_them(
    browser: Browser, tmp_path: Path
) -> None:
    topics = ("Zwangsvollstreckungsrecht", f"Gesell{'schafts' * 12}recht", "Allgemeiner Teil", "Erbrecht")
    figures = Figures(317, 73, 0, 7.5)
    notes = [
        Reviewed(topic, a_note("Was?", "Es.", deck=f"Recht::{topic}"), figures, "fails; split it")
        for topic in topics
    ]
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Recht", 1, tuple(notes), "de")).encode())
    page = watched_page(browser, file.as_uri(), viewport={"width": 390, "height": 800}).page
    page.goto(file.as_uri())
    gaps = """rows => rows.map(row => {
        const [name, share] = [".name", ".share"].map(each => {
            const range = new Range();
            range.selectNodeContents(row.querySelector(each));
            return range.getBoundingClientRect();
        });
        return [row.innerText.split("\\n")[0], share.left - name.right >= 8 ? "beside" : share.top >= name.bottom ? "below" : "over", row.getBoundingClientRect().right - share.right];
    })"""
    assert page.locator(".topics li:not(.scale)").evaluate_all(gaps) == [
        [topics[2], "beside", 0],
        [topics[3], "beside", 0],
        [topics[1], "below", 0],
        [topics[0], "below", 0],
    ]
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_page_without_reviews_says_what_is_missing(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "reviews.html"
    file.write_bytes(as_html(ReviewSummary("Mini", 0, ())).encode())
    watched = watched_page(browser, file.as_uri())
    page = watched.page
    page.goto(file.as_uri())
    assert page.locator("p:visible").all_inner_texts() == [
        "No note with five reviews or more fails often.",
        "After some reviews, this shows how many were remembered, by topic.",
        "No cards are due on these days.",
        "Reviews as Anki’s true retention counts them: answers to cards with an interval of a day or more.",
    ]
    assert watched.complaints == []
