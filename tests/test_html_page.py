"""The HTML file in a browser, opened from disk: studying, filters, keys, paper; and that no card can act."""

import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import xss
from browsing import Watched, chromium, watched_page
from card_pages import LOW_CONTRAST
from handmade import a_note, media_file, rendered
from html_files import HOSTILE, every_kind, hostile_notes, render_all, written

# Behind `browsing`, which skips where they cannot be had.
from axe_core_python.sync_playwright import Axe  # isort: skip
from playwright.sync_api import Browser, Page, expect  # isort: skip

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("html")]

CARD = "document.querySelector('#card').shadowRoot"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def open_file(browser: Browser, file: Path, **context: Any) -> Watched:
    watched = watched_page(browser, file.as_uri(), **context)
    watched.page.goto(file.as_uri())
    return watched


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("html") / "my-deck.html", every_kind())


@pytest.fixture
def page(browser: Browser, deck: Path) -> Iterator[Page]:
    watched = open_file(browser, deck)
    yield watched.page
    assert watched.complaints == []
    assert set(watched.requests) == {deck.as_uri()}
    watched.page.context.close()


def shown(page: Page) -> str:
    """Give the question on the card, or of a reversed card what stands on its front."""
    return str(page.evaluate(f"{CARD}.querySelector('.question, .answer').textContent.trim()"))


def status(page: Page) -> str:
    return page.inner_text("#status")


def pass_to(page: Page, question: str) -> None:
    for _ in range(20):
        if shown(page).startswith(question):
            return
        page.keyboard.press("ArrowRight")
    pytest.fail(f"no card {question}")


def pictures(page: Page, where: str) -> list[int]:
    """Give the widths of the pictures that can be seen on the card or the sheet."""
    images = page.locator(f"#{where} img")
    for image in images.all():
        expect(image).not_to_have_js_property("naturalWidth", 0)
    return [image.evaluate("each => each.naturalWidth") for image in images.all() if image.is_visible()]


def stored(page: Page) -> dict[str, list[int]]:
    key = f"ptcards:{json.loads(page.text_content('#data') or '')['id']}"
    cards: dict[str, list[int]] = page.evaluate("key => JSON.parse(localStorage.getItem(key)).cards", key)
    return cards


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


def test_three_grades_move_a_card_through_the_boxes(page: Page) -> None:
    assert status(page) == "0 due · 9 new · 0 of 9 cards learnt"
    first = shown(page)
    for key in ("2", "3", "1"):
        page.keyboard.press(" ")
        page.keyboard.press(key)
    today = page.evaluate(
        "Math.floor((Date.now() - new Date().getTimezoneOffset() * 60000) / 86400000 - 4 / 24)"
    )
    found = {card: [box, due - today] for card, (box, due, _) in stored(page).items()}
    assert found == {"guid0/0": [1, 1], "guid1/0": [2, 2], "guid1/1": [0, 0]}
    assert status(page) == "1 due · 6 new · 2 of 9 cards learnt"
    page.reload()
    assert status(page) == "1 due · 6 new · 2 of 9 cards learnt"
    assert shown(page) == "Meaning"
    for _ in range(3):
        assert shown(page) != first
        page.keyboard.press("ArrowRight")


def test_a_card_that_was_not_known_comes_back_in_the_same_session(page: Page) -> None:
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("1")
    seen = []
    while shown(page) != first:
        seen.append(shown(page))
        page.keyboard.press(" ")
        page.keyboard.press("2")
    assert len(seen) == 6


def test_space_alone_studies_to_the_end(page: Page) -> None:
    for _ in range(9 * 2):
        page.keyboard.press(" ")
    assert status(page) == "0 due · 0 new · 9 of 9 cards learnt"
    assert page.inner_text("#next-due") == "Next: 9 cards tomorrow."
    assert page.evaluate("document.activeElement.id") == "done"
    page.click("#ahead")
    assert shown(page) == "What is x?"


def test_back_takes_the_grade_back(page: Page) -> None:
    first = shown(page)
    page.keyboard.press(" ")
    page.keyboard.press("3")
    page.keyboard.press("ArrowLeft")
    assert (shown(page), stored(page)) == (first, {})
    assert page.is_disabled("#previous")


