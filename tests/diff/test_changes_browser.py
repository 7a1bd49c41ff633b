"""The page of `ptcards diff --format html` in Chromium."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import xss
from browsing import browser, violations, watched_page
from card_pages import LOW_CONTRAST
from conftest import runner
from identity_release import Maintainer
from ptcards.anki.built_in_notetypes import note_types
from ptcards.diff.changed_cards import SIDES, fill_with_cards, page_file
from ptcards.notes.labels import interface, labels_of
from ptcards.writers.html import card_data

from html_files import HOSTILE, hostile_notes  # isort: skip

# After `browsing`, which skips this module if there is no browser.
from playwright.sync_api import Browser, Page  # isort: skip

__all__ = ["browser"]

pytestmark = pytest.mark.browser
LEAF = "## What is a leaf?\n\nA tensor of $x^2$.\n\n"
HIDDEN = "## Why?\n\nSo.\n\n### Hint\n\nA {0}hint.\n\n### Details\n\nThe {0}details.\n\n"
CLOZE = "## Planets\n<!-- card: id=planets kind=cloze -->\n\n{{c1::Venus}} is hot, {{c2::Mars}} is not.\n\n"
GONE = "## Gone?\n\nYes.\n\n"
STEP = "## What is a step?\n\nOne.\n\n"
QUESTION = "What is `</script><script>alert(1)</script>`?"


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a deck with each kind of change."""
    folder = tmp_path_factory.mktemp("changed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        author = Maintainer(folder / "cards", runner(folder))
        author.write(a=f"# Autograd\n\n{LEAF}{CLOZE}{GONE}", b=f"# Optim\n\n{STEP}").publish("v1.0")
        leaf = LEAF.replace("A tensor", "A new tensor")
        cloze = CLOZE.replace("{{c2::Mars}}", "Mars")
        new = f"## {QUESTION}\n<!-- card: kind=reversed id=script -->\n\n`<img src=x onerror=alert(1)>`\n\n"
        author.write(a=f"# Autograd\n\n{leaf}{cloze}{STEP}{new}", b="# Optim\n\n## Why?\n\nSo.\n")
        ran = author.run("diff", "--format", "html", "-o", folder / "changes.html")
        assert (ran.status, ran.out) == (0, "")
    return folder / "changes.html"


def shown(page: Page, question: str) -> list[tuple[str, str, list[str]]]:
    """Return the cards of a note: the caption of each, its text on one line, and the words marked in it."""
    note = page.locator("details").filter(has=page.locator("summary span", has_text=question))
    return [
        (
            figure.locator("figcaption").inner_text(),
            " ".join(figure.locator(".card").inner_text().split()),
            figure.locator(".ptcards-changed").all_inner_texts(),
        )
        for figure in note.locator("figure").all()
    ]


def test_each_note_is_shown_before_and_now_on_both_sides_with_words_marked(
    browser: Browser, changes: Path
) -> None:
    watched = watched_page(browser, changes.as_uri())
    page = watched.page
    page.goto(changes.as_uri())
    assert page.locator("summary span").all_inner_texts() == [
        QUESTION.replace("`", ""),
        "Why?",
        *("What is a leaf?", "Planets", "What is a step?", "Gone?"),
    ]
    leaf = "Autograd What is a leaf?"
    assert shown(page, "What is a leaf?") == [
        ("Before · Front", leaf, []),
        ("Now · Front", leaf, []),
        ("Before · Back", f"{leaf} A tensor of 𝑥 2 .", []),
        ("Now · Back", f"{leaf} A new tensor of 𝑥 2 .", ["new"]),
    ]
    first, whole = (
        "Autograd Planets [...] is hot, Mars is not.",
        "Autograd Planets Venus is hot, Mars is not.",
    )
    assert shown(page, "Planets") == [
        ("Before · Front", first, []),
        ("Now · Front", first, []),
        ("Before · Back", whole, []),
        ("Now · Back", whole, []),
        ("Before · Front", "Autograd Planets Venus is hot, [...] is not.", []),  # this card is gone
        ("Before · Back", whole, []),
    ]
    assert shown(page, "Gone?") == [
        ("Front", "Autograd Gone?", []),
        ("Back", "Autograd Gone? Yes.", []),
    ]
    assert shown(page, "What is a step?") == [
        ("Front", "Autograd What is a step?", []),
        ("Back", "Autograd What is a step? One.", []),
    ]
    assert [caption for caption, *_ in shown(page, "alert")] == ["Front", "Back", "Front", "Back"]
    assert page.locator("figure math").count() > 0
    assert (watched.requests, watched.dialogs, watched.complaints) == ([changes.as_uri()], [], [])


@pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (390, "dark"), (1200, "light"), (1200, "dark")]
)
def test_axe_finds_nothing_by_day_at_night_and_as_on_a_phone(
    browser: Browser, changes: Path, width: int, scheme: Any
) -> None:
    watched = watched_page(
        browser,
        changes.as_uri(),
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        bypass_csp=True,
    )
    page = watched.page
    page.goto(changes.as_uri())
    card = page.locator("figure").first
    is_wide = width > 390
    assert (page.evaluate("document.documentElement.scrollWidth"), page.is_visible("#phone")) == (
        width,
        is_wide,
    )
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])
    if is_wide:
        page.click("#phone")
        assert page.get_attribute("#phone", "aria-pressed") == "true"
        assert card.evaluate("card => card.clientWidth") == 390
        assert violations(page) == []
    is_night = "document.querySelector('.shown').shadowRoot.querySelectorAll('.nightMode').length"
    assert page.evaluate(is_night) == (scheme == "dark")
    page.click("#night")
    assert page.evaluate(is_night) == (scheme != "dark")
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])
    assert (watched.requests, watched.dialogs) == ([changes.as_uri()], [])


