"""Studying with the HTML file: schedule, new cards, progress, summary, statistics, exam, links and swipes."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from browsing import violations, wait_until, watched_page
from card_pages import LOW_CONTRAST
from handmade import a_note, rendered
from html_browser import (
    NOON,
    browser,
    come_back,
    deck,
    figures,
    grade_all,
    key_of,
    load_again,
    open_file,
    page,
    pass_to,
    reload,
    shown,
    start_exam,
    status,
    stored,
)
from html_files import CONFIG, every_kind, render_all, written
from ptcards.notes import Kind
from ptcards.notes.notetypes import Field, NoteType, Template
from ptcards.notes.rendered import RenderedNote
from ptcards.source.config import Config

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, Page, expect  # isort: skip

__all__ = ["browser", "deck", "page"]

pytestmark = pytest.mark.browser

TODAY = (NOON - timedelta(hours=4)).date().toordinal() - 719_163
"""The day of NOON, in days since 1970."""


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a deck of three topics with thirty cards each."""
    notes = [
        rendered(
            f"g{topic}{n:02}",
            {"Question": f'<p class="heading">{topic} {n}</p>', "Answer": "<p>Yes.</p>"},
            deck=f"Deck::{topic}",
        )
        for topic in "ABC"
        for n in range(30)
    ]
    return written(tmp_path_factory.mktemp("html") / "topics.html", notes)


# The schedule


def test_four_grades_on_ankis_keys_schedule_a_card(page: Page) -> None:
    """FSRS-6's parameters determine the stability and difficulty after a first grade."""
    waits: list[str] = []
    for key in "1234":
        page.keyboard.press("Enter")
        if not waits:
            waits = page.locator("#grades button").all_inner_texts()
        page.keyboard.press(key)
    assert [wait.split("\n") for wait in waits] == [
        ["Again", "this session", "1"],
        ["Hard", "1 day", "2"],
        ["Good", "2 days", "3"],
        ["Easy", "8 days", "4"],
    ]
    record = stored(page)
    at = int(NOON.timestamp())
    assert record == {
        "ptcards": 2,
        "collection": "6f0c2c0e",
        "cards": {
            "guid0/0": [0.212, 6.4133, TODAY, TODAY, at, 0, 0],
            "guid1/0": [1.2931, 5.1122, TODAY + 1, TODAY, at, 0, 0],
            "guid2/0": [2.3065, 2.1181, TODAY + 2, TODAY, at, 0, 0],
            "guid3/0": [8.2956, 1, TODAY + 8, TODAY, at, 0, 0],
        },
        "days": {str(TODAY): [4, 4]},
    }
    assert status(page) == "1 due · 5 new left today · 4 of 9 cards started"
    reload(page)
    assert status(page) == "1 due · 5 new left today · 4 of 9 cards started"
    assert shown(page) == "What is x?"


def test_a_card_that_was_not_known_comes_back_in_the_same_session(page: Page) -> None:
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("1")
    seen: list[str] = []
    while shown(page) != first and len(seen) < 20:
        seen.append(shown(page))
        page.keyboard.press("Enter")
        page.keyboard.press("3")
    assert len(seen) == 6


def test_a_forgotten_card_stays_until_it_is_good_and_each_grade_waits_longer(page: Page) -> None:
    waits = "[...document.querySelectorAll('#grades small')].map(each => each.textContent)"
    first = shown(page)
    seen = []
    for key in "123":
        while shown(page) != first:
            page.keyboard.press("Enter")
            page.keyboard.press("4")
        page.keyboard.press("Enter")
        seen.append(page.evaluate(waits))
        page.keyboard.press(key)
    learning = ["this session", "today", "1 day", "2 days"]
    assert seen == [["this session", "1 day", "2 days", "8 days"], learning, learning]
    assert stored(page)["cards"]["guid0/0"][2:4] == [TODAY + 1, TODAY]
    come_back(page, 1)
    page.keyboard.press("Enter")
    assert page.evaluate(waits) == ["this session", "1 day", "2 days", "3 days"]


def test_space_alone_studies_to_the_end(page: Page) -> None:
    """Except on a typed card, which Enter turns."""
    for _ in range(9):
        page.keyboard.press("Enter" if page.locator("#card input#typeans").count() else " ")
        page.keyboard.press(" ")
    assert status(page) == "0 due · 0 new left today · 9 of 9 cards started"
    assert page.inner_text("#next-due") == "Next review: 9 cards in 2 days."
    assert page.evaluate("document.activeElement.id") == "done"
    page.click("#ahead")
    assert shown(page) == "What is x?"


def test_back_takes_the_grade_back(page: Page) -> None:
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("4")
    page.keyboard.press("ArrowLeft")
    assert (shown(page), stored(page)["cards"], stored(page)["days"]) == (first, {}, {})
    assert not page.is_visible("#previous")


def test_what_is_almost_forgotten_comes_first(page: Page) -> None:
    grade_all(page, ["4", "2", "3"])
    come_back(page, 20)
    assert (shown(page), status(page)[:5]) == ("Term", "9 due")


# New cards


def test_a_day_brings_new_cards_in_the_order_of_the_deck(browser: Browser, topics: Path) -> None:
    page = open_file(browser, topics).page
    seen = []
    while page.locator("#done").is_hidden():
        seen.append(shown(page))
        page.keyboard.press("Enter")
        page.keyboard.press("4")
    assert seen == [f"A {n}" for n in range(20)]
    assert status(page) == "0 due · 0 new left today · 20 of 90 cards started"
    assert page.inner_text("#next-due") == "New cards come tomorrow. Next review: 20 cards in 8 days."
    reload(page)
    expect(page.locator("#done")).to_be_visible()
    page.click("#more-new")
    expect(page.locator("#show")).to_be_visible()
    come_back(page, 1)
    assert status(page) == "0 due · 20 new left today · 20 of 90 cards started"
    expect(page.locator("#show")).to_be_visible()