def test_options_can_be_tried_before_the_answer(page: Page) -> None:
    pass_to(page, "Which?")
    page.keyboard.press("b")
    page.keyboard.press("a")
    checked = [each.get_attribute("aria-selected") for each in page.locator("#card .choices > li").all()]
    assert checked == ["true", "false", "false"]
    page.keyboard.press(" ")
    assert page.inner_text("#verdict") == "Right"
    assert page.locator("#card .picked .yours").inner_text() == "your choice"
    page.keyboard.press("2")
    assert (shown(page), page.inner_text("#verdict")) == ("Which ones?", "")
    page.click("#card .choices > li >> nth=0")
    page.click("#card .choices > li >> nth=2")
    page.keyboard.press(" ")
    page.click("#card .choices > li >> nth=1")
    page.keyboard.press("Enter")
    assert page.inner_text("#verdict") == "Not quite"
    assert page.locator("#card .right.picked").count() == page.locator("#card .wrong.picked").count() == 1


def test_a_typed_answer_is_compared(page: Page) -> None:
    for typed, verdict in (("a < b", "Right"), ("b", "Not quite"), ("", "")):
        pass_to(page, "Type it")
        page.fill("#card #typeans", typed)
        page.focus("#card #typeans")
        page.keyboard.press("Enter")
        assert page.inner_text("#verdict") == verdict
        assert "a < b" in page.inner_text("#card #typeans")
        page.keyboard.press("f")
        page.keyboard.press("ArrowRight")


def test_a_hint_opens_by_key_and_click(page: Page) -> None:
    hint = page.locator("#card div.hint")
    expect(hint).to_be_hidden()
    page.keyboard.press("t")
    expect(hint).to_be_visible()
    page.reload()
    page.click("#card a.hint")
    expect(hint).to_be_visible()
    expect(page.locator("#card .answer")).to_have_count(0)


def test_progress_leaves_as_a_file_and_comes_back(browser: Browser, deck: Path, tmp_path: Path) -> None:
    one, other = (open_file(browser, deck).page for _ in range(2))
    one.keyboard.press(" ")
    one.keyboard.press("2")
    one.click("#more")
    with one.expect_download() as download:
        one.click("#export")
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "my-deck-progress.json"
    assert json.loads(file.read_text("utf-8"))["cards"] == stored(one)
    other.set_input_files("#import-file", file)
    expect(other.locator("#progress-said")).to_have_text("1 card taken from my-deck-progress.json.")
    assert stored(other) == stored(one)
    assert status(other) == "0 due · 8 new · 1 of 9 cards learnt"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "This is not a file with progress."),
        ('{"ptcards": 1, "collection": "other", "cards": {}}', "This progress belongs to another deck."),
        ('{"ptcards": 1, "collection": "6f0c2c0e", "cards": {"a/0": [99, 1, 1]}}', "The file is damaged."),
        ('{"ptcards": 1, "collection": "6f0c2c0e", "cards": {"a/0": ["<b>", 1, 1]}}', "The file is damaged."),
        ('{"ptcards": 1, "collection": "6f0c2c0e", "cards": null}', "This is not a file with progress."),
        ('{"__proto__": {"ptcards": 1}}', "This is not a file with progress."),
    ],
)
def test_a_wrong_file_is_refused_and_changes_nothing(
    page: Page, tmp_path: Path, content: str, said: str
) -> None:
    page.keyboard.press(" ")
    page.keyboard.press("2")
    before = stored(page)
    (tmp_path / "p.json").write_text(content, encoding="utf-8")
    page.set_input_files("#import-file", tmp_path / "p.json")
    expect(page.locator("#progress-said")).to_have_text(said)
    assert stored(page) == before


# Filters and list


def test_filters_leave_what_they_say(page: Page) -> None:
    assert re.sub(r"\s+(?=\d)", " ", page.inner_text("#topics")).split("\n") == [
        "All topics 7",
        "Autograd 2",
        "Deep 1",
        "Tensors 4",
        "עברית 1",
    ]

    def left() -> int:
        found = re.search(r"of (\d+) cards?", status(page))
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
    expect(page.locator("#next-due")).to_have_text("No card matches the filters.")
    page.fill("#search", "y deep x =")
    expect(page.locator("#status")).to_contain_text("of 1 card ")