@pytest.fixture
def compared(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Page]:
    """Return a function that opens the page about a published file and its new text."""
    monkeypatch.chdir(tmp_path)

    def opened(old: str, new: str, width: int = 1280) -> Page:
        author = Maintainer(tmp_path / "cards", runner(tmp_path))
        author.write(a=old).publish("v1.0")
        author.write(a=new)
        assert author.diff("--format", "html", "-o", "changes.html") == ""
        address = (tmp_path / "changes.html").as_uri()
        page = watched_page(browser, address).page
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        return page

    return opened


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [("old ", "new ", (["old"], ["new"])), ("old ", "", (["old"], [])), ("", "very ", ([], ["very"]))],
    ids=["other words", "fewer", "more"],
)
def test_a_hint_and_details_are_open_on_both_sides_if_words_are_marked_on_one(
    compared: Callable[..., Page], old: str, new: str, marked: tuple[list[str], list[str]]
) -> None:
    page = compared(HIDDEN.format(old), HIDDEN.format(new))
    figures = page.locator("figure").all()
    shown = [each.locator(".ptcards-changed:visible").all_inner_texts() for each in figures]
    assert shown == [*marked, *marked]  # there is no hint on a back
    assert [each.locator("div.hint:visible, details[open]").count() for each in figures] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("(an old, “stale” word).", "(a new, “fresh” word).", ["an old", "stale", "a new", "fresh"]),
        ("It is, it is.", "It is! It is.", [", it", "! It"]),
        ("كلمة قديمة، وأخرى.", "كلمة جديدة، وأخرى؟", ["قديمة", ".", "جديدة", "؟"]),
        ("`f(a, b)`, x", "`f(c, b)`. x", ["(a,", ",", "(c,", "."]),
    ],
    ids=["beside", "alone", "Arabic", "code"],
)
def test_punctuation_is_marked_only_if_it_changed(
    compared: Callable[..., Page], old: str, new: str, marked: list[str]
) -> None:
    page = compared(f"## What is a leaf?\n\n{old}\n", f"## What is a leaf?\n\n{new}\n")
    assert page.locator(".ptcards-changed").all_inner_texts() == marked


def test_an_option_that_is_no_longer_right_is_marked_and_says_so(compared: Callable[..., Page]) -> None:
    options = "## What is a leaf?\n\n- [{}] A tensor\n- [{}] A tree\n    - It is not one.\n- [ ] A hook\n"
    page = compared(options.format("x", "x"), options.format("x", " "))
    marked = page.locator(".ptcards-changed:visible").all_inner_texts()
    said = "A tree It is not one."
    assert [" ".join(each.split()) for each in marked] == [f"✓ right {said}", f"✗ wrong {said}"]
    is_as_dark = (
        "all => all.map(each => getComputedStyle(each).color === getComputedStyle(each.parentElement).color)"
    )
    assert page.locator(".ptcards-changed .comment:visible").evaluate_all(is_as_dark) == [True, True]


