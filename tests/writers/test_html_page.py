"""The HTML file, opened from disk in a browser: studying, filters, keys, printing, and hostile cards."""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xss
from browsing import Watched, until, violations, wait_until, watched_page
from card_pages import LOW_CONTRAST
from conftest import Ran
from handmade import a_note, choice, media_file, rendered
from html_browser import (
    CARD,
    browser,
    come_back,
    deck,
    grade_all,
    load_again,
    open_file,
    page,
    pass_to,
    reload,
    shown,
    start_exam,
    status,
)
from html_files import HOSTILE, every_kind, hostile_notes, render_all, written
from ptcards.notes import Kind
from ptcards.source.config import Config
from serving import write_files

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, Page, expect  # isort: skip

__all__ = ["browser", "deck", "page"]

pytestmark = pytest.mark.browser


def pictures(page: Page, where: str) -> list[int]:
    """Return the widths of the visible pictures on the card or the sheet."""
    images = page.locator(f"#{where} img")
    for image in images.all():
        expect(image).not_to_have_js_property("naturalWidth", 0)
    return [image.evaluate("each => each.naturalWidth") for image in images.all() if image.is_visible()]


# Studying


def test_a_card_is_turned_by_key_button_click_and_touch(browser: Browser, deck: Path) -> None:
    watched = open_file(browser, deck, has_touch=True)
    page = watched.page
    answer = page.locator("#card .answer")
    turns: tuple[Callable[[], None], ...] = (
        lambda: page.keyboard.press(" "),
        lambda: page.click("#show"),
        lambda: page.click("#card .heading"),
        lambda: page.tap("#card .heading"),
    )
    for turn in turns:
        expect(answer).to_have_count(0)
        turn()
        expect(answer).to_contain_text("It is")
        page.keyboard.press("f")
    assert watched.complaints == []


def test_options_can_be_tried_before_the_answer(page: Page) -> None:
    page.click("#more")
    page.uncheck("#at-once")
    page.keyboard.press("Escape")
    pass_to(page, "Which?")
    page.keyboard.press("b")
    page.keyboard.press("a")
    checked = [each.get_attribute("aria-selected") for each in page.locator("#card .choices > li").all()]
    assert checked == ["true", "false", "false"]
    page.keyboard.press(" ")
    assert page.inner_text("#verdict") == "Right"
    assert page.locator("#card .picked .yours").inner_text() == "your choice"
    page.keyboard.press("3")
    assert page.inner_text("#verdict") == ""
    pass_to(page, "Which ones?")
    page.click("#card .choices > li >> nth=0")
    page.click("#card .choices > li >> nth=2")
    page.keyboard.press(" ")
    page.click("#card .choices > li >> nth=1")
    page.keyboard.press("Enter")
    assert page.inner_text("#verdict") == "Wrong"
    assert page.locator("#card .right.picked").count() == page.locator("#card .wrong.picked").count() == 1
    expect(page.locator("#card .wrong.picked > .mark")).to_have_css("color", "rgb(194, 31, 43)")


def test_each_of_ten_options_has_a_letter(browser: Browser, tmp_path: Path) -> None:
    options = tuple(choice(f"option {number}", right=number == 10) for number in range(1, 11))
    note = a_note("Which of the ten?", kind=Kind.CHOICE, choices=options)
    page = open_file(browser, written(tmp_path / "deck.html", render_all(note))).page
    page.click("#more")
    page.uncheck("#at-once")
    keys = page.locator("dt", has_text="A –").inner_text()
    page.keyboard.press("Escape")
    picked = page.locator("#card .choices > li[aria-selected=true]")
    found = []
    for letter in "abcdefghij":
        page.keyboard.press(letter)
        found.append(picked.inner_text())
    assert (keys, found) == ("A – J", [f"option {number}" for number in range(1, 11)])


def test_marks_are_on_what_is_right_and_on_what_was_chosen(page: Page) -> None:
    pass_to(page, "Which?")
    page.keyboard.press("b")
    options = page.locator("#card .answer > .choices > li")
    assert [each.split() for each in options.all_inner_texts()] == [
        ["✓", "right", "one", "because"],
        ["✗", "wrong", "your", "choice", "two"],
        ["three"],
    ]


@pytest.mark.parametrize(
    ("chosen", "verdict"),
    [("ac", "Right"), ("a", "Not quite"), ("abc", "Not quite"), ("b", "Wrong"), ("ab", "Wrong")],
)
def test_a_choice_with_one_option_missed_or_too_many_is_close(page: Page, chosen: str, verdict: str) -> None:
    pass_to(page, "Which ones?")
    for key in (*chosen, "Enter"):
        page.keyboard.press(key)
    assert page.inner_text("#verdict") == verdict
    suggested = "good" if verdict == "Right" else "again"
    assert page.evaluate("document.activeElement.dataset.grade") == suggested


def test_a_typed_answer_is_compared(page: Page) -> None:
    for typed, verdict in (
        ("a < b", "Right"),
        ("A <b", "Not quite"),
        ("a < c", "Not quite"),
        ("b", "Wrong"),
        ("b > a", "Wrong"),
        ("", ""),
    ):
        pass_to(page, "Type it")
        page.fill("#card #typeans", typed)
        page.focus("#card #typeans")
        page.keyboard.press("Enter")
        assert page.inner_text("#verdict") == verdict
        assert "a < b" in page.inner_text("#card #typeans")
        page.keyboard.press("f")
        page.keyboard.press("ArrowRight")


def test_a_typed_card_takes_the_keys(page: Page) -> None:
    pass_to(page, "Type it")
    page.keyboard.type("n t/l?")
    assert page.input_value("#card #typeans") == "n t/l?"
    assert page.get_attribute("html", "data-night") is None
    page.keyboard.press("Enter")
    assert page.inner_text("#verdict") == "Wrong"