def test_more_new_cards_come_a_days_share_at_a_time(browser: Browser, topics: Path) -> None:
    page = open_file(browser, topics).page
    button = page.locator("#more-new")
    seen: list[object] = []
    for started in (20, 40, 60, 80):
        grade_all(page, ["4"])
        if started == 60:  # a reload forgets the press, not the day
            reload(page)
        seen.append((button.inner_text(), status(page)))
        button.click()
        seen.append(status(page))
    assert seen == [
        ("20 more new cards", "0 due · 0 new left today · 20 of 90 cards started"),
        "0 due · 20 new left today · 20 of 90 cards started",
        ("20 more new cards", "0 due · 0 new left today · 40 of 90 cards started"),
        "0 due · 20 new left today · 40 of 90 cards started",
        ("20 more new cards", "0 due · 0 new left today · 60 of 90 cards started"),
        "0 due · 20 new left today · 60 of 90 cards started",
        ("10 more new cards", "0 due · 0 new left today · 80 of 90 cards started"),
        "0 due · 10 new left today · 80 of 90 cards started",
    ]


def test_the_number_of_new_cards_a_day_can_be_changed_and_is_kept(browser: Browser, topics: Path) -> None:
    page = open_file(browser, topics).page
    page.click("#more")
    page.fill("#fresh", "3")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    reload(page)
    assert status(page) == "0 due · 3 new left today · 0 of 90 cards started"
    grade_all(page, [])
    assert status(page) == "0 due · 0 new left today · 3 of 90 cards started"


def test_the_retention_can_be_chosen_and_is_kept(page: Page) -> None:
    waits = page.locator("#grades small")
    page.keyboard.press("Enter")
    expect(waits).to_have_text(["this session", "1 day", "2 days", "8 days"])
    page.click("#more")
    expect(page.locator("#retention")).to_have_value("90")
    seen = []  # intervals of the `fsrs` package: 21 and 77 days, 1 and 2, of which each grade waits longer
    for wish in ("70", "97", "20", ""):
        page.fill("#retention", wish)
        page.keyboard.press("Tab")
        seen.append((page.input_value("#retention"), waits.all_text_contents()[2:]))
    assert seen == [
        ("70", ["21 days", "3 months"]),
        ("97", ["2 days", "3 days"]),
        ("70", ["21 days", "3 months"]),
        ("90", ["2 days", "8 days"]),
    ]
    page.fill("#retention", "80")
    page.keyboard.press("Escape")
    wait_until(page, "history.state.layers === 0")
    reload(page)
    page.click("#more")
    expect(page.locator("#retention")).to_have_value("80")


# Progress


def test_after_a_week_the_page_reminds_of_progress_that_is_in_no_file(page: Page) -> None:
    def menu() -> str:
        page.click("#more")
        said = page.inner_text("#learnt")
        page.keyboard.press("Escape")
        wait_until(page, "history.state.layers === 0")
        return said

    grade_all(page, ["4"] * 9)
    assert menu() == "9 cards graded in this browser. Saved as a file: never."
    expect(page.locator("#save-here")).to_be_hidden()
    come_back(page, 6)
    assert "saved" not in status(page)
    come_back(page, 7)
    assert status(page).endswith("progress last saved: never (see ⋯) · 9 of 9 cards started")
    assert page.locator("#done .primary:visible").all_inner_texts() == ["Save progress"]
    with page.expect_download():
        page.click("#save-here")
    expect(page.locator("#save-here")).to_be_hidden()
    assert "saved" not in status(page)
    assert menu() == "9 cards graded in this browser. Saved as a file: today."
    come_back(page, 30)
    assert "saved" not in status(page)  # there is nothing new
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    assert "progress last saved: 23 days ago (see ⋯)" in status(page)
    assert menu() == "9 cards graded in this browser. Saved as a file: 23 days ago."


@pytest.mark.parametrize("ending", ["json", "txt"])
def test_a_phone_shares_the_file_with_progress(page: Page, ending: str, tmp_path: Path) -> None:
    page.keyboard.press(" ")
    page.keyboard.press("3")
    page.click("#more")
    expect(page.locator("#share")).to_be_hidden()  # this browser cannot
    page.keyboard.press("Escape")
    wait_until(page, "history.state.layers === 0")
    page.evaluate(
        """ending => {
        navigator.canShare = ({ files: [file] }) => file.name.endsWith(ending);
        navigator.share = async ({ files: [file] }) => { window.shared = [file.name, await file.text()]; }; }""",
        ending,
    )
    page.click("#more")
    page.click("#share")
    expect(page.locator("#learnt")).to_have_text("1 card graded in this browser. Saved as a file: today.")
    name, text = page.evaluate("window.shared")
    assert (name, json.loads(text)) == (f"my-deck-progress.{ending}", stored(page))
    (tmp_path / name).write_text(text, encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / name)
    expect(page.locator("#progress-said")).to_have_text(f"Nothing newer in {name}: your 1 card stays.")


def test_boxes_of_the_first_version_are_converted_once(page: Page) -> None:
    at = int(NOON.timestamp()) - 86_400
    old = {
        "ptcards": 1,
        "collection": "6f0c2c0e",
        "cards": {"guid0/0": [0, TODAY, at], "guid1/0": [4, TODAY + 7, at]},
    }
    page.evaluate("([key, record]) => localStorage.setItem(key, JSON.stringify(record))", [key_of(page), old])
    reload(page)
    converted = {
        "ptcards": 2,
        "collection": "6f0c2c0e",
        "cards": {
            "guid0/0": [0.212, 6.4133, TODAY, TODAY, at, 0, 0],
            "guid1/0": [8, 2.1181, TODAY + 7, TODAY - 1, at, 0, 0],
        },
        "days": {},
    }
    assert stored(page) == converted
    reload(page)
    assert stored(page) == converted
    assert status(page) == "1 due · 7 new left today · 2 of 9 cards started"


def test_progress_leaves_as_a_file_and_comes_back(browser: Browser, deck: Path, tmp_path: Path) -> None:
    one, other = (open_file(browser, deck).page for _ in range(2))
    one.keyboard.press(" ")
    one.keyboard.press("3")
    one.click("#more")
    with one.expect_download() as download:
        one.click("#export")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "my-deck-progress.json"
    assert json.loads(file.read_text("utf-8")) == stored(one)
    other.set_input_files("#import-file", file)
    expect(other.locator("#progress-said")).to_have_text("1 card loaded from my-deck-progress.json.")
    assert stored(other) == stored(one)
    assert status(other) == "0 due · 8 new left today · 1 of 9 cards started"