def test_a_formula_that_changed_is_marked_as_a_whole(compared: Callable[..., Page]) -> None:
    formulas = "## What is a leaf?\n\nA word, $y$ and $x^{}$.\n\n$$\nz = {}\n$$\n"
    page = compared(formulas.format(2, 1), formulas.format(3, 0))
    marked = page.locator(".ptcards-changed").evaluate_all(
        "all => all.map(each => [each.localName, each.textContent, getComputedStyle(each).backgroundColor])"
    )
    colour = "rgba(255, 213, 74, 0.5)"
    assert marked == [["math", text, colour] for text in ("x2", "z=1", "x3", "z=0")]


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_table_that_scrolls_shows_the_words_that_changed(
    compared: Callable[..., Page], language: str
) -> None:
    row = "| " + " | ".join(["a_rather_long_cell"] * 9) + " |"
    head = f"---\nlanguage: {language}\n---\n\n"
    table = f"{head}## What is a leaf?\n\n{row}\n|{'---|' * 9}\n{row.removesuffix(' |')}{{}} |\n"
    page = compared(table.format(""), table.format(", and more"), 900)
    direction = page.locator("figure table").first.evaluate("each => getComputedStyle(each).direction")
    assert direction == {"en": "ltr", "ar": "rtl"}[language]
    for _ in range(2):  # by day and at night
        before, now = page.locator("figure table").evaluate_all(
            "all => all.map(each => Math.abs(each.scrollLeft))"
        )
        assert (before > 100, abs(before - now) < 100) == (True, True)
        assert page.locator(".ptcards-changed").last.evaluate(
            """each => { const [word, box] = [each, each.closest("table")].map(one => one.getBoundingClientRect());
            return word.left >= box.left && word.right <= box.right; }"""
        )
        page.click("#night")


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_table_that_scrolls_to_what_changed_is_at_its_end_or_fades_there(
    compared: Callable[..., Page], language: str
) -> None:
    row = "| " + "a_rather_long_cell | " * 7
    head = f"---\nlanguage: {language}\n---\n\n## What is a leaf?\n\n"
    table = f"{head}{row}\n|{'---|' * 7}\n{row[:-42]}{{0}} a_rather_long_cell | a rather long {{0}} cell |\n"
    page = compared(table.format(""), table.format("more"))
    rests = set()
    for width in range(600, 1100, 20):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(page.url)
        rests |= set(
            page.locator("figure table").evaluate_all(
                "all => all.map(each => each.scrollWidth - each.clientWidth - Math.abs(each.scrollLeft))"
            )
        )
    assert len(rests) > 2
    assert not any(1 < rest < 48 for rest in rests)


def test_a_formula_that_scrolls_shows_the_sign_that_changed(compared: Callable[..., Page]) -> None:
    formula = "## What is a leaf?\n\n$$" + "x + " * 60 + "{} + y + y$$\n"
    page = compared(formula.format(2), formula.format(3), 900)
    seen = page.locator("figure mn").evaluate_all(
        """all => all.map(each => { const [sign, box] = [each, each.closest("math")].map(one => one.getBoundingClientRect());
        return [each.textContent, sign.left >= box.left && sign.right <= box.right]; })"""
    )
    assert seen == [["2", True], ["3", True]]


def test_a_table_that_scrolls_shows_all_that_changed_in_both_versions(compared: Callable[..., Page]) -> None:
    row = "| " + " | ".join(["a_rather_long_cell"] * 6) + " | {} | long_cell | {} |\n"
    table = f"## What is a leaf?\n\n{row.format('a', 'b')}|{'---|' * 9}\n{row}"
    page = compared(table.format("one", "two"), table.format("one now", "three"), 900)
    seen = page.locator("figure .ptcards-changed").evaluate_all(
        """all => all.map(each => { const [word, box] = [each, each.closest("table")].map(one => one.getBoundingClientRect());
        return [each.textContent, word.left >= box.left, word.right <= box.right]; })"""
    )
    assert seen == [[text, True, True] for text in ("two", "now", "three")]


def test_a_hostile_deck_runs_nothing(browser: Browser, tmp_path: Path) -> None:
    """Each attack is in every field of a note, which was another attack before."""
    notes = hostile_notes()
    types = note_types(HOSTILE.id, HOSTILE.name, HOSTILE.css, HOSTILE.report)
    sides = [(card, side) for card in range(3) for side in SIDES]
    places = {note.guid: (place, (place + 2) % len(notes), sides) for place, note in enumerate(notes)}
    listed = "".join(
        f'<details open data-note="{guid}"><summary><span></span></summary></details>' for guid in places
    )
    words = dict(interface("changes"))
    page = fill_with_cards(
        page_file("page.html"),
        style=page_file("page.css"),
        script=page_file("page.js"),
        data={
            **card_data(HOSTILE, types, notes, {}, tmp_path / "changes.html"),
            "changed": places,
            "words": {**labels_of("en"), **words},
        },
        parts={
            **words,
            "lang": "en",
            "title": "",
            "summary": "",
            "step": "",
            "left_out": "",
            "changes": listed,
        },
    )
    file = tmp_path / "changes.html"
    file.write_text(page, "utf-8")
    watched = watched_page(browser, file.as_uri())
    watched.page.goto(file.as_uri())
    assert watched.page.locator("figure").count() > 4 * len(xss.SCRIPTS)
    hints = watched.page.locator("figure a.hint:visible")
    for _ in range(min(20, hints.count())):
        hints.first.click()  # which hides it
    watched.page.wait_for_timeout(300)
    assert watched.page.evaluate("window.pwned ?? 0") == 0
    assert (watched.strays, watched.dialogs) == ([], [])