def test_the_button_names_the_key_that_shows_the_answer(page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    keys = [page.inner_text("#show")]
    pass_to(page, "Type it")
    keys.append(page.inner_text("#show"))
    assert keys == ["Show answer Space", "Show answer Enter"]


BOX_HAS_FOCUS = f"{CARD}.activeElement?.id === 'typeans'"


def test_only_enter_and_the_button_turn_a_typed_card(page: Page) -> None:
    leave = "document.activeElement.blur()"
    pass_to(page, "Type it")
    acts: tuple[Callable[[], None], ...] = (
        lambda: page.click("#card .heading"),
        lambda: page.click("#card", position={"x": 30, "y": 200}),
        lambda: page.keyboard.press(" "),
        lambda: page.keyboard.press(" "),
        lambda: page.keyboard.press("f"),
    )
    for act in acts:
        assert page.is_hidden("#grades")
        act()
        assert page.evaluate(BOX_HAS_FOCUS)
        if not page.input_value("#typeans"):
            page.evaluate(leave)
    assert page.input_value("#typeans") == "f"
    page.evaluate(leave)
    page.keyboard.press("Enter")
    assert (page.inner_text("#verdict"), page.is_visible("#grades")) == ("Wrong", True)
    page.click("#card .heading")
    page.click("#show")
    assert page.is_visible("#grades")


def test_after_a_choice_of_kind_with_the_mouse_the_box_has_the_focus(page: Page) -> None:
    page.dispatch_event("#kind", "pointerdown")
    page.select_option("#kind", "typed")
    assert (shown(page), page.evaluate(BOX_HAS_FOCUS)) == ("Type it", True)


def test_a_letter_goes_to_the_box_of_a_typed_card_from_wherever_it_is_pressed(page: Page) -> None:
    page.focus("#topics button:has-text('Tensors')")
    page.keyboard.press("Enter")
    assert (shown(page), page.evaluate("document.activeElement.dataset.deck")) == (
        "Type it",
        "PyTorch::Tensors",
    )
    page.keyboard.type("net1")
    assert page.input_value("#card #typeans") == "net1"


def test_an_empty_box_leaves_the_arrows_to_the_page(page: Page) -> None:
    pass_to(page, "Type it")
    page.keyboard.press("ArrowRight")
    assert shown(page) != "Type it"
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("ab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.type("x")
    assert (shown(page), page.input_value("#card #typeans")) == ("Type it", "axb")


@pytest.mark.parametrize(("question", "wrong"), [("Which?", "c"), ("Type it", "b")])
def test_space_after_a_wrong_answer_means_again(page: Page, question: str, wrong: str) -> None:
    pass_to(page, question)
    page.keyboard.press(wrong)
    if question == "Type it":
        page.keyboard.press("Enter")
    assert page.inner_text("#verdict") == "Wrong"
    assert page.evaluate("document.activeElement.dataset.grade") == "again"
    page.keyboard.press(" ")
    assert status(page) == "1 due · 8 new left today · 1 of 9 cards started"


def test_escape_clears_the_search_with_its_filter(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("/meaning")
    expect(page.locator("#status")).to_contain_text("0 of 2 cards started")
    page.keyboard.press("Escape")
    assert page.input_value("#search") == ""
    assert status(page) == "0 due · 9 new left today · 0 of 9 cards started"
    page.keyboard.press(" ")
    expect(page.locator("#card .answer")).to_have_count(1)


def test_the_last_screen_holds_only_what_can_be_done(page: Page) -> None:
    grade_all(page, ["3"])
    assert page.inner_text("#status") == "0 due · 0 new left today · 9 of 9 cards started"
    assert page.locator("#study button:visible").all_inner_texts() == ["Review ahead", "↶ Undo"]
    assert page.locator("#done .primary:visible").all_inner_texts() == ["Review ahead"]
    assert page.inner_text("#done-title") == "Done for today"
    footer = "document.querySelector('footer').getBoundingClientRect().top - document.querySelector('#done').getBoundingClientRect().bottom"
    assert page.evaluate(footer) < 1  # the card is as high as those before it
    page.click("#previous")
    expect(page.locator("#show")).to_be_visible()
    page.fill("#search", "nothing at all")
    expect(page.locator("#done-title")).to_have_text("Nothing matches")
    assert page.locator("#done button:visible").all_inner_texts() == ["Clear filters"]
    page.click("#done button:visible")
    assert shown(page) == "Fill in"


def test_a_hint_opens_by_key_and_click(page: Page) -> None:
    hint = page.locator("#card div.hint")
    expect(hint).to_be_hidden()
    page.keyboard.press("t")
    expect(hint).to_be_visible()
    reload(page)
    page.click("#card a.hint")
    expect(hint).to_be_visible()
    expect(page.locator("#card .answer")).to_have_count(0)


# Filters and list


def test_filters_leave_what_they_say(page: Page) -> None:
    assert re.sub(r"\s+(?=\d)", " ", page.inner_text("#topics")).split("\n") == [
        "All topics 9",
        "Autograd 3",
        "Deep 2",
        "Tensors 5",
        "עברית 1",
    ]

    def left() -> int:
        found = re.search(r"of (\d+) cards? started", status(page))
        assert found
        return int(found[1])

    page.click("#topics button:has-text('Autograd')")
    assert left() == 3
    page.click("#topics button:has-text('Deep')")
    assert left() == 2
    page.click("#clear")
    page.click("#difficulties button:has-text('easy')")
    assert left() == 3
    page.click("#difficulties button:has-text('hard')")
    assert left() == 4
    page.click("#clear")
    page.select_option("#kind", "cloze")
    assert (left(), shown(page)) == (2, "Fill in")
    page.click("#clear")
    page.select_option("#tag", "red")
    assert left() == 2
    page.select_option("#kind", "choice")
    assert (left(), shown(page)) == (1, "Which?")
    page.click("#clear")
    page.fill("#search", "TABLE nothing")
    expect(page.locator("#done-title")).to_have_text("Nothing matches")
    page.fill("#search", "y deep x =")
    expect(page.locator("#status")).to_contain_text("of 1 card ")


def test_the_page_counts_cards(page: Page) -> None:
    page.click("#topics button:has-text('Tensors')")
    assert status(page) == "0 due · 5 new left today · 0 of 5 cards started"
    assert page.locator("#kind option").all_inner_texts() == [
        "All kinds",
        "Question (2)",
        "Both ways (2)",
        "Type the answer (1)",
        "Choice (2)",
        "Fill in (2)",
    ]
    assert page.text_content("#show-matches") == "Show 5 cards"
    assert page.text_content("#print-count") == "Print 4 questions"
    assert page.inner_text("#footer") == "9 cards · CC BY 4.0"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    sheet = "document.querySelector('#sheet').shadowRoot"
    assert page.evaluate(f"{sheet}.querySelector('.said').textContent") == "4 questions · CC BY 4.0"


def test_a_search_lists_the_phrase_in_a_question_before_its_words_and_before_answers(
    browser: Browser, tmp_path: Path
) -> None:
    sides = [("Why?", "To slice a tensor."), ("A tensor: why slice it?", "-"), ("Why slice a tensor?", "-")]
    notes = [
        rendered(f"g{n}", {"Question": f'<p class="heading">{question}</p>', "Answer": f"<p>{answer}</p>"})
        for n, (question, answer) in enumerate(sides)
    ]
    page = open_file(browser, written(tmp_path / "a.html", notes)).page
    page.keyboard.press("l")
    page.fill("#search", "Slice a tensor")
    expect(page.locator("#rows .question")).to_have_text([question for question, _ in reversed(sides)])
    page.fill("#search", "")
    expect(page.locator("#rows .question")).to_have_text([question for question, _ in sides])


def test_a_topic_in_which_a_search_finds_nothing_is_not_there(page: Page) -> None:
    def topics() -> list[str]:
        return page.locator("#topics button:visible > :first-child").all_inner_texts()

    everything = ["All topics", "Autograd", "Deep", "Tensors", "עברית"]
    assert topics() == everything
    page.fill("#search", "meaning")
    expect(page.locator("#status")).to_contain_text("of 2 cards ")
    assert topics() == ["All topics", "Autograd", "Deep"]
    page.click("#topics button:has-text('Deep')")
    page.fill("#search", "nothing at all")
    expect(page.locator("#status")).to_contain_text("of 0 cards ")
    assert topics() == ["All topics", "Deep"]
    page.click("#clear")
    assert topics() == everything


def test_the_head_is_as_wide_as_the_columns_and_arrows_of_selects_have_space(page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    heading, filters, more, panel = page.evaluate(
        """["h1", "#search", "#more", "#card"].map(name => document.querySelector(name).getBoundingClientRect())
        .map(({ left, right }) => [left, right])"""
    )
    assert (heading[0], more[1]) == (filters[0], panel[1])
    look = page.evaluate(
        "(({ appearance, paddingRight }) => [appearance, paddingRight])(getComputedStyle(document.querySelector('#kind')))"
    )
    assert look == ["none", "27.2px"]


def test_a_wide_table_has_the_margins_of_the_panel(page: Page) -> None:
    found = {}
    for width in (390, 1000, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        found[width] = page.evaluate(
            f"""() => {{ const table = document.createElement("table"), wide = document.createElement("div");
            wide.append("a"); wide.style.width = "2000px"; table.insertRow().insertCell().append(wide);
            const part = {CARD}.querySelector(".question"), panel = document.querySelector("#card").getBoundingClientRect();
            part.append(table);
            return [part, table].map(each => each.getBoundingClientRect()).map(each =>
                [each.left - panel.left, panel.right - each.right].map(Math.round)) }}"""
        )
    assert found == {
        390: [[17, 17], [17, 17]],
        1000: [[86, 86], [24, 24]],
        1440: [[78, 78], [24, 24]],
    }


def test_the_list_shows_each_note_once_and_opens_it(page: Page) -> None:
    page.keyboard.press("l")
    questions = ["What is x?", "Term", "Type it", "Which?", "Which ones?", "Fill in", "מהו גרדיאנט?"]
    expect(page.locator("#rows .question")).to_have_text(
        questions
    )  # this includes rows that the browser has not drawn yet
    page.click("#rows button:has-text('Type it')")
    assert shown(page) == "Type it"
    expect(page.locator("#list")).to_be_hidden()


LISTED = """[...document.querySelectorAll('#rows section')].map(each => [
    each.querySelector('h2').textContent,
    ...[...each.querySelectorAll('.gist')].map(each => each.innerHTML)])"""


def test_the_list_has_the_topics_and_a_line_of_each_answer(page: Page) -> None:
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.keyboard.press("l")
    formula = "<math><mrow><mi>x</mi><mo>&lt;</mo><mi>y</mi></mrow></math>"
    listed = page.evaluate(LISTED)
    listed[0][1] = re.sub(r"(<\w+) [^>]*>", r"\1>", listed[0][1])
    assert listed == [
        ["Autograd 1 question", f"It is {formula}."],
        ["Autograd › Deep 1 question", "Meaning"],
        ["Tensors 4 questions", "<code>a &lt; b</code>", "one", "yes · also", "one and two"],
        ["עברית 1 question", "וקטור הנגזרות."],
    ]
    assert page.locator("#rows .question").first.inner_html() == "What is <code>x</code>?"
    meta = page.locator("#rows .meta").all_text_contents()
    assert [text.split() for text in meta[:3]] == [["hard", "in", "2", "days"], ["easy"], []]


def test_on_a_phone_an_excerpt_in_the_list_has_a_line(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, viewport={"width": 390, "height": 844}).page
    page.keyboard.press("Enter")
    page.keyboard.press("3")
    page.keyboard.press("/")
    page.keyboard.type("what is")
    page.keyboard.press("Enter")
    below = """[".question", ".gist", ".meta"].map(name => document.querySelector(`#rows ${name}`).getBoundingClientRect())
        .map(({ left, top }, n, all) => [left, n ? top >= all[n - 1].bottom : true])"""
    assert page.evaluate(below) == [[29, True], [29, True], [29, True]]
    assert page.inner_text("#rows .meta").split("\n") == ["Autograd", "hard", "in 2 days"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_a_search_shows_in_the_list_where_its_words_are(page: Page) -> None:
    page.keyboard.press("l")
    headings = page.locator("#rows h2")
    page.fill("#search", "three")
    expect(headings).to_have_text(["In the answer, topic or tags 1 question"])
    assert page.evaluate(LISTED) == [
        ["In the answer, topic or tags 1 question", "one because two three Why. one two three"]
    ]
    page.fill("#search", "one")
    expect(headings).to_have_text(["In the question 1 question", "In the answer, topic or tags 2 questions"])
    assert page.evaluate(LISTED) == [
        ["In the question 1 question", "yes · also"],
        ["In the answer, topic or tags 2 questions", "one", "one and two"],
    ]
    marked = "[...CSS.highlights.get('found')].map(({startContainer, startOffset, endOffset}) => startContainer.data.slice(startOffset, endOffset))"
    assert page.evaluate(marked) == ["one", "one", "one"]
    page.fill("#search", "")
    expect(headings).to_have_count(4)
    assert page.evaluate(marked) == []


def test_a_list_that_grows_continues_its_topic(browser: Browser, tmp_path: Path) -> None:
    notes = [rendered(f"g{n}", {"Question": f"<p>Question {n}?</p>"}, deck="D::A") for n in range(300)]
    page = open_file(browser, written(tmp_path / "a.html", notes)).page
    page.keyboard.press("l")
    assert page.locator("#rows li").count() == 100
    page.evaluate("document.querySelector('#more-rows').click()")
    assert page.locator("#rows li").count() == 200
    assert page.locator("#rows h2").all_text_contents() == ["A 300 questions"]
    page.evaluate("scrollTo(0, 2000)")
    edges = "[document.querySelector('#rows h2').getBoundingClientRect().top, document.querySelector('.top').getBoundingClientRect().bottom]"
    heading, head = page.evaluate(edges)
    assert head - 8 < heading < head


FOCUSED = "document.activeElement.querySelector('.question')?.textContent"


def test_a_search_and_its_list_need_only_keys(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    assert page.locator("#rows .question").all_inner_texts() == ["Which ones?", "Which?", "Fill in"]
    seen = [page.evaluate(FOCUSED)]
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        seen.append(page.evaluate(FOCUSED))
    assert seen == ["Which ones?", "Which?", "Fill in", "Fill in", "Which?"]
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    assert (shown(page), page.is_visible("#list")) == ("Which?", False)
    page.keyboard.press("l")
    assert page.evaluate(FOCUSED) == "Which?"
    page.keyboard.press("Escape")
    assert (shown(page), page.is_visible("#list")) == ("Which?", False)
    page.fill("#search", "nothing at all")
    page.keyboard.press("Enter")
    assert page.inner_text("#rows") == "Nothing matches"


def test_the_list_opens_where_it_was_left(browser: Browser, tmp_path: Path) -> None:
    notes = [rendered(f"g{n}", {"Question": f"<p>Question {n}?</p>"}, deck="D::A") for n in range(300)]
    page = open_file(browser, written(tmp_path / "a.html", notes)).page
    page.keyboard.press("l")
    page.evaluate("document.querySelector('#more-rows').click()")
    page.click("#rows li:nth-child(170) button")
    assert shown(page) == "Question 169?"
    page.keyboard.press("l")
    expect(page.locator("#rows li:nth-child(170)")).to_be_in_viewport()


@pytest.mark.parametrize("button", ["#night", "#study-tab", "#topics button >> nth=0", "#more"])
def test_after_a_click_the_keys_belong_to_the_card_again(page: Page, button: str) -> None:
    page.click(button)
    if button == "#more":
        page.keyboard.press("Escape")
        wait_until(page, "!history.state?.layers")
    page.keyboard.press(" ")
    expect(page.locator("#card .answer")).to_have_count(1)


def test_a_key_opens_the_details_of_an_answer(page: Page) -> None:
    page.keyboard.press("Enter")
    opened = f"{CARD}.querySelector('details').open"
    seen = []
    for _ in range(2):
        page.keyboard.press("d")
        seen.append(page.evaluate(opened))
    assert seen == [True, False]


@pytest.mark.parametrize("height", [900, 500])
def test_the_question_mark_opens_the_keys_and_more_its_top(browser: Browser, deck: Path, height: int) -> None:
    page = open_file(browser, deck, viewport={"width": 1440, "height": height}).page
    page.keyboard.press("?")
    assert page.evaluate("document.activeElement.id") == "keys-title"
    expect(page.locator("#keys-title")).to_be_in_viewport(ratio=1)
    below = "document.querySelector('#keys-title').getBoundingClientRect().top - document.querySelector('#menu form').getBoundingClientRect().bottom"
    assert page.evaluate(below) >= 0
    for part in ("#menu-title", "#menu form button"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    if height == 900:
        expect(page.locator("#menu .keys > :last-child")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "show"
    page.click("#more")
    expect(page.locator("#menu-title")).to_be_in_viewport(ratio=1)


def test_keys_can_be_switched_off(page: Page) -> None:
    page.keyboard.press("?")
    page.uncheck("#keys")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("l")
    expect(page.locator("#list")).to_be_hidden()
    page.focus("#show")
    page.keyboard.press(" ")
    expect(page.locator("#card .answer")).to_have_count(1)


# Appearance


def test_the_night_follows_the_system_until_the_learner_says_otherwise(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, color_scheme="dark").page
    assert page.evaluate(f"{CARD}.querySelector('.card').className") == "card card1 nightMode night_mode"
    page.keyboard.press("n")
    reload(page)
    assert page.evaluate(f"{CARD}.querySelector('.card').className") == "card card1"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Browser, deck: Path, width: int, scheme: Any
) -> None:
    watched = open_file(
        browser, deck, viewport={"width": width, "height": 740}, color_scheme=scheme, bypass_csp=True
    )
    page = watched.page

    def inspect() -> None:
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width

    for question in ("What", "Type it", "Which ones?", "Fill in"):
        pass_to(page, question)
        inspect()
        page.keyboard.press("Enter")
        inspect()
        assert page.evaluate(LOW_CONTRAST.replace("document.body", f"{CARD}.firstChild")) == []
        page.keyboard.press("f")
    page.click("#list-tab")
    if width == 360:
        page.click("#filters-button")
    inspect()
    page.keyboard.press("?")
    inspect()
    page.keyboard.press("Escape")
    if width == 360:
        page.click("#filters-button")
    for view in ("#statistics-tab", "#study-tab"):
        page.click(view)
        inspect()
    grade_all(page, ["1"])
    inspect()
    come_back(page, 9)
    grade_all(page, ["3"])
    page.click("#statistics-tab")
    inspect()
    page.click("#study-tab")
    start_exam(page, 2)
    inspect()
    grade_all(page, ["1"])
    inspect()


def test_every_control_is_reached_by_tab(page: Page) -> None:
    pass_to(page, "Which?")
    page.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate(
                "() => { let e = document.activeElement; while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;"
                " return e.id || e.getAttribute('role') || e.textContent.trim() }"
            )
        )
    wanted = {
        "study-tab",
        "list-tab",
        "statistics-tab",
        "link",
        "night",
        "more",
        "search",
        "kind",
        "tag",
        "show",
        "skip",
        "option",
        "easy",
    }
    assert wanted <= set(reached)


@pytest.mark.parametrize("width", [1440, 390])
def test_the_first_tab_skips_to_the_card(browser: Browser, deck: Path, width: int) -> None:
    watched = watched_page(browser, deck.as_uri(), viewport={"width": width, "height": 900}, bypass_csp=True)
    page = watched.page
    page.goto(deck.as_uri())
    focused = "document.activeElement.id"
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the card"
    assert violations(page) == []
    for wanted in ("start", "show"):
        page.keyboard.press("Enter")
        assert page.evaluate(focused) == wanted
    page.keyboard.press("l")
    page.focus("#to-card")
    page.keyboard.press("Enter")
    assert (page.is_visible("#study"), page.evaluate(focused)) == (True, "show")
    assert watched.complaints == []


def test_what_is_due_and_the_exam_are_only_above_the_card(page: Page) -> None:
    seen = []
    for view in ("list", "statistics", "study"):
        page.click(f"#{view}-tab")
        seen.append([page.is_visible(f"#{name}") for name in ("status", "exam-open")])
    assert seen == [[False, False], [False, False], [True, True]]
    page.keyboard.press("l")
    page.keyboard.press("x")
    expect(page.locator("#exam")).to_be_visible()


def test_right_to_left_text_stands_right(page: Page) -> None:
    pass_to(page, "מהו")
    assert page.evaluate(f"getComputedStyle({CARD}.querySelector('.question')).direction") == "rtl"
    page.keyboard.press("l")
    assert (
        page.evaluate("getComputedStyle([...document.querySelectorAll('.question')].at(-1)).direction")
        == "rtl"
    )


def test_cards_keep_alignment_indentation_math_and_media(browser: Browser, tmp_path: Path) -> None:
    picture = media_file(
        tmp_path / "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'></svg>"
    )
    notes = [
        *every_kind(),
        rendered("p", {"Question": f'<img alt="x" src="{picture.name}">'}, media=(picture,)),
    ]
    watched = open_file(browser, written(tmp_path / "a.html", notes))
    page = watched.page
    page.keyboard.press("f")
    assert page.evaluate(f"getComputedStyle({CARD}.querySelector('td')).textAlign") == "right"
    assert page.evaluate(f"{CARD}.querySelectorAll('.ln')[1].style.getPropertyValue('--i')") == "4"
    assert page.evaluate(f"{CARD}.querySelector('math').namespaceURI") == "http://www.w3.org/1998/Math/MathML"
    page.keyboard.press("f")
    page.keyboard.press("ArrowLeft")
    for _ in range(20):
        if page.locator("#card img").count():
            break
        page.keyboard.press("ArrowRight")
    wait_until(page, f"{CARD}.querySelector('img').naturalWidth === 30")
    assert watched.complaints == []


def test_of_a_picture_and_its_dark_twin_one_is_shown_by_day_by_night_and_on_paper(
    browser: Browser, tmp_path: Path
) -> None:
    twins = [
        media_file(
            tmp_path / name, b"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='9'></svg>" % width
        )
        for name, width in (("plot.svg", 10), ("plot.dark.svg", 20))
    ]
    note = a_note("What does it look like?", question="![a plot](plot.svg)", media=(*twins,))
    page = open_file(
        browser, written(tmp_path / "a.html", render_all(note)), color_scheme="dark", reduced_motion="reduce"
    ).page
    shown_at = {"night": pictures(page, "card")}
    page.keyboard.press("n")
    shown_at["day"] = pictures(page, "card")
    page.keyboard.press("n")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    shown_at["paper"] = pictures(page, "sheet")
    assert shown_at == {"night": [20], "day": [10], "paper": [10]}


# Print


def test_the_sheet_has_every_note_once_and_the_answers_of_choices_at_its_end(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    sheet = "document.querySelector('#sheet').shadowRoot"
    texts = page.evaluate(
        f"[...{sheet}.querySelectorAll('h1, h2, .entry')].map(each => each.textContent.replace(/\\s+/g, ' ').trim())"
    )
    assert [re.sub(r"^(\d+).*", r"\1", text) for text in texts] == [
        "My deck", "Autograd", "1", "Autograd › Deep", "2", "Tensors", "3", "4", "5", "6", "עברית", "7", "Answers", "4", "5",
    ]  # fmt: skip
    assert "It is" in texts[2]
    assert "More." in texts[2]
    assert "right" not in texts[7]
    assert "right" in texts[13]
    page.emulate_media(media="print")
    assert page.evaluate(f"getComputedStyle({sheet}.querySelector('pre')).breakInside") == "avoid"
    visible = page.evaluate(
        "[...document.body.children].filter(each => each.checkVisibility()).map(each => each.id)"
    )
    assert visible == ["sheet"]


# Hostile cards


def act_on_everything(watched: Watched) -> None:
    """Show all sides of every card, open and click everything, list the cards, and print them."""
    page = watched.page
    page.evaluate(
        f"""async () => {{
        const root = {CARD};
        document.getElementById('more-new').click();
        const act = () => {{
          root.querySelectorAll('details').forEach(each => each.open = true);
          root.querySelectorAll('.card *').forEach(each => {{
            for (const type of ['mouseover', 'pointerdown', 'focus', 'toggle', 'animationstart', 'load', 'error'])
              each.dispatchEvent(new Event(type));
            if (each.closest('a') || each.matches('button, input, area')) each.dispatchEvent(new MouseEvent('click', {{bubbles: true, composed: true, cancelable: true}}));
          }});
        }};
        for (let n = 0; n < 2 * {len(xss.CORPUS)}; n++) {{
          act();
          document.getElementById(n % 2 ? 'skip' : 'show').click();
          if (n % 8 === 0) await new Promise(done => setTimeout(done, 5));
        }}
        document.getElementById('statistics-tab').click();
        document.getElementById('list-tab').click();
        dispatchEvent(new Event('beforeprint'));
        await new Promise(done => setTimeout(done, 300));
        }}"""
    )


def test_no_attack_runs_a_script_or_sends_a_request(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path / "a.html", hostile_notes(), config=HOSTILE)
    watched = open_file(browser, file)
    page = watched.page
    assert status(page).startswith("0 due · 20 new left today")
    act_on_everything(watched)
    assert page.evaluate("window.pwned") is None
    assert watched.dialogs == []
    assert watched.strays == []
    assert watched.requests.count(file.as_uri()) == 1
    assert page.url == file.as_uri()
    assert len(page.context.pages) == 1
    assert page.locator("#rows .question").count() > 50
    assert page.locator("#rows [id], #rows [style], #rows :is(a, img, audio, video, input)").count() == 0


def test_a_printed_note_has_its_own_look_and_no_other_note_has_it(
    browser: Browser, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    files = {"deck.toml": 'name = "Deck"\nid = "deck"\n', "a.md": "## What is plain?\n\nThis.\n"}
    for name, colour in (("red", "rgb(255, 0, 0)"), ("blue", "rgb(0, 0, 255)")):
        folder = f"notetypes/{name}"
        note_type = {"name": name, "fields": ["A"], "templates": [{"name": "Card", "file": "card"}]}
        files[f"{folder}/notetype.json"] = json.dumps(note_type)
        files[f"{folder}/card.front.html"] = files[f"{folder}/card.back.html"] = "<b>{{A}}</b>"
        files[f"{folder}/style.css"] = f".card {{ color: {colour} }}"
        files["a.md"] += f"\n## {name}\n<!-- card: type={name} -->\n"
    assert (
        ptcards("build", write_files(tmp_path / "deck", files), "-o", tmp_path, "--format", "html").status
        == 0
    )
    page = open_file(browser, tmp_path / "deck.html").page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    looks = page.evaluate(
        """[...document.getElementById("sheet").shadowRoot.querySelectorAll(".entry > div")].map(each => {
          const bold = each.shadowRoot?.querySelector("b");
          return bold ? [bold.textContent, getComputedStyle(bold).color] : each.textContent.trim().split(/\\s+/);
        })"""
    )
    assert looks == [
        ["A", "What", "is", "plain?", "This."],
        ["red", "rgb(255, 0, 0)"],
        ["blue", "rgb(0, 0, 255)"],
    ]


def test_no_template_or_fence_of_an_own_note_type_runs_a_script(
    browser: Browser, tmp_path: Path, ptcards: Callable[..., Ran]
) -> None:
    folder = write_files(tmp_path / "evil", xss.adopted_files())
    ran = ptcards("build", folder, "-o", tmp_path, "--format", "html")
    assert ran.status == 0, ran.err
    watched = open_file(browser, tmp_path / "evil.html")
    act_on_everything(watched)
    assert (watched.page.evaluate("window.pwned"), watched.dialogs, watched.strays) == (None, [], [])
    assert watched.page.locator("#rows .question").count() == len(xss.CORPUS)


def test_no_attack_leaves_its_card(browser: Browser, tmp_path: Path) -> None:
    watched = open_file(browser, written(tmp_path / "a.html", hostile_notes()))
    page = watched.page
    page.evaluate("document.getElementById('more-new').click()")
    for _ in range(len(xss.CORPUS)):
        outside = page.evaluate(
            f"""[...{CARD}.querySelectorAll('*')].filter(each => {{
            const style = getComputedStyle(each);
            return style.position === 'fixed' || each.matches('script, style, iframe, object, embed, form, button, meta, link, base, dialog')
              || each.hasAttribute('autofocus') || [...each.attributes].some(one => one.name.startsWith('on'));
            }}).map(each => each.outerHTML)"""
        )
        assert outside == []
        page.keyboard.press("ArrowRight")


def test_the_attacks_are_attacks(browser: Browser, tmp_path: Path) -> None:
    """On pages without defences, most attacks succeed."""
    attacks = xss.SCRIPTS + xss.HANDLERS + xss.REQUESTS
    frames = "".join(f'<iframe srcdoc="{html.escape(attack)}"></iframe>' for attack in attacks)
    (tmp_path / "bare.html").write_text(f"<!doctype html><meta charset=utf-8>{frames}", encoding="utf-8")
    watched = open_file(browser, tmp_path / "bare.html")
    until(watched.page, lambda: len(watched.dialogs) > 20)
    until(watched.page, lambda: len({url for url in watched.requests if url.startswith(xss.EVIL)}) > 20)


# Size


def test_lines_of_38_columns_do_not_break_on_a_phone_and_the_grades_are_in_reach(
    browser: Browser, tmp_path: Path
) -> None:
    lines = "\n".join("print(layer.weight.grad, 'x')".ljust(width, "#") for width in (30, 34, 38))
    note = a_note("What?", f"An answer.\n\n```python\n{lines}\n```\n\n```output\n{lines}\n```")
    file = written(tmp_path / "a.html", render_all(note))
    page = open_file(browser, file, viewport={"width": 390, "height": 844}).page
    page.keyboard.press("f")
    heights = (
        f"[...{CARD}.querySelectorAll('.ln')].map(line => Math.round(line.getBoundingClientRect().height))"
    )
    assert len(page.evaluate(heights)) == 6
    assert len(set(page.evaluate(heights))) == 1
    expect(page.locator("#grades")).to_be_in_viewport(ratio=1)


def test_a_phone_shows_the_whole_first_screen_and_the_licence_below_it(
    browser: Browser, tmp_path: Path
) -> None:
    licensed = written(
        tmp_path / "a.html", every_kind(), config=Config(name="D", id="d", license="CC BY 4.0")
    )
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(licensed.as_uri())
    expect(page.locator("#welcome")).to_be_in_viewport(ratio=1)
    expect(page.locator("#footer")).to_be_in_viewport(ratio=1)
    assert page.inner_text("#footer").endswith(" · CC BY 4.0")
    assert page.locator("#footer a").count() == 0
    page.close()


def test_a_licence_with_an_address_is_a_link(browser: Browser, tmp_path: Path) -> None:
    address = "https://creativecommons.org/licenses/by/4.0/"
    config = Config(name="D", id="d", license=f"CC BY 4.0, {address}")
    page = open_file(browser, written(tmp_path / "a.html", every_kind(), config=config)).page
    assert page.inner_text("#footer").endswith(" · CC BY 4.0")
    assert page.locator("#footer a").get_attribute("href") == address


def test_buttons_stay_where_they_are_and_labels_of_filters_share_an_edge(
    browser: Browser, deck: Path
) -> None:
    page = open_file(browser, deck, viewport={"width": 1200, "height": 800}).page
    top = "Math.round(document.querySelector('#actions').getBoundingClientRect().top)"
    before = page.evaluate(top)
    page.keyboard.press("f")
    assert page.evaluate(top) == before
    # Not `getBoundingClientRect`: the box of a legend may have a padding.
    starts = """[...document.querySelectorAll("aside :is(label, legend, h2)")].map(each => {
        const text = document.createRange();
        text.selectNode(each.firstChild);
        return Math.round(text.getBoundingClientRect().left); })"""
    assert set(page.evaluate(starts)) == {16}


def test_a_phone_on_its_side_has_the_space_for_the_card(browser: Browser, deck: Path) -> None:
    page = open_file(
        browser, deck, viewport={"width": 844, "height": 390}, has_touch=True, is_mobile=True
    ).page
    edges = """["#card", "#dock", "#study", "#today"].flatMap(name => {
        const { top, bottom } = document.querySelector(name).getBoundingClientRect();
        return [Math.round(top), Math.round(bottom)]; })"""
    for key in ("Enter", "3"):
        card, _, dock, dock_end, _, end, today, _ = page.evaluate(edges)
        assert (card, dock_end - dock, today - end) == (74, 52, 8)
        expect(page.locator("#dock")).to_be_in_viewport(ratio=1)
        page.keyboard.press(key)
    page.evaluate("scrollTo(0, 1000)")
    expect(page.locator(".top")).not_to_be_in_viewport()
    expect(page.locator("#exam-open")).to_be_in_viewport(ratio=1)
    start_exam(page, 2)
    expect(page.locator("#exam-end")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == 844


@pytest.mark.parametrize("width", [320, 390])
def test_fingers_have_40_pixels_on_a_phone(browser: Browser, deck: Path, width: int) -> None:
    page = open_file(
        browser, deck, viewport={"width": width, "height": 844}, has_touch=True, is_mobile=True
    ).page
    small = """[...document.querySelectorAll("button")].filter(each => each.checkVisibility())
        .filter(each => Math.min(each.offsetWidth, each.offsetHeight) < 40).map(each => each.id || each.textContent)"""
    seen = [page.evaluate(small)]
    page.keyboard.press("Enter")
    seen.append(page.evaluate(small))
    page.keyboard.press("3")
    page.tap("#filters-button")
    page.tap("#difficulties button >> nth=0")
    seen.append(page.evaluate(small))
    page.tap("#show-matches")
    expect(page.locator("#active button")).to_be_visible()
    seen.append(page.evaluate(small))
    start_exam(page, 2)
    seen.append(page.evaluate(small))
    page.tap("#list-tab")
    seen.append(page.evaluate(small))
    assert seen == [[]] * 6
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [390, 1280])
def test_undo_is_beside_the_grades_when_there_is_something_to_undo(
    browser: Browser, deck: Path, width: int
) -> None:
    page = open_file(browser, deck, viewport={"width": width, "height": 844}).page
    undo = page.locator("#previous")
    middle = "(({ top, bottom }) => (top + bottom) / 2)(document.querySelector('#actions > :is(#front-actions, #grades):not([hidden])').getBoundingClientRect())"
    first = shown(page)
    for key in ("Enter", "3"):
        expect(undo).to_be_hidden()
        page.keyboard.press(key)
    for _ in ("front", "back"):
        box = undo.bounding_box()
        assert box
        assert box["y"] + box["height"] / 2 == pytest.approx(page.evaluate(middle))
        page.keyboard.press("f")
    assert undo.get_attribute("title") == "Undo the last grade or skip (Z, Ctrl+Z or ←)"
    page.keyboard.press("z")
    assert (shown(page), undo.is_visible()) == (first, False)


def test_the_switch_of_night_mode_shows_what_it_brings(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck).page
    icons = [page.locator("#night .moon"), page.locator("#night .sun")]
    shown = []
    for _ in range(2):
        shown.append([icon.is_visible() for icon in icons])
        page.click("#night")
    assert shown == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("deck", "chips"), [("R & D, a < b", "R & D, a < b"), ("Arc<T>", ""), ("<script>", "")], ids=str
)
def test_the_name_of_a_deck_is_shown_as_it_is_or_not_at_all(
    browser: Browser, tmp_path: Path, ptcards: Callable[..., Ran], deck: str, chips: str
) -> None:
    folder = write_files(tmp_path / "code", {"a.md": f"# `{deck}`\n\n## What is it?\n\nA name.\n"})
    (folder / "deck.toml").write_text('name = "Code"\nid = "abcdef12"\n')
    assert ptcards("build", folder, "-o", tmp_path, "--format", "html").status == 0
    watched = open_file(browser, tmp_path / "code.html")
    for _ in ("front", "back"):
        assert watched.page.evaluate(f"{CARD}.querySelector('.chips').textContent") == chips
        assert shown(watched.page) == "What is it?"
        watched.page.keyboard.press(" ")
    assert watched.page.evaluate(f"{CARD}.querySelector('.answer').textContent.trim()") == "A name."
    assert watched.complaints == []


@pytest.mark.slow
def test_ten_thousand_notes_open_and_can_be_searched(browser: Browser, tmp_path: Path) -> None:
    notes = [
        rendered(
            f"g{n:05}",
            {
                "Question": f'<p class="heading">Question {n}?</p>',
                "Answer": f"<p>{n}</p>" + "<p>Some text.</p>" * 80,
            },
            deck=f"PyTorch::Topic {n % 50}",
        )
        for n in range(10_000)
    ]
    watched = open_file(browser, written(tmp_path / "a.html", notes))
    page = watched.page
    assert status(page) == "0 due · 20 new left today · 0 of 10,000 cards started"
    page.fill("#search", "question 9876?")
    expect(page.locator("#status")).to_have_text("0 due · 1 new left today · 0 of 1 card started")
    assert shown(page) == "Question 9876?"
    page.click("#clear")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    assert page.locator("#rows li").count() < 1000
    assert watched.complaints == []


def test_on_a_phone_the_filters_close_where_their_result_is(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, viewport={"width": 360, "height": 740}).page
    filters, opener = page.locator("#filters"), page.locator("#filters-button")
    for way_out in ("#list-tab", "#study-tab", "#show-matches"):
        opener.click()
        assert page.locator("#show-matches").bounding_box()["y"] < 700  # type: ignore[index]
        page.click(way_out)
        assert (filters.is_visible(), opener.get_attribute("aria-expanded")) == (False, "false")
    opener.click()
    page.select_option("#kind", "typed")
    assert page.inner_text("#show-matches") == "Show 1 card"
    page.click("#show-matches")
    assert (shown(page), opener.get_attribute("class")) == ("Type it", "narrow active")


@pytest.mark.parametrize(("width", "touch"), [(1000, False), (390, True)])
def test_escape_closes_the_filters_and_returns_to_their_button(
    browser: Browser, deck: Path, width: int, touch: bool
) -> None:
    page = open_file(
        browser, deck, viewport={"width": width, "height": 844}, has_touch=touch, is_mobile=touch
    ).page
    filters, opener = page.locator("#filters"), page.locator("#filters-button")
    focused = "document.activeElement.id"
    by_hand: tuple[Callable[[], None], ...] = (opener.click, lambda: opener.press("Enter"))
    ways = (opener.tap,) if touch else by_hand
    for way in ways:
        way()
        assert (filters.is_visible(), page.evaluate(focused)) == (True, "show" if touch else "search")
        page.keyboard.press("Escape")
        assert (filters.is_visible(), page.evaluate(focused)) == (False, "filters-button")
        assert opener.get_attribute("aria-expanded") == "false"
    page.keyboard.press("/")
    page.keyboard.type("one")
    for open_after in (True, False):
        page.keyboard.press("Escape")
        assert (filters.is_visible(), page.input_value("#search")) == (open_after, "")


@pytest.mark.parametrize(("width", "beside"), [(1000, False), (1121, True)])
def test_text_on_a_card_has_its_whole_column_beside_the_filters_or_below_them(
    browser: Browser, deck: Path, width: int, beside: bool
) -> None:
    page = open_file(browser, deck, viewport={"width": width, "height": 800}).page
    filters, opener = page.locator("#filters"), page.locator("#filters-button")
    assert (filters.is_visible(), opener.is_visible()) == (beside, not beside)
    page.keyboard.press("f")
    assert page.evaluate(f"{CARD}.querySelector('.answer p').offsetWidth") == 756
    page.keyboard.press("/")
    page.keyboard.type("type it")
    expect(page.locator("#status")).to_contain_text("of 1 card ")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if not beside:
        page.click("#show-matches")
        expect(filters).to_be_hidden()
    assert shown(page) == "Type it"


def test_closed_filters_say_what_they_are_and_go_one_by_one(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, viewport={"width": 390, "height": 844}).page
    active, opener = page.locator("#active button"), page.locator("#filters-button")
    assert active.count() == 0
    opener.click()
    page.select_option("#tag", "red")
    page.click("#difficulties button:has-text('hard')")
    page.fill("#search", "What is")
    page.keyboard.press("Enter")
    assert active.all_inner_texts() == ["hard ✕", "red ✕", "“what is” ✕"]
    page.keyboard.press("Escape")
    edges = "[document.querySelector('#study').getBoundingClientRect().bottom, innerHeight].map(Math.round)"
    end, height = page.evaluate(edges)
    assert abs(end - height) < 2
    page.keyboard.press("l")
    # A row has no text until the browser has drawn it.
    expect(page.locator("#rows .question")).to_have_text(["What is x?"], use_inner_text=True)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for _ in range(3):
        active.first.click()
    assert (active.count(), status(page)) == (0, "0 due · 9 new left today · 0 of 9 cards started")
    opener.click()
    assert [page.input_value("#tag"), page.input_value("#search")] == ["", ""]
    assert page.locator("#difficulties [aria-pressed=true]").count() == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    page.select_option("#tag", "red")
    assert page.locator("#active").is_hidden()


def test_a_filter_that_would_select_nothing_is_not_there(browser: Browser, tmp_path: Path) -> None:
    notes = render_all(a_note("One?", "1"), a_note("Two?", "2", tags=("red",)))
    page = open_file(browser, written(tmp_path / "a.html", notes)).page
    assert [page.is_visible(each) for each in ("#kind", "#tag", "#difficulties")] == [False, True, False]


def test_the_page_has_the_font_of_the_cards(page: Page) -> None:
    of_card = f"getComputedStyle({CARD}.querySelector('.card')).fontFamily"
    assert page.evaluate("getComputedStyle(document.body).fontFamily") == page.evaluate(of_card)


@pytest.mark.parametrize(("width", "touch"), [(1280, False), (390, True)])
def test_back_closes_what_is_open_before_it_leaves_the_page(
    browser: Browser, deck: Path, width: int, touch: bool
) -> None:
    context: dict[str, Any] = {
        "viewport": {"width": width, "height": 844},
        "has_touch": touch,
        "is_mobile": touch,
    }
    watched = watched_page(browser, deck.as_uri(), **context)
    page = watched.page
    page.goto("about:blank")
    page.goto(deck.as_uri())
    start = page.evaluate("history.length")
    page.click("#start")

    def back(*hidden: str) -> None:
        page.evaluate("history.back()")
        for name in hidden:
            expect(page.locator(name)).to_be_hidden()
        assert page.url == deck.as_uri()

    page.click("#list-tab")
    page.click("#rows button:has-text('Type it')")
    expect(page.locator("#list")).to_be_hidden()
    page.click("#more")
    back("#menu")
    assert shown(page) == "Type it"
    back("#study")
    assert page.evaluate(FOCUSED) == "Type it"
    page.click("#statistics-tab")
    back("#statistics", "#list")
    page.click("#exam-open")
    back("#exam")
    if width == 390:
        page.click("#list-tab")
        page.click("#filters-button")
        back("#filters")
        expect(page.locator("#list")).to_be_visible()
        page.click("#filters-button")
        page.click("#topics button:has-text('Tensors')")
        back("#list")
    for _ in range(3):  # what is closed otherwise leaves nothing behind
        page.keyboard.press("l")
        page.keyboard.press("Escape")
        page.click("#more")
        page.keyboard.press("Escape")
    wait_until(page, "history.state.layers === 0")
    assert page.evaluate("history.length") <= start + 3
    page.go_back()
    assert page.url == "about:blank"
    assert watched.complaints == []


def test_back_after_a_link_and_a_reload_needs_no_second_press(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck).page
    page.click("#list-tab")
    page.click("#rows button:has-text('Type it')")
    page.click("#link")
    page.wait_for_url("**/*#guid2%2F0")
    assert (shown(page), page.evaluate("history.state.layers")) == ("Type it", 2)
    load_again(page)
    wait_until(page, "history.state.layers === 0")
    page.click("#statistics-tab")
    page.evaluate("history.back()")
    expect(page.locator("#statistics")).to_be_hidden()


@pytest.mark.parametrize("width", [320, 360, 361, 390])
def test_no_button_is_too_small_for_its_text(browser: Browser, deck: Path, width: int) -> None:
    """Undo and Skip have their words; where the head has no space for Filter, it has an icon."""
    page = open_file(
        browser, deck, viewport={"width": width, "height": 640}, has_touch=True, is_mobile=True
    ).page
    tight = """[...document.querySelectorAll(".top button, #actions button")].filter(each => each.checkVisibility())
        .filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent.trim())"""
    seen = [page.evaluate(tight)]
    for key in ("Enter", "3", "Enter", "f"):
        page.keyboard.press(key)
        seen.append(page.evaluate(tight))
    assert seen == [[]] * 5
    words = page.locator("#filters-button, #previous, #skip").locator(".word").all()
    widths = [word.evaluate("each => each.offsetWidth > 1") for word in words]
    assert widths == [width > 360, True, True]
    assert page.locator("#filters-button svg").is_visible() == (width <= 360)
    expect(page.locator("#filters-button")).to_have_accessible_name("Filter")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (1440, 900)])
def test_a_question_begins_and_the_buttons_end_at_one_place_on_every_card(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    options = (choice("one", right=True), choice("two"))
    notes = render_all(
        a_note("Short?", "An array."),
        a_note("Hint?", "Yes.", hint="A hint."),
        a_note("Long?", "\n\n".join(f"Line {n}." for n in range(60))),
        a_note("Which?", kind=Kind.CHOICE, choices=options),
        a_note("Fill in", "{{c1::one}} and two", kind=Kind.CLOZE),
    )
    page = open_file(
        browser, written(tmp_path / "a.html", notes), viewport={"width": size[0], "height": size[1]}
    ).page
    places = f"""[Math.round({CARD}.querySelector(".question").getBoundingClientRect().top),
        Math.round(document.querySelector("#dock").getBoundingClientRect().bottom)]"""
    seen = []
    for name in ("Short", "Hint", "Long", "Which", "Fill"):
        pass_to(page, name)
        seen.append(page.evaluate(places))
        page.keyboard.press("f")
        expect(page.locator("#grades")).to_be_visible()
        seen.append(page.evaluate(places))
        page.keyboard.press("f")
    assert seen == [[seen[0][0], size[1]]] * 10


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("size", "scheme"), [((320, 640), "dark"), ((568, 320), "light"), ((1280, 800), "dark")]
)
def test_axe_finds_nothing_on_verdicts_and_on_a_small_phone_upright_and_sideways(
    browser: Browser, deck: Path, size: tuple[int, int], scheme: Any
) -> None:
    viewport: Any = {"width": size[0], "height": size[1]}
    page = open_file(browser, deck, viewport=viewport, color_scheme=scheme, bypass_csp=True).page
    seen = []
    for question, answers in (("Which ones?", ("ac", "a", "b")), ("Type it", ("a < b", "a < c", "b"))):
        for answer in answers:
            pass_to(page, question)
            page.keyboard.type(answer)
            page.keyboard.press("Enter")
            seen.append(page.inner_text("#verdict"))
            assert violations(page) == []
            assert page.evaluate(LOW_CONTRAST.replace("document.body", f"{CARD}.firstChild")) == []
            # A version of Chromium draws letters up to 2 % wider than another one.
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0] * 1.02
            page.keyboard.press("f")
            page.evaluate("document.querySelector('#skip').click()")
    assert seen == ["Right", "Not quite", "Wrong"] * 2


def test_tags_with_levels_are_shown_as_topics_are(browser: Browser, tmp_path: Path) -> None:
    config = Config(name="D", id="d", description="Begin with `path::1`.")
    notes = render_all(a_note("One?", "1", tags=("path::1",)), a_note("Two?", "2", tags=("path::2",)))
    file = written(tmp_path / "a.html", notes, config=config)
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(file.as_uri())
    start = page.locator("#about button")
    assert start.inner_text() == "path › 1"
    start.click()
    assert page.locator("#active button").all_inner_texts() == ["path › 1 ✕"]
    assert page.locator("#tag option").all_text_contents() == ["All tags", "path › 1 (1)", "2 (1)"]
    assert page.input_value("#tag") == "path::1"
    page.close()


def test_the_menu_of_tags_has_a_group_for_each_first_level(browser: Browser, tmp_path: Path) -> None:
    """Tags that are alone are above the groups, and the chosen one has its full name."""
    tags = ["alone", "one::child", "gpu", "gpu::memory::cache", *(f"path::{n}" for n in (10, 2, 1))]
    notes = render_all(*(a_note(f"{tag}?", "1", tags=(tag,)) for tag in tags))
    page = browser.new_page()
    page.goto(written(tmp_path / "a.html", notes).as_uri())
    menu = """select => [...select.children].map(each =>
      each.localName === "option"
        ? each.text : [each.label, ...[...each.children].map(option => option.text)])"""
    alone = ["All tags", "alone (1)", "one › child (1)"]
    gpu, path = ["gpu", "gpu (1)", "memory › cache (1)"], ["path", "1 (1)", "2 (1)", "10 (1)"]
    assert page.eval_on_selector("#tag", menu) == [*alone, gpu, path]
    page.select_option("#tag", "path::2")
    assert page.eval_on_selector("#tag", menu) == [*alone, gpu, ["path", "1 (1)", "path › 2 (1)", "10 (1)"]]
    load_again(page)
    assert page.eval_on_selector("#tag", "select => select.selectedOptions[0].text") == "path › 2 (1)"
    page.select_option("#tag", "gpu::memory::cache")
    page.click("#clear")
    assert page.eval_on_selector("#tag", menu) == [*alone, gpu, path]
    page.close()


def test_the_menu_of_tags_leaves_out_what_buttons_select(browser: Browser, tmp_path: Path) -> None:
    """A tag with more cards than its topic is there, and one that the description names can be chosen."""
    topics = {"tensors": ("all", "tensors", "difficulty::easy"), "autograd": ("all", "autograd")}
    notes = [a_note(f"{name}?", "1", deck=f"D::{name}", tags=tags) for name, tags in topics.items()]
    notes.append(a_note("Quiz?", "2", deck="D::quiz", tags=("all", "autograd")))
    config = Config(name="D", id="d", description="Begin with `tensors`.")
    page = browser.new_page()
    page.goto(written(tmp_path / "a.html", render_all(*notes), config=config).as_uri())
    menu = page.locator("#tag option")
    assert menu.all_text_contents() == ["All tags", "autograd (2)"]
    page.click("#about button")
    assert (page.locator("#tag").input_value(), status(page)) == (
        "tensors",
        "0 due · 1 new left today · 0 of 1 card started",
    )
    page.click("#clear")
    assert page.locator("#tag").input_value() == ""
    page.close()