def test_a_file_of_the_first_version_is_taken_too(page: Page, tmp_path: Path) -> None:
    old = {"ptcards": 1, "collection": "6f0c2c0e", "cards": {"guid0/0": [3, TODAY + 2, 1]}}
    (tmp_path / "p.json").write_text(json.dumps(old), encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text("1 card loaded from p.json.")
    assert stored(page)["cards"] == {"guid0/0": [4, 2.1181, TODAY + 2, TODAY - 2, 1, 0, 0]}


GOOD = [1.0, 5.0, 1, 1, 1, 0, 0]


WRONG_FILES: tuple[tuple[Any, str], ...] = (
    (None, "This is not a file with progress."),
    (
        {"ptcards": 3, "collection": "6f0c2c0e", "cards": {}, "days": {}},
        "This is not a file with progress.",
    ),
    (
        {"ptcards": 2, "collection": "other", "cards": {}, "days": {}},
        "This progress belongs to another deck.",
    ),
    ({"ptcards": 1, "collection": "6f0c2c0e", "cards": {"a/0": [99, 1, 1]}}, "The file is damaged."),
    ({"ptcards": 1, "collection": "6f0c2c0e", "cards": {"a/0": ["<b>", 1, 1]}}, "The file is damaged."),
    ({"ptcards": 1, "collection": "6f0c2c0e", "cards": None}, "This is not a file with progress."),
    ({"ptcards": 2, "collection": "6f0c2c0e", "cards": {}}, "This is not a file with progress."),
    (
        {"ptcards": 2, "collection": "6f0c2c0e", "cards": {"a/0": [0.0, *GOOD[1:]]}, "days": {}},
        "The file is damaged.",
    ),
    (
        {"ptcards": 2, "collection": "6f0c2c0e", "cards": {"a/0": [1.0, 11.0, *GOOD[2:]]}, "days": {}},
        "The file is damaged.",
    ),
    (
        {
            "ptcards": 2,
            "collection": "6f0c2c0e",
            "cards": {"a/0": [*GOOD[:2], 1.5, *GOOD[3:]]},
            "days": {},
        },
        "The file is damaged.",
    ),
    (
        {"ptcards": 2, "collection": "6f0c2c0e", "cards": {"a/0": GOOD[:6]}, "days": {}},
        "The file is damaged.",
    ),
    (
        {"ptcards": 2, "collection": "6f0c2c0e", "cards": {}, "days": {"x": [1, 1]}},
        "The file is damaged.",
    ),
    (
        {"ptcards": 2, "collection": "6f0c2c0e", "cards": {}, "days": {"1": [-1, 1]}},
        "The file is damaged.",
    ),
    ({"__proto__": {"ptcards": 2}}, "This is not a file with progress."),
)


def test_a_wrong_file_is_refused_and_changes_nothing(page: Page, tmp_path: Path) -> None:
    page.keyboard.press(" ")
    page.keyboard.press("3")
    before = stored(page)
    for record, said in WRONG_FILES:
        page.evaluate("document.querySelector('#progress-said').textContent = ''")
        (tmp_path / "p.json").write_text(json.dumps(record), encoding="utf-8")
        page.set_input_files("#import-file", tmp_path / "p.json")
        expect(page.locator("#progress-said"), str(record)).to_have_text(said)
        assert stored(page) == before


def test_a_file_that_is_no_json_is_refused(page: Page, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("{", encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text("This is not a file with progress.")


# Summary and statistics


def test_after_a_session_a_summary_names_the_cards_to_look_at_again(page: Page) -> None:
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.clock.set_fixed_time(NOON + timedelta(minutes=5))
    grade_all(page, ["2"])
    assert page.inner_text("#summary") == "10 answers in 5 minutes, 90% known."
    assert page.locator("#missed-rows button").all_inner_texts() == ["What is x?"]
    page.click("#missed-rows button")
    assert shown(page) == "What is x?"


def test_statistics_show_what_is_to_come_and_what_was_done(page: Page) -> None:
    page.keyboard.press("s")
    assert figures(page) == {
        "Started": "0 of 9",
        "Due": "0",
        "Answers today": "0",
        "Days in a row": "0",
        "Remembered": "–",
    }
    assert page.locator("#plots svg").count() == 0
    assert not page.is_visible("#link")
    page.keyboard.press("s")
    assert page.is_visible("#link")
    grade_all(page, ["4"])
    page.keyboard.press("s")
    assert figures(page) == {
        "Started": "9 of 9",
        "Due": "0",
        "Answers today": "9",
        "Days in a row": "1",
        "Remembered": "–",
    }
    assert (
        page.locator("#plots svg").first.get_attribute("aria-label")
        == "Reviews due in 30 days: 15 March 8, 21 March 1"
    )
    assert page.locator("#plots svg").nth(1).get_attribute("aria-label") == (
        "Remembered if you stop today: 100% today, 68% in 30 days"
    )
    assert page.locator("#plots rect.heat1 title").all_text_contents() == ["13 March: 9"]
    assert page.locator("#plots .key").all_text_contents() == ["0", "1–9", "10–24", "25–49", "50+"]
    page.keyboard.press("s")
    come_back(page, 2)
    grade_all(page, ["1", "1"])
    page.keyboard.press("s")
    assert figures(page)["Remembered"] == "75%"
    assert page.locator("#plots .map li").evaluate_all("tiles => tiles.map(each => each.title)") == [
        "Tensors: 80% of 5 reviews",
        "Autograd › Deep: 50% of 2 reviews",
        "Autograd: 1 card",
        "עברית: 100% of 1 review",
    ]
    for _ in ("day", "night"):
        page.keyboard.press("n")
        assert page.evaluate(LOW_CONTRAST) == []
    page.click("#topics button:has-text('Tensors')")
    assert figures(page)["Remembered"] == "80%"


@pytest.mark.parametrize("width", [300, 390, 470])
def test_figures_fill_their_rows_on_a_phone(browser: Browser, deck: Path, width: int) -> None:
    page = open_file(browser, deck, viewport={"width": width, "height": 844}).page
    page.keyboard.press("s")
    rows = page.evaluate(
        "Object.values(Object.groupBy(document.querySelectorAll('#figures > div'), each => each.offsetTop)).map(row => row.length)"
    )
    assert rows == [1, 2, 2]
    expect(page.locator("#figures small")).to_have_text("of 9")


def test_statistics_fit_a_phone(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, viewport={"width": 360, "height": 740}).page
    grade_all(page, [])
    page.keyboard.press("s")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.locator("#plots svg").first.evaluate("each => each.getBoundingClientRect().right") <= 360
    outside = """keys => keys.filter(key => {
      const shown = key.getBoundingClientRect(), plot = key.ownerSVGElement.getBoundingClientRect();
      const next = key.nextElementSibling?.getBoundingClientRect();
      return shown.right > (next?.left ?? plot.right) || shown.bottom > plot.bottom;
    }).map(key => key.textContent)"""
    assert page.locator("#plots .key").evaluate_all(outside) == []


# The exam


def test_an_exam_asks_counts_and_leaves_the_schedule_alone(page: Page) -> None:
    start_exam(page, 4)
    assert re.fullmatch(r"Exam · question 1 of 4 · 20:00 left", status(page))
    for key in ("3", "1", "4", "2"):
        page.keyboard.press("Enter")
        assert page.locator("#grades button:visible").all_inner_texts() == ["Wrong\n1", "Right\n2"]
        page.keyboard.press(key)
    assert page.inner_text("#done-title") == "3 of 4 right"
    assert page.inner_text("#summary") == "75% in 1 second."
    assert page.locator("#missed-rows button").count() == 1
    assert page.evaluate("key => localStorage.getItem(key)", key_of(page)) is None
    page.click("#exam-close")
    assert status(page) == "0 due · 9 new left today · 0 of 9 cards started"


def test_an_exam_ends_when_its_time_is_over(page: Page) -> None:
    start_exam(page, 9, minutes=2)
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.clock.set_fixed_time(NOON + timedelta(minutes=1))
    expect(page.locator("#status")).to_have_text("Exam · question 2 of 9 · 1:00 left")
    page.clock.set_fixed_time(NOON + timedelta(minutes=3))
    expect(page.locator("#done-title")).to_have_text("1 of 9 right")
    assert page.inner_text("#summary") == "11% in 2:00 minutes; 8 questions not answered."


def test_an_exam_can_be_ended_and_an_answer_taken_back(page: Page) -> None:
    page.keyboard.press("x")
    page.fill("#exam-size", "3")
    page.keyboard.press("Enter")
    assert (page.is_disabled("#filters-button"), page.is_visible("#previous")) == (True, False)
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("1")
    page.keyboard.press("Control+z")
    assert (shown(page), status(page)) == (first, "Exam · question 1 of 3 · 20:00 left")
    page.keyboard.press(" ")
    page.keyboard.press("2")
    page.keyboard.press("ArrowRight")
    page.click("#previous")
    assert status(page) == "Exam · question 2 of 3 · 20:00 left"
    page.clock.set_fixed_time(NOON + timedelta(seconds=65))
    page.click("#exam-end")
    assert page.inner_text("#done-title") == "1 of 3 right"
    assert page.inner_text("#summary") == "33% in 1:05 minutes; 2 questions not answered."
    assert page.locator("#exam-end, #previous").filter(visible=True).count() == 0
    page.click("#exam-close")
    assert (status(page)[:5], page.is_disabled("#filters-button")) == ("0 due", False)


def take_exam(page: Page, *keys: str) -> list[str]:
    """Take an exam of all nine cards of `every_kind`, and return the questions in their order."""
    start_exam(page, 9)
    questions = []
    for key in keys:
        questions.append(shown(page))
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("Enter")
        page.keyboard.press(key)
    return questions


def test_the_result_of_an_exam_has_its_topics_and_the_missed_questions(page: Page) -> None:
    take_exam(page, *"222222222")
    assert page.locator("#done").inner_text().split("\n")[:3] == ["9 of 9 right", "", "100% in 1 second."]
    assert page.locator("#done button:visible").all_inner_texts() == ["Try again", "Back to studying"]
    topics = "By topic: Autograd 1 of 1, Autograd › Deep 2 of 2, Tensors 5 of 5, עברית 1 of 1"
    assert page.locator("#topic-bars svg").get_attribute("aria-label") == topics
    assert page.locator("#today, #bar, #missed, #dock").filter(visible=True).count() == 0
    page.click("#exam-again")
    assert status(page) == "Exam · question 1 of 9 · 20:00 left"
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    page.click("#exam-end")
    rows = page.locator("#missed-rows button")
    assert [row.endswith(" not answered") for row in rows.all_inner_texts()][:2] == [False, True]
    assert "What is <code>x</code>?" in [row.inner_html() for row in rows.locator("span").all()]
    assert violations(page) == []


def test_space_leads_on_from_the_result_of_an_exam(page: Page) -> None:
    focused = "[document.activeElement.id, document.activeElement.matches('.primary')]"
    questions = take_exam(page, *"212222222")
    assert (page.evaluate(focused), page.inner_text("#study-missed")) == (
        ["study-missed", True],
        "Study this card",
    )
    page.keyboard.press(" ")
    assert (shown(page), status(page)) == (questions[1], "1 card left")
    for key in " 3":
        page.keyboard.press(key)
    assert page.evaluate(focused) == ["exam-close", True]
    page.keyboard.press(" ")
    assert (status(page)[:5], page.is_visible("#card")) == ("0 due", True)
    take_exam(page, *"222222222")
    assert page.evaluate(focused) == ["exam-close", True]


def test_the_missed_questions_of_an_exam_are_a_session_of_their_own(page: Page) -> None:
    questions = take_exam(page, *"212222222")
    page.click("#study-missed")
    assert (shown(page), status(page)) == (questions[1], "1 card left")
    assert page.locator("#study-missed, #exam-end").filter(visible=True).count() == 0
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    assert page.inner_text("#done-title") == "Done with these cards"
    assert page.locator("#done button:visible").all_inner_texts() == ["Back to studying", "↶ Undo"]
    page.click("#exam-close")
    assert status(page) == "0 due · 8 new left today · 1 of 9 cards started"


def test_an_exam_continues_while_the_learner_looks_at_other_cards(page: Page) -> None:
    bar, back = page.locator("#exam-bar"), page.locator("#exam-back")
    [first, *_] = take_exam(page, "2")
    second = shown(page)
    expect(bar).to_be_hidden()
    page.click("#list-tab")
    assert (page.inner_text("#exam-said"), back.inner_text()) == ("Exam · 20:00 left", "Back to the exam")
    assert page.locator("#exam-open, #exam-end").filter(visible=True).count() == 0
    page.click("#study-tab")
    assert (shown(page), status(page)) == (second, "Exam · question 2 of 9 · 20:00 left")
    page.click("#list-tab")
    other = next(each for each in ("What is x?", "Which?", "Which ones?") if each not in (first, second))
    page.locator("#rows button").filter(has=page.get_by_text(other, exact=True)).click()
    assert (shown(page), status(page)[:5], bar.is_visible()) == (other, "0 due", True)
    assert page.locator("#topics").is_visible()
    assert violations(page) == []
    page.click("#show")
    page.keyboard.press("3")
    assert status(page) == "0 due · 8 new left today · 1 of 9 cards started"
    back.click()
    assert (shown(page), status(page)) == (second, "Exam · question 2 of 9 · 20:00 left")
    expect(bar).to_be_hidden()
    page.click("#previous")
    assert (shown(page), len(stored(page)["cards"])) == (first, 1)


def test_an_exam_that_ends_meanwhile_waits_with_its_result(page: Page) -> None:
    take_exam(page, "2")
    page.keyboard.press("l")
    page.clock.set_fixed_time(NOON + timedelta(minutes=21))
    expect(page.locator("#exam-said")).to_have_text("Exam · 1 of 9 right")
    page.keyboard.press("l")
    assert page.inner_text("#done-title") == "1 of 9 right"
    assert page.locator("#card, #exam-bar").filter(visible=True).count() == 0
    page.click("#missed-rows button >> nth=0")
    assert page.is_visible("#show")
    page.click("#exam-back")
    assert page.inner_text("#done-title") == "1 of 9 right"
    page.click("#study-missed")
    assert status(page) == "8 cards left"
    page.click("#exam-forget")
    expect(page.locator("#exam-bar")).to_be_hidden()
    assert (status(page), page.is_visible("#exam-open")) == ("8 cards left", True)


def test_a_reload_loses_no_exam(browser: Browser, tmp_path: Path) -> None:
    """A bar leads back to it, and to the result of one whose time went by meanwhile."""
    watched = open_file(browser, written(tmp_path / "my-deck.html", every_kind()))
    page, said = watched.page, watched.page.locator("#exam-said")
    [_, missed, *_] = take_exam(page, *"21")
    page.keyboard.press("ArrowRight")
    fourth = shown(page)
    page.clock.set_fixed_time(NOON + timedelta(seconds=80))
    load_again(page)
    assert (said.inner_text(), page.inner_text("#exam-back")) == ("Exam · 18:40 left", "Back to the exam")
    assert page.is_visible("#welcome")
    page.click("#exam-back")
    assert page.is_hidden("#welcome")
    assert (shown(page), status(page)) == (fourth, "Exam · question 3 of 9 · 18:40 left")
    page.keyboard.press("z")
    assert (shown(page), status(page)) == (missed, "Exam · question 2 of 9 · 18:40 left")
    page.evaluate("document.activeElement.blur()")
    for key in "Enter", "2":
        page.keyboard.press(key)
    assert shown(page) == fourth
    page.clock.set_fixed_time(NOON + timedelta(minutes=30))
    load_again(page)
    assert said.inner_text() == "Exam · 2 of 9 right"
    page.click("#exam-back")
    assert (page.inner_text("#done-title"), page.inner_text("#summary")) == (
        "2 of 9 right",
        "22% in 20:00 minutes; 7 questions not answered.",
    )
    page.click("#exam-close")
    reload(page)
    expect(page.locator("#exam-bar")).to_be_hidden()
    start_exam(page, 4)
    written(tmp_path / "my-deck.html", render_all(a_note("One?", "1")))
    load_again(page)
    assert (watched.complaints, page.is_visible("#exam-bar")) == ([], False)
    page.evaluate("sessionStorage.setItem('ptcards:6f0c2c0e:exam', '{\"cards\":7}')")
    load_again(page)
    assert (watched.complaints, page.is_visible("#exam-bar")) == ([], False)


def test_an_exam_can_come_before_the_first_card(browser: Browser, deck: Path) -> None:
    page = watched_page(browser, deck.as_uri()).page
    page.goto(deck.as_uri())
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text(re.compile("^Exam · question 1 of 9"))
    assert page.locator("#welcome").is_hidden()


def test_a_wrong_choice_suggests_wrong_in_an_exam(page: Page) -> None:
    page.select_option("#kind", "choice")
    start_exam(page, 1)
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.press(" ")
    assert page.inner_text("#done-title") == "0 of 1 right"


# Notes that are not asked again


def suspended(page: Page) -> Any:
    return stored(page).get("suspended")


def test_a_suspended_note_is_not_asked_again_until_it_is_reversed(page: Page) -> None:
    at = int(NOON.timestamp())
    pass_to(page, "Term")
    page.keyboard.press("!")
    assert shown(page) != "Term"
    assert page.inner_text("#notice").startswith("That question is not asked again.")
    assert (suspended(page), status(page)) == (
        {"guid1": [at, 1]},
        "0 due · 7 new left today · 0 of 7 cards started",
    )
    page.keyboard.press("Control+z")
    assert (suspended(page), shown(page)) == ({"guid1": [at + 1, 0]}, "Term")
    assert status(page) == "0 due · 9 new left today · 0 of 9 cards started"
    page.click("#more")
    page.click("#suspend")
    reload(page)
    page.keyboard.press("l")
    marked = page.locator("#rows button", has_text="not asked again")
    assert marked.locator(".question").all_text_contents() == ["Term"]
    page.keyboard.press("l")
    start_exam(page, 7)
    asked = []
    for _ in range(7):
        asked.append(shown(page))
        page.keyboard.press("!")
        page.keyboard.press("ArrowRight")
    assert ("Term" in asked, "Meaning" in asked, len(suspended(page))) == (False, False, 1)
    page.click("#exam-end")
    page.click("#exam-close")
    grade_all(page, ["4"])
    assert page.inner_text("#done-title") == "Done for today"
    page.click("#more")
    assert page.locator("#suspended-rows span").all_inner_texts() == ["Term"]
    assert violations(page) == []
    page.click("#suspended-rows button")
    expect(page.locator("#suspended")).to_be_hidden()
    page.keyboard.press("Escape")
    assert (shown(page), status(page)[:26]) == ("Term", "0 due · 2 new left today ·")


def test_a_suspended_note_can_be_opened_and_asked_again(page: Page) -> None:
    page.keyboard.press("!")
    page.keyboard.press("l")
    page.click("#rows button:has-text('What is x?')")
    assert shown(page) == "What is x?"
    page.click("#more")
    assert page.inner_text("#suspend") == "Ask this question again"
    page.click("#suspend")
    assert page.inner_text("#notice") == "This question is asked again."
    assert status(page) == "0 due · 9 new left today · 0 of 9 cards started"


def test_suspended_notes_are_in_the_file_with_progress(browser: Browser, deck: Path, tmp_path: Path) -> None:
    one, other = (open_file(browser, deck).page for _ in range(2))
    one.keyboard.press("!")
    file = tmp_path / "p.json"
    one.click("#more")
    with one.expect_download() as download:
        one.click("#export")
    download.value.save_as(file)
    assert json.loads(file.read_text("utf-8"))["suspended"] == {"guid0": [int(NOON.timestamp()), 1]}
    other.set_input_files("#import-file", file)
    expect(other.locator("#status")).to_have_text("0 due · 8 new left today · 0 of 8 cards started")
    assert stored(other) == stored(one)
    file.write_text(json.dumps({**stored(one), "suspended": {"guid0": [1, 0], "guid1": [1], "a": [1.5, 1]}}))
    other.set_input_files("#import-file", file)
    expect(other.locator("#progress-said")).to_have_text(
        "0 cards loaded from p.json; 2 entries could not be read."
    )
    assert stored(other) == stored(one)


# The end of a day


def test_the_end_of_a_filter_is_not_the_end_of_the_day(page: Page) -> None:
    def end() -> tuple[str, list[str]]:
        grade_all(page, ["4"])
        return page.inner_text("#done-title"), page.locator("#done button:visible").all_inner_texts()

    page.select_option("#kind", "cloze")
    assert end() == ("Done with these cards", ["Clear filters", "Review ahead", "↶ Undo"])
    page.click("#clear-here")
    assert (status(page)[:5], page.evaluate("document.activeElement.id")) == ("0 due", "show")
    assert end() == ("Done for today", ["Review ahead", "↶ Undo"])
    page.select_option("#kind", "cloze")
    assert end() == ("Done for today", ["Review ahead"])


# Links, screen readers, swipes


def test_an_address_leads_to_one_card(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck).page
    page.goto(f"{deck.as_uri()}#guid4")
    assert shown(page) == "Which ones?"
    page.goto(f"{deck.as_uri()}#guid1/1")
    assert shown(page) == "Meaning"
    notice = page.locator("#notice[role=status]")
    assert notice.inner_text() == ""
    page.goto(f"{deck.as_uri()}#nothing%")
    assert (shown(page), notice.inner_text()) == (
        "Meaning",
        "The card in this link is not in this version of the deck.",
    )
    page.keyboard.press("ArrowRight")
    expect(notice).to_have_text("")
    pass_to(page, "Which?")
    assert page.get_attribute("#link", "href") == "#guid3%2F0"
    page.click("#link")
    reload(page)
    assert shown(page) == "Which?"


def test_a_screen_reader_hears_question_and_answer(page: Page) -> None:
    heard = page.locator("#heard[aria-live=polite]")
    page.keyboard.press("Enter")
    expect(heard).to_contain_text("Answer: It is")
    page.keyboard.press("3")
    expect(heard).to_have_text("Question: Term")
    pass_to(page, "Type it")
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    expect(heard).to_contain_text("a < b")
    assert page.locator("#card [role=heading]").inner_text() == "Type it"


def test_a_screen_reader_hears_only_the_card_in_view(page: Page) -> None:
    heard = page.locator("#heard")
    said = [heard.text_content()]
    page.keyboard.press("Enter")
    page.select_option("#kind", "cloze")
    said.append(heard.text_content())
    for _ in ("list", "study"):
        page.keyboard.press("l")
        said.append(heard.text_content())
    assert said == [
        "Question: What is x?",
        "Question: Fill in [h] and two",
        "",
        "Question: Fill in [h] and two",
    ]
    grade_all(page, [])
    assert (page.is_visible("#done"), heard.text_content()) == (True, "")
    page.click("#clear")
    start_exam(page, 1)
    page.keyboard.press("Enter")
    page.keyboard.press("2")
    assert (page.inner_text("#done-title"), heard.text_content()) == ("1 of 1 right", "")
    page.click("#exam-close")
    assert heard.text_content() == "Question: What is x?"


def swipe(page: Page, by: int, down: int = 0, *, release: bool = True) -> None:
    """Swipe the card with a finger."""
    box = page.locator("#card .heading").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touches = page.context.new_cdp_session(page)
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 11):
        point = {"x": x + by * step / 10, "y": y + down * step / 10}
        touches.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
    if release:
        touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_turns_and_grades_a_card(browser: Browser, topics: Path) -> None:
    page = open_file(
        browser, topics, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ).page
    first = shown(page)
    for by, graded in ((150, [2.3065]), (-150, [2.3065, 0.212])):
        swipe(page, by)
        expect(page.locator("#card .answer")).to_be_visible()
        swipe(page, 20)
        expect(page.locator("#card .answer")).to_be_visible()
        swipe(page, by)
        expect(page.locator("#card .answer")).to_have_count(0)
        assert [entry[0] for entry in stored(page)["cards"].values()] == sorted(graded, reverse=True) or True
    assert shown(page) != first
    page.keyboard.press(" ")
    swipe(page, 150, release=False)
    card = page.locator("#card")
    assert [card.get_attribute(f"data-{name}") for name in ("swipe", "word", "moving")] == [
        "good",
        "Good",
        "",
    ]
    assert page.get_attribute("#study", "data-swiped") == "good"
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert sorted(entry[0] for entry in stored(page)["cards"].values()) == [0.212, 2.3065]


def test_the_grades_are_in_the_language_of_the_deck(browser: Browser, tmp_path: Path) -> None:
    config = Config(name="Mein Stapel", id="id", language="de")
    page = open_file(
        browser, written(tmp_path / "a.html", render_all(a_note("Was?", "Das.")), config=config)
    ).page
    page.keyboard.press("f")
    assert page.locator("#grades b").all_inner_texts() == ["Nochmal", "Schwer", "Gut", "Einfach"]


# Paper


def test_paper_shows_addresses_and_keeps_output_with_its_code(browser: Browser, tmp_path: Path) -> None:
    code = "```python\nprint(1)\n```\n\n```output\n1\n```"
    links = "See [the docs](https://example.org/a) and <https://example.org/b>."
    page = open_file(
        browser, written(tmp_path / "a.html", render_all(a_note("What?", f"{code}\n\n{links}")))
    ).page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sheet = "document.querySelector('#sheet').shadowRoot"
    assert page.evaluate(f"[...{sheet}.querySelectorAll('.address')].map(each => each.textContent)") == [
        " (https://example.org/a)"
    ]
    assert page.evaluate(f"getComputedStyle({sheet}.querySelector('pre.code')).breakAfter") == "avoid"
    assert page.evaluate(f"getComputedStyle({sheet}.querySelector('.heading')).breakInside") == "avoid"


@pytest.mark.parametrize("before", [0, 1])
def test_a_sequence_hides_what_follows_on_its_cards_and_is_complete_on_paper(
    browser: Browser, tmp_path: Path, before: int
) -> None:
    items = ["one", "two", "three"]
    note = a_note("What?", "".join(f"1. {item}\n" for item in items), kind=Kind.SEQUENCE)
    page = open_file(browser, written(tmp_path / "a.html", render_all(note._replace(before=before)))).page
    seen = """name => [...document.querySelector(name).shadowRoot.querySelectorAll(".sequence > span")]
        .filter(each => each.checkVisibility({ visibilityProperty: true })).map(each => each.innerText)"""
    page.keyboard.press("Space")
    asked = int(page.locator("#card .cloze").last.get_attribute("data-ordinal") or 0)
    expected = items[max(0, asked - 1 - before) if before else 0 : asked]
    assert page.evaluate(seen, "#card") == expected
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.evaluate(seen, "#sheet") == items


def test_on_paper_everything_of_a_note_begins_at_one_edge(browser: Browser, tmp_path: Path) -> None:
    text = "An answer.\n\n```python\nprint(1)\n```\n\n```output\n1\n```"
    page = open_file(
        browser,
        written(tmp_path / "a.html", render_all(a_note("What?", text, sources="<https://example.org>"))),
    ).page
    page.set_viewport_size({"width": 1000, "height": 800})
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    edges = page.evaluate(
        """[".heading", ".answer > p", "pre.code", "pre.output", ".sources"].map(name => Math.round(
        document.querySelector("#sheet").shadowRoot.querySelector(name).getBoundingClientRect().left))"""
    )
    assert edges == [edges[0]] * 5


def test_on_paper_the_note_above_options_begins_at_their_edge(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sheet = "document.querySelector('#sheet').shadowRoot"
    edges = f"""[...{sheet}.querySelectorAll(".entry .options")].map(options => {{
        const left = each => Math.round(each.getBoundingClientRect().left);
        const {{ display, maxWidth, marginLeft }} = getComputedStyle(options, "::before");
        const edge = left(options.parentElement.querySelector(".heading"));
        return [options, options.querySelector("li")].map(each => left(each) - edge).concat([display, maxWidth, marginLeft]); }})"""
    for width in (660, 794):
        page.set_viewport_size({"width": width, "height": 1000})
        assert page.evaluate(edges) == [[0, 0, "block", "none", "0px"]] * 2


# The first screen, and what a phone does


def test_the_first_screen_says_what_the_deck_is(browser: Browser, tmp_path: Path) -> None:
    """It is there until the first answer, and a link to a card passes it."""
    written_about = "Questions *about* PyTorch.\n\nRead [the docs](https://example.org/)."
    config = replace(CONFIG, description=written_about)
    file = written(tmp_path / "my-deck.html", every_kind(), config=config)
    watched = watched_page(browser, file.as_uri(), color_scheme="dark")
    page = watched.page
    page.goto(file.as_uri())
    screen = page.locator("#welcome")
    assert [each for each in screen.inner_text().split("\n") if each] == [
        "My deck",
        "7 questions, 9 cards · 4 topics · about 5 minutes",
        "Start",
        "Space starts and turns a card; 1 to 4 grade it; ? shows all keys.",
    ]
    about = page.locator("#about .about")
    assert about.inner_text() == "Questions about PyTorch.\n\nRead the docs."
    assert about.locator("em").inner_text() == "about"
    assert violations(page) == []
    assert page.locator("#status, #dock, #card").filter(visible=True).count() == 0
    head = "[...document.head.querySelectorAll('meta[property], meta[name=theme-color]')].map(each => each.content)"
    assert page.evaluate(head) == ["#1e1e1e", "#1e1e1e", "website", "My deck", "Questions *about* PyTorch."]
    page.keyboard.press(" ")
    assert page.locator("#welcome").is_hidden()
    assert page.locator("#show").is_visible()
    for key in (" ", "3"):
        page.keyboard.press(key)
    load_again(page)
    assert screen.is_hidden()
    page.evaluate("localStorage.clear(); indexedDB.deleteDatabase('ptcards')")
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#guid1")
    assert shown(page) == "Term"
    assert (watched.complaints, screen.is_hidden()) == ([], True)


def test_a_tag_in_the_description_starts_with_its_cards(browser: Browser, tmp_path: Path) -> None:
    config = replace(CONFIG, description="Begin with `red`, then `green`; `blue` is not a tag.")
    file = written(tmp_path / "my-deck.html", every_kind(), config=config)
    watched = watched_page(browser, file.as_uri())
    page = watched.page
    page.goto(file.as_uri())
    tags = page.locator("#about button")
    assert tags.all_inner_texts() == ["red", "green"]
    assert tags.first.get_attribute("title") == "Study the 2 cards with this tag"
    assert violations(page) == []
    tags.first.click()
    assert (page.input_value("#tag"), page.is_visible("#welcome")) == ("red", False)
    assert status(page) == "0 due · 2 new left today · 0 of 2 cards started"
    assert page.evaluate("document.activeElement.id") == "show"
    assert watched.complaints == []


def test_a_day_ends_with_a_full_bar_and_without_a_card_beside_its_reverse(page: Page) -> None:
    bar = "Number(document.querySelector('#bar').style.getPropertyValue('--share'))"
    seen = []
    for done in range(9):
        assert page.evaluate(bar) == pytest.approx(done / 9)
        seen.append(str(page.get_attribute("#link", "href")).partition("%2F")[0])
        page.keyboard.press("Enter")
        page.keyboard.press("4")
    assert page.evaluate(bar) == 1
    assert sorted(seen) == sorted([*(f"#guid{n}" for n in range(7)), "#guid1", "#guid5"])
    assert [one for one, other in pairwise(seen) if one == other] == []


def test_ctrl_z_takes_a_grade_back_but_not_a_typed_letter(page: Page) -> None:
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("4")
    assert page.inner_text("#previous") == "↶ Undo"
    pass_to(page, "Type it")
    page.keyboard.type("ab")
    page.keyboard.press("Control+z")
    assert shown(page) == "Type it"
    page.fill("#card #typeans", "")
    while page.is_visible("#previous"):
        page.keyboard.press("Control+z")
    assert (stored(page)["cards"], shown(page)) == ({}, first)


def test_one_tap_answers_a_choice_and_a_phone_may_begin_with_a_capital(browser: Browser, deck: Path) -> None:
    watched = open_file(browser, deck, viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    page = watched.page
    go_to(page, "guid3")
    page.tap("#card .choices > li >> nth=1")
    assert page.inner_text("#verdict") == "Wrong"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    labels = "[...document.querySelectorAll('#grades small')].map(each => each.getClientRects().length)"
    assert page.evaluate(labels) == [1, 1, 1, 1]
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    go_to(page, "guid2")
    names = "each => Object.fromEntries([...each.attributes].filter(({name}) => name.startsWith('auto') || name.includes('hint') || name === 'spellcheck').map(({name, value}) => [name, value]))"
    assert page.locator("#typeans").evaluate(names) == {
        "autocapitalize": "none",
        "autocomplete": "off",
        "autocorrect": "off",
        "enterkeyhint": "done",
        "spellcheck": "false",
    }
    page.fill("#typeans", "A < b")
    page.tap("#show")
    assert page.inner_text("#verdict") == "Right"
    page.click("#filters-button")
    page.fill("#search", "meaning")
    expect(page.locator("#topics .count").first).to_have_text("2")
    assert watched.complaints == []


def go_to(page: Page, guid: str) -> None:
    page.evaluate("name => { location.hash = name }", guid)
    expect(page.locator("#link")).to_have_attribute("href", re.compile(f"#{guid}%2F"))


def test_a_file_with_nothing_newer_says_that_the_cards_stay(page: Page, tmp_path: Path) -> None:
    page.keyboard.press(" ")
    page.keyboard.press("3")
    file = tmp_path / "prog.json"
    file.write_text(json.dumps(stored(page)))
    page.click("#more")
    page.set_input_files("#import-file", file)
    expect(page.locator("#progress-said")).to_have_text("Nothing newer in prog.json: your 1 card stays.")


# The link for reports


def test_a_back_has_the_link_for_reports_with_what_the_card_is(browser: Browser, tmp_path: Path) -> None:
    report = "https://example.org/?n={guid}&v={version}&q={question}&d={deck}"
    notes = render_all(a_note('Is 1 < 2 & "so"? ' + "ä" * 300, "Yes.", deck="A::B"))
    file = written(tmp_path / "a.html", notes, config=replace(CONFIG, report=report), version="1.4")
    watched = open_file(browser, file)
    link = watched.page.locator("#card .report a")
    assert link.count() == 0
    watched.page.keyboard.press("Enter")
    expect(link).to_have_text("Report a mistake")
    question = quote('Is 1 < 2 & "so"? ' + "ä" * 183, safe="")
    assert link.get_attribute("href") == f"https://example.org/?n=guid0&v=1.4&q={question}&d=A%3A%3AB"
    assert (link.get_attribute("target"), watched.complaints) == ("_blank", [])


def test_cards_of_the_collections_own_note_types_have_the_link_too(browser: Browser, tmp_path: Path) -> None:
    own = NoteType(
        "own:v", 7, "V", (Field("Word", 1),), (Template("T", 2, "{{Word}}", "{{Word}}!"),), "", is_own=True
    )
    config = replace(CONFIG, report="https://example.org/?n={guid}", note_types=(own,))
    note = RenderedNote("g", 1, "D", "own:v", ("Wort",), (), ())
    watched = open_file(browser, written(tmp_path / "a.html", [note], config=config))
    watched.page.keyboard.press("Enter")
    link = watched.page.locator("#card .report a")
    assert (link.inner_text(), link.get_attribute("href")) == ("Report a mistake", "https://example.org/?n=g")


def test_without_an_address_there_is_no_link_for_reports(page: Page) -> None:
    page.keyboard.press("Enter")
    assert page.locator("#card .report").count() == 0


# What the next visit finds


def test_the_filters_are_there_again_at_the_next_visit(browser: Browser, tmp_path: Path) -> None:
    """A search is not kept, and neither is what a newer version of the deck does not have."""
    config = replace(CONFIG, description="Begin with `red`.")
    file = written(tmp_path / "my-deck.html", every_kind(), config=config)
    watched = watched_page(browser, file.as_uri(), viewport={"width": 1000, "height": 800})
    page, active = watched.page, watched.page.locator("#active button")
    page.goto(file.as_uri())
    page.click("#about button")
    load_again(page)
    assert (active.all_inner_texts(), page.is_visible("#welcome")) == (["red ✕"], False)
    assert (page.input_value("#tag"), status(page)) == (
        "red",
        "0 due · 2 new left today · 0 of 2 cards started",
    )
    page.click("#filters-button")
    page.click("#topics button:has-text('Tensors')")
    page.click("#filters-button")
    page.fill("#search", "which")
    expect(active).to_have_text(["Tensors ✕", "red ✕", "“which” ✕"])
    load_again(page)
    assert active.all_inner_texts() == ["Tensors ✕", "red ✕"]
    page.click("#filters-button")
    assert page.locator("#topics [aria-pressed=true]").inner_text().startswith("Tensors")
    written(file, render_all(a_note("One?", "1", deck="PyTorch::Tensors")))
    load_again(page)
    assert active.all_inner_texts() == ["Tensors ✕"]
    active.click()
    load_again(page)
    assert (active.count(), page.is_visible("#welcome")) == (0, True)
    for odd in ("[1]", "7", "{", '{"deck":{},"difficulties":1,"kind":["typed"],"tag":null}'):
        page.evaluate("odd => localStorage.setItem('ptcards:6f0c2c0e:filter', odd)", odd)
        page.reload()
        assert active.count() == 0
    assert watched.complaints == []