def test_the_list_shows_each_note_once_and_opens_it(page: Page) -> None:
    page.keyboard.press("l")
    questions = ["What is x?", "Term", "Type it", "Which?", "Which ones?", "Fill in", "מהו גרדיאנט?"]
    expect(page.locator("#rows .question")).to_have_text(
        questions
    )  # also of rows the browser has not drawn yet
    page.click("#rows button:has-text('Type it')")
    assert shown(page) == "Type it"
    expect(page.locator("#list")).to_be_hidden()


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


# How it looks


def test_the_night_follows_the_system_until_the_learner_says_otherwise(browser: Browser, deck: Path) -> None:
    page = open_file(browser, deck, color_scheme="dark").page
    assert page.evaluate(f"{CARD}.querySelector('.card').className") == "card card1 nightMode night_mode"
    page.keyboard.press("n")
    page.reload()
    assert page.evaluate(f"{CARD}.querySelector('.card').className") == "card card1"


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Browser, deck: Path, width: int, scheme: Any
) -> None:
    watched = open_file(
        browser, deck, viewport={"width": width, "height": 740}, color_scheme=scheme, bypass_csp=True
    )
    page = watched.page

    def inspect() -> None:
        found = Axe().run(page)["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width

    for question in ("What", "Type it", "Which ones?", "Fill in"):
        pass_to(page, question)
        inspect()
        page.keyboard.press("f")
        inspect()
        assert page.evaluate(LOW_CONTRAST.replace("document.body", f"{CARD}.firstChild")) == []
    page.keyboard.press("l")
    if width == 360:
        page.click("#filters-button")
    inspect()
    page.keyboard.press("?")
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
    page.wait_for_function(f"{CARD}.querySelector('img').naturalWidth === 30")
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


# Paper


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


# No card can act


def act_on_everything(watched: Watched) -> None:
    """Show every card's sides, unfold and click what there is, list them, put them on the sheet."""
    page = watched.page
    page.evaluate(
        f"""async () => {{
        const root = {CARD};
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
        document.getElementById('list-tab').click();
        dispatchEvent(new Event('beforeprint'));
        await new Promise(done => setTimeout(done, 300));
        }}"""
    )


def test_no_attack_runs_a_script_or_sends_a_request(browser: Browser, tmp_path: Path) -> None:
    file = written(tmp_path / "a.html", hostile_notes(), config=HOSTILE)
    watched = open_file(browser, file)
    page = watched.page
    assert status(page).startswith("0 due · ")
    act_on_everything(watched)
    assert page.evaluate("window.pwned") is None
    assert watched.dialogs == []
    assert watched.strays == []
    assert watched.requests.count(file.as_uri()) == 1
    assert page.url == file.as_uri()
    assert len(page.context.pages) == 1
    assert page.locator("#rows .question").count() > 50


def test_no_attack_leaves_its_card(browser: Browser, tmp_path: Path) -> None:
    watched = open_file(browser, written(tmp_path / "a.html", hostile_notes()))
    page = watched.page
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
    """On pages that show cards as they are, most of them succeed."""
    attacks = xss.SCRIPTS + xss.HANDLERS + xss.REQUESTS
    frames = "".join(f'<iframe srcdoc="{html.escape(attack)}"></iframe>' for attack in attacks)
    (tmp_path / "bare.html").write_text(f"<!doctype html><meta charset=utf-8>{frames}", encoding="utf-8")
    watched = open_file(browser, tmp_path / "bare.html")
    watched.page.wait_for_timeout(500)
    assert len(watched.dialogs) > 20
    assert len({url for url in watched.requests if url.startswith(xss.EVIL)}) > 20


# Size


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
    assert status(page) == "0 due · 10,000 new · 0 of 10,000 cards learnt"
    page.fill("#search", "question 9876?")
    expect(page.locator("#status")).to_have_text("0 due · 1 new · 0 of 1 card learnt")
    assert shown(page) == "Question 9876?"
    page.click("#clear")
    page.keyboard.press("Escape")
    page.keyboard.press("l")
    assert page.locator("#rows li").count() < 1000
    assert watched.complaints == []
