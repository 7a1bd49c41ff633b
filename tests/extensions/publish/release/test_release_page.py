"""The pages of a release: `index.html` in Chromium, and `feed.xml` in a feed reader.

The workload that the page promises is compared with Anki's own simulator.
"""

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from statistics import fmean
from typing import Any

import feedparser
import pytest
from anki.scheduler_pb2 import SimulateFsrsReviewRequest

from anki_backend import learner
from browsing import browser, violations, watched_page
from card_pages import LOW_CONTRAST
from conftest import runner
from ptcards.extensions.publish.release.about_deck import NEW_A_DAY, workload
from releasing import Publisher, served

# After `browsing`, which skips this module if there is no browser.
from playwright.sync_api import Browser, Page, expect  # isort: skip

__all__ = ["browser"]

pytestmark = pytest.mark.browser
SETTINGS = """
description = "Questions, *each* with an answer.<script>alert(1)</script><img src=x onerror=alert(1)>"
language = "sv"
license = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"
[release]
addon = "https://example.org/addon"
"""
STEP = "What is a step \u2066x²\u2069?"
HOSTILE = "What is `</script><script>alert(1)</script><img src=http://example.com/x onerror=alert(1)>`?"


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    """Return the author of a deck that has nothing yet."""
    monkeypatch.chdir(tmp_path)
    return Publisher(tmp_path / "cards", runner(tmp_path))


def opened(browser: Browser, publisher: Publisher, **context: Any) -> Page:
    """Return the page of the last release."""
    page = watched_page(browser, publisher.dist.as_uri(), **context).page
    page.goto((publisher.dist / "index.html").as_uri())
    return page


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the third release of a deck."""
    folder = tmp_path_factory.mktemp("released")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        publisher = Publisher(folder / "cards", runner(folder))
        publisher.settings = SETTINGS
        write_three(publisher)
    return publisher.dist


def note(question: str, answer: str) -> str:
    return f"## {question}\n<!-- card: id={re.sub('[^a-z]', '', question.lower())[:20]} -->\n\n{answer}\n\n"


def write_three(publisher: Publisher) -> None:
    """Release 1.0, 1.1 and 1.2."""
    leaf, hook, step = (note(f"What is a {each}?", "One thing.") for each in ("leaf", "hook", "*step* $x^2$"))
    publisher.write(a=f"# Autograd\n\n{leaf}{hook}{step}").publish_release("1.0", "--first")
    edited = note("What is a leaf?", "A tensor that you made.")
    publisher.write(a=f"# Autograd\n\n{edited}{step}", b=f"# Optim\n\n{hook}").publish_release(
        "1.1", date=86_400
    )
    again = note("What is a leaf?", "A tensor that was created by you.")
    hostile = note(HOSTILE, "A question about text.")
    publisher.write(a=f"# Autograd\n\n{again}{hostile}", b=f"# Optim\n\n{hook}").publish_release(
        "1.2", date=2 * 86_400
    )


def shown(page: Page) -> tuple[str, list[str]]:
    """Return what the page says about the version in its address, and the lines of its list."""
    return page.locator("#told").inner_text(), page.locator("#since").inner_text().split("\n")


def test_the_page_says_what_changed_since_each_version(browser: Browser, dist: Path) -> None:
    watched = watched_page(browser, dist.as_uri(), viewport={"width": 390, "height": 800})
    page = watched.page
    file = (dist / "index.html").as_uri()
    page.goto(f"{file}#v=1.0")
    autograd, optim = "PyTorch::Autograd", "PyTorch::Optim"
    assert shown(page) == (
        "You have 1.0. Since then: 1 changed, 1 new, 1 moved, 1 retired.",
        [
            *("Changed", "What is a leaf?", autograd, "New", HOSTILE, autograd),
            *("Moved", "What is a hook?", optim, "Retired", STEP, autograd),
        ],
    )
    page.goto(f"{file}#v=1.1")
    assert shown(page) == (
        "You have 1.1. Since then: 1 changed, 1 new, 1 retired.",
        [
            "Changed",
            "What is a leaf?",
            autograd,
            "New",
            HOSTILE,
            autograd,
            "Retired",
            STEP,
            autograd,
        ],
    )
    for version, said in (
        ("1.2", "You have 1.2, the newest version."),
        ("0.9", "Version 0.9 is not in this list; the newest is 1.2."),
        ("%3Cb%3E", "Version <b> is not in this list; the newest is 1.2."),
        ("%", "Version % is not in this list; the newest is 1.2."),
    ):
        page.goto(f"{file}#v={version}")
        assert shown(page) == (said, [""])
    page.goto(f"{file}#else")
    assert shown(page) == ("", [""])
    assert (watched.strays, watched.dialogs, watched.complaints) == ([], [], [])


def test_the_page_says_what_the_deck_is_and_shows_cards_to_try(browser: Browser, dist: Path) -> None:
    watched = watched_page(browser, dist.as_uri())
    page = watched.page
    page.goto((dist / "index.html").as_uri())
    assert page.locator("#deck").inner_text().replace("\n\n", "\n").split("\n") == [
        "PyTorch",
        "Version 1.2 of 24 November 2025",
        *("3 questions", "2 topics", "Swedish", "CC BY 4.0"),
        f"Download for Anki {size_of(dist)}",
        "Study in the browser",
    ]
    assert page.locator("#about p").inner_text() == (
        "Questions, each with an answer.<script>alert(1)</script><img src=x onerror=alert(1)>"
    )
    assert page.locator("#license a").get_attribute("href") == "https://creativecommons.org/licenses/by/4.0/"
    topics = page.locator("#contents li").all_inner_texts()
    assert topics == ["Autograd\n2 questions · 1 new, 1 changed", "Optim\n1 question"]
    assert page.locator("#contents rect").evaluate_all(
        "all => all.map(each => each.getAttribute('width'))"
    ) == [
        "100%",
        "50%",
    ]
    questions = ["What is a leaf?", HOSTILE.replace("`", ""), "What is a hook?"]
    assert page.locator("#samples .heading").all_inner_texts() == questions
    first = page.locator("#samples article").first
    first.get_by_role("button").first.click()
    assert (first.locator(".answer").inner_text(), first.get_by_role("button").first.inner_text()) == (
        "A tensor that was created by you.",
        "Show the question",
    )
    first.get_by_role("button").first.click()
    assert first.locator(".answer").count() == 0
    for number in (2, 3, 1):
        page.locator("#samples .next:focus, #samples article:not([inert]) .next").first.click()
        shown = page.locator("#samples article:not([inert]) .heading").all_inner_texts()
        assert shown == [questions[number - 1]]
    assert (watched.strays, watched.dialogs, watched.complaints) == ([], [], [])


def size_of(dist: Path) -> str:
    return f"{round((dist / 'pytorch-1.2.apkg').stat().st_size / 1000)} kB"


def test_what_changed_is_shown_as_cards_before_and_after(browser: Browser, dist: Path) -> None:
    watched = watched_page(browser, dist.as_uri())
    page = watched.page
    page.goto((dist / "index.html").as_uri())
    lines = page.locator(
        "#changes > h3, #changes li > details > summary, #changes ul > li > span"
    ).all_inner_texts()
    assert lines == [
        *("New 1", HOSTILE.replace("`", "") + "\nAutograd"),
        *("Changed 1", "What is a leaf?\nAutograd · Answer"),
        *("Retired 1", STEP),
    ]
    figures = page.locator("#changes figure")
    shown = [
        (
            figure.locator("figcaption").inner_text(),
            figure.locator(".answer").inner_text(),
            figure.locator(".ptcards-changed").all_inner_texts(),
        )
        for figure in figures.all()
    ]
    assert shown == [
        ("Before", "A tensor that you made.", ["made"]),
        ("Now", "A tensor that was created by you.", ["was created by"]),
    ]
    marks = "each => each.map(one => getComputedStyle(one, '::before').content)"
    assert page.locator("#changes li summary").evaluate_all(marks) == ['"▸"', '"▾"']
    page.evaluate("document.documentElement.dir = 'rtl'")
    assert page.locator("#changes li summary").evaluate_all(marks) == ['"◂"', '"▾"']
    page.locator("#changes summary").first.click()
    expect(figures.first.locator(".answer")).to_have_text("A question about text.")
    assert (watched.strays, watched.dialogs, watched.complaints) == ([], [], [])


ALT = "pictures => pictures.map(each => each.alt + (each.getAttribute('src') ?? ''))"


def test_a_removed_picture_has_its_description_and_cards_that_changed_alike_are_shown_once(
    browser: Browser, publisher: Publisher
) -> None:
    picture = publisher.folder / "media" / "dot.svg"
    picture.parent.mkdir(parents=True)
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    cloze = "## Planets\n<!-- card: id=planets kind=cloze -->\n\n{{c1::Venus}} is hot{{c2::, Mars}}.\n\n"
    publisher.write(a=f"{cloze}{note('What is a dot?', '![a dot](media/dot.svg)')}").publish_release(
        "1.0", "--first"
    )
    picture.unlink()
    publisher.write(a=f"{cloze.replace(', Mars', ', Pluto')}{note('What is a dot?', 'Small.')}")
    publisher.publish_release("1.1", date=86_400)
    watched = watched_page(browser, publisher.dist.as_uri())
    watched.page.goto((publisher.dist / "index.html").as_uri())
    for summary in watched.page.locator("#changes details:not([open]) > summary").all():
        summary.click()
    expect(watched.page.locator("#changes figure")).to_have_count(4)
    said = watched.page.locator(".versions > p").all_inner_texts()
    assert said == ["and 1 more card that changed in the same way"]
    assert [
        (*figure.locator("figcaption, .answer").all_inner_texts(), *figure.locator("img").evaluate_all(ALT))
        for figure in watched.page.locator("#changes figure").all()
    ] == [
        ("Before", "Venus is hot, Mars."),
        ("Now", "Venus is hot, Pluto."),
        ("Before", "Earlier picture\na dot"),
        ("Now", "Small."),
    ]
    assert (watched.strays, watched.dialogs, watched.complaints) == ([], [], [])


def test_a_changed_picture_is_described_where_the_old_one_was_and_the_row_names_both_parts(
    browser: Browser, publisher: Publisher
) -> None:
    publisher.settings = 'language = "de"\n'
    picture = publisher.folder / "media" / "dot.svg"
    picture.parent.mkdir(parents=True)
    card = "## Was ist das?\n<!-- card: id=dot -->\n\n![ein Punkt](media/dot.svg)\n\n### Answer\n\n{}\n"
    for version, answer in (("1.0", "Klein."), ("1.1", "Rund.")):
        picture.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><!--{answer}--></svg>'
        )
        publisher.write(a=card.format(answer)).publish_release(version, *["--first"] * (version == "1.0"))
    page = opened(browser, publisher)
    assert page.locator("#changes summary small").all_inner_texts() == ["A · Frage, Antwort"]
    before, now = page.locator("#changes figure").all()
    assert (
        before.locator("img").count(),
        before.locator(".ptcards-described").inner_text(),
        before.locator(".ptcards-changed").all_inner_texts(),
        now.locator("img.ptcards-changed").evaluate_all(ALT)[0][:20],
    ) == (0, "Vorheriges Bild\nein Punkt", ["Vorheriges Bild\nein Punkt", "Klein"], "ein Punktdata:image/")


@pytest.mark.parametrize(
    ("drawn_notes", "samples"), [("abc", "abc"), ("a", "dae"), ("", "de")], ids=["enough", "one", "none"]
)
def test_a_card_to_try_has_drawn_formulas_if_another_card_can_be_had(
    browser: Browser, publisher: Publisher, drawn_notes: str, samples: str
) -> None:
    drawn = [note(f"What is {name}?", f"It is $x$, {name}.") for name in drawn_notes]
    unknown = note("What is d?", r"It is $\ce{A\bond{~}B}$.")
    publisher.write(
        a=unknown + "".join(drawn), b=unknown.replace("isd", "ise").replace("d?", "e?")
    ).publish_release("1.0", "--first")
    page = opened(browser, publisher)
    questions = [f"What is {name}?" for name in samples]
    assert page.locator("#samples .heading").all_inner_texts() == questions


def test_cards_to_try_begin_with_a_plain_question_and_leave_out_lists(
    browser: Browser, publisher: Publisher
) -> None:
    steps = "## How?\n<!-- card: id=how kind=sequence -->\n\n1. One thing.\n2. Two things.\n3. Three.\n\n"
    gap = "## Planets\n<!-- card: id=gap kind=cloze -->\n\nIt is {{c1::Venus}}, and it is hot there.\n\n"
    choice = note("Which?", "- [x] A leaf\n- [ ] A tree\n\nIt is one.")
    formula = note("What is a norm?", "It is $x^2$, with a root.")
    plain = [note(f"What is a {each}?", "One thing, and a few more words.") for each in ("leaf", "tree")]
    term = note("Leaf", "It is one thing, with more words.")
    publisher.write(a="".join([steps, gap, term, choice, formula, *plain])).publish_release("1.0", "--first")
    page = opened(browser, publisher)
    assert page.locator("#samples .heading").all_inner_texts() == [
        "What is a leaf?",
        "Which?",
        "What is a norm?",
    ]


ARROW = """arrow => {
  const [here, text] = [arrow, arrow.parentElement.lastElementChild].map(each => each.getBoundingClientRect());
  return [here.left <= text.left, here.right >= text.right, here.width - text.width < 20, text.bottom <= here.bottom];
}"""
INSIDE = """card => [...card.shadowRoot.querySelectorAll("math")].map(each =>
  each.getBoundingClientRect().right <= card.getBoundingClientRect().right - 15)"""


def test_an_arrow_is_as_long_as_its_text_and_a_long_formula_stays_inside_the_card(
    browser: Browser, publisher: Publisher
) -> None:
    long = " + ".join(["C6H12O6"] * 9)
    answer = rf"It is $\ce{{H2O ->T[electrolysis] H2}}$, $\ce{{A <=>[long words][b] B}}$ or $\ce{{{long}}}$."
    publisher.write(a=note("What is it?", answer)).publish_release("1.0", "--first")
    page = opened(browser, publisher, viewport={"width": 390, "height": 800})
    page.locator("#samples button").first.click()
    arrows = [each.evaluate(ARROW) for each in page.locator("#samples .ptcards-arrow").all()]
    assert arrows == [[True] * 4] * 2
    assert page.locator("#samples .shown").evaluate(INSIDE) == [True, True, True]


def test_the_row_of_a_cloze_has_its_first_paragraph_which_is_its_question(
    browser: Browser, publisher: Publisher
) -> None:
    cloze = "## {{{{c1::Ammonia}}}} {} a base.\n<!-- card: id=base kind=cloze -->\n\nIt is in cleaners.\n"
    publisher.write(a=cloze.format("is")).publish_release("1.0", "--first")
    publisher.write(a=cloze.format("is only")).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    assert page.locator("#changes summary").all_inner_texts() == ["Ammonia is only a base.\nA · Question"]


def test_the_page_does_not_move_while_cards_are_tried_and_each_begins_with_its_question(
    browser: Browser, publisher: Publisher
) -> None:
    lengths = {"a": "It is short.", "b": "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n\nSix.", "c": "Ok."}
    publisher.write(**{each: note(f"What is {each}?", text) for each, text in lengths.items()})
    publisher.publish_release("1.0", "--first")
    for width in (390, 1000):
        page = opened(browser, publisher, viewport={"width": width, "height": 800})
        place = "each => Math.round(each.getBoundingClientRect().y + scrollY)"
        places = {page.locator("#contents").evaluate(place)}
        for _ in range(4):
            turn, following = page.locator("#samples article:not([inert]) button").all()
            assert turn.inner_text() == "Show answer"
            turn.press("Enter")
            places.add(page.locator("#contents").evaluate(place))
            following.press("Enter")
            places.add(page.locator("#contents").evaluate(place))
        focused = page.locator("#samples .next:focus-visible")
        assert focused.evaluate("each => getComputedStyle(each).outlineOffset") == "-3px"
        assert len(places) == 1


BELOW = """topics => topics.map(each =>
  each.firstElementChild.getBoundingClientRect().bottom <= each.children[1].getBoundingClientRect().top + 1)"""


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_the_numbers_of_all_topics_are_below_their_names(browser: Browser, dist: Path, width: int) -> None:
    page = watched_page(browser, dist.as_uri(), viewport={"width": width, "height": 800}).page
    page.goto((dist / "index.html").as_uri())
    assert page.locator("#contents li").evaluate_all(BELOW) == [True, True]


def test_what_happens_to_removed_cards_is_said_and_a_first_version_has_no_list_of_changes(
    browser: Browser, dist: Path, publisher: Publisher
) -> None:
    page = watched_page(browser, dist.as_uri()).page
    page.goto((dist / "index.html").as_uri())
    said = page.locator("#changes > h3 + p").all_inner_texts()
    stay = "Your cards of these stay in Anki without updates; the add-on suspends, keeps or deletes them, "
    assert said == [f"{stay}as you choose."]
    assert page.locator("#versions a").is_visible()
    publisher.settings = '[release]\nissues = "https://example.org/mistakes"\n'
    publisher.write(a=note("What is a leaf?", "One thing.")).publish_release("1.0", "--first")
    page.goto((publisher.dist / "index.html").as_uri())
    assert page.locator("#versions a").is_hidden()
    report = page.locator("#facts a")
    assert (report.inner_text(), report.get_attribute("href")) == (
        "Report a mistake",
        "https://example.org/mistakes",
    )


def test_a_topic_leads_to_its_cards_on_the_study_page(browser: Browser, dist: Path) -> None:
    watched = watched_page(browser, dist.as_uri())
    page = watched.page
    page.goto((dist / "index.html").as_uri())
    page.click("#contents a >> text=Optim")
    assert page.inner_text("#topics [aria-pressed=true] > :first-child") == "Optim"
    assert page.locator(".heading").all_inner_texts() == ["What is a hook?"]
    assert (page.inner_text("#notice"), watched.complaints) == ("", [])


def test_a_page_in_german_says_of_a_change_what_it_can_say_in_german(
    browser: Browser, publisher: Publisher
) -> None:
    publisher.settings = 'language = "de"\n'
    cloze = "## Planeten\n<!-- card: id=planets kind=cloze -->\n\n{{c1::Venus}} ist heiß, Mars kalt.\n"
    publisher.write(a=cloze).publish_release("1.0", "--first")
    more = cloze.replace("Mars", "{{c2::Mars}}").replace("Planeten", "Die Planeten")
    publisher.write(a=more).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    assert page.locator("#changes summary small").all_inner_texts() == ["A · Frage, Antwort"]


def test_a_long_card_is_shown_as_a_whole_with_its_change(browser: Browser, publisher: Publisher) -> None:
    long = "\n\n".join(f"Sentence {number} stays." for number in range(40))
    publisher.write(a=note("What is long?", f"{long}\n\nThe old end.")).publish_release("1.0", "--first")
    publisher.write(a=note("What is long?", f"{long}\n\nThe new end.")).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    changes = page.locator("#changes .ptcards-changed")
    assert changes.all_inner_texts() == ["old", "new"]
    page.locator("#samples button").first.click()
    hidden = "cards => cards.map(card => card.scrollHeight - card.clientHeight)"
    assert page.locator(".shown").evaluate_all(hidden) == [0, 0, 0]


def test_of_a_sequence_only_cards_that_show_the_changed_step_are_shown(
    browser: Browser, publisher: Publisher
) -> None:
    steps = "## How?\n<!-- card: id=how kind=sequence -->\n\n1. One.\n2. Two.\n3. Three{}.\n4. Four.\n"
    publisher.write(a=steps.format("")).publish_release("1.0", "--first")
    publisher.write(a=steps.format(" now")).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    expect(page.locator("#changes figure")).to_have_count(2)
    assert page.locator("#changes .ptcards-changed").all_inner_texts() == ["now"]


PLACES = """figures => figures.map(each => [
  each.firstChild.textContent, Math.round(each.getBoundingClientRect().x - each.parentElement.getBoundingClientRect().x)])"""


def test_of_a_set_with_a_new_item_one_pair_is_shown_and_the_new_card_is_below_now(
    browser: Browser, publisher: Publisher
) -> None:
    bases = "## Which bases?\n<!-- card: id=bases kind=set -->\n\n- Adenine\n- Thymine\n- Guanine\n"
    publisher.write(a=bases).publish_release("1.0", "--first")
    publisher.write(a=f"{bases}- Cytosine\n").publish_release("1.1", date=86_400)
    page = opened(browser, publisher, viewport={"width": 1000, "height": 800})
    expect(page.locator("#changes figure")).to_have_count(3)
    assert page.locator("#changes figure").evaluate_all(PLACES) == [["Before", 0], ["Now", 496], ["Now", 496]]
    assert page.locator(".versions > :nth-child(3)").inner_text() == (
        "and 2 more cards that changed in the same way"
    )


def test_a_moved_box_is_marked_and_shown_once(browser: Browser, publisher: Publisher) -> None:
    publisher.folder.mkdir(parents=True, exist_ok=True)
    (publisher.folder / "a.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>'
    )
    parts = "## What is it?\n<!-- card: id=it kind=occlusion -->\n\n![A](a.svg)\n\n- {}% 1% 9% 9%: a\n- 50% 50% 9% 9%: b\n"
    publisher.write(a=parts.format(10)).publish_release("1.0", "--first")
    publisher.write(a=parts.format(20)).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    lefts = "boxes => boxes.map(box => box.style.left)"
    assert page.locator("#changes button.ptcards-changed").evaluate_all(lefts) == ["10%", "20%"]
    assert page.locator("#changes figure").count() == 2


def test_the_rows_of_tables_are_compared_cell_by_cell(browser: Browser, publisher: Publisher) -> None:
    rows = [
        "| Indicator | Acid | Base |",
        "|---|---|---|",
        "| Litmus | red | {} blue |",
        "{}| Phenol | none | pink |",
    ]
    for version, word, new in (
        ("1.0", "dark", ""),
        ("1.1", "light", "| Thymol blue | yellow | light blue |\n"),
    ):
        publisher.write(a=note("How?", "\n".join(rows).format(word, new)))
        publisher.publish_release(version, *["--first"] * (version == "1.0"))
    page = opened(browser, publisher)
    marked = page.locator("#changes .ptcards-changed").all_inner_texts()
    assert marked == ["dark", "light", "Thymol blue", "yellow", "light blue"]


def test_of_many_changes_the_first_are_listed_and_fifty_are_shown_as_cards(
    browser: Browser, publisher: Publisher
) -> None:
    """Changed notes come before new ones, if there are more than fifty."""

    def numbered(names: str, answer: str) -> str:
        return "".join(note(f"What is {each}{other}?", answer) for each in names for other in "abcdefgh")

    publisher.write(a=numbered("abc", "One.")).publish_release("1.0", "--first")
    publisher.write(a=numbered("abc", "Two.") + numbered("defg", "New.")).publish_release("1.1", date=86_400)
    page = opened(browser, publisher)
    assert page.locator("#changes h3").all_inner_texts() == ["New 32", "Changed 24"]
    assert page.locator("#changes > ul > li").count() == 8 + 8
    assert page.locator("#changes > details > summary").all_inner_texts() == ["24 more", "16 more"]
    kinds = "lists => lists.map(list => list.querySelectorAll('[data-note]').length)"
    assert page.locator("#changes ul").evaluate_all(kinds) == [8, 18, 8, 16]


def test_the_versions_are_listed(browser: Browser, dist: Path) -> None:
    page = watched_page(browser, dist.as_uri(), java_script_enabled=False).page
    page.goto((dist / "index.html").as_uri())
    assert page.locator("#versions > p").all_inner_texts() == [
        "1.2 · 24 November 2025 · 1 changed, 1 new, 1 retired",
        "1.1 · 23 November 2025 · 1 changed, 1 moved",
        "1.0 · 22 November 2025 · 3 new",
        "The newest changes as text, with searches for moved and removed cards",
    ]


def test_without_a_script_the_page_still_has_the_downloads(browser: Browser, dist: Path) -> None:
    page = watched_page(browser, dist.as_uri(), java_script_enabled=False).page
    page.goto((dist / "index.html").as_uri() + "#v=1.0")
    links = {each.inner_text(): each.get_attribute("href") for each in page.locator("main a").all()}
    assert links == {
        f"Download for Anki {size_of(dist)}": "pytorch-1.2.apkg",
        "Study in the browser": "study.html",
        "Autograd": "study.html#PyTorch%3A%3AAutograd",
        "Optim": "study.html#PyTorch%3A%3AOptim",
        "the add-on Subscribe": "https://example.org/addon",
        "Atom feed": "feed.xml",
        "The newest changes as text, with searches for moved and removed cards": "notes.md",
    }
    ours = [name for name in links.values() if not str(name).startswith("https:")]
    assert [name for name in ours if not (dist / str(name).partition("#")[0]).is_file()] == []
    assert page.locator("h2:visible, h3:visible").all_inner_texts() == [
        "What is in it",
        *("New in version 1.2", "New 1", "Changed 1", "Retired 1"),
        *("How to use it", "Import it into Anki", "Follow it in Anki"),
        "Versions",
    ]
    assert page.locator("#facts li").all_inner_texts() == [
        *("3 questions", "2 topics", "sv"),
        "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/",
    ]
    assert page.locator("noscript p").inner_text().startswith("Without JavaScript, ")


NAME_OF_A_FILE = re.compile(r"\b[\w-]+\.(?:ankiaddon|apkg|atom|html|json|md|toml|xml)\b")


def test_no_sentence_names_a_file_without_a_link(browser: Browser, dist: Path) -> None:
    """Learners cannot do what a page asks of them if it only names a file."""
    assert NAME_OF_A_FILE.findall("Install ptcards_subscribe.ankiaddon") == ["ptcards_subscribe.ankiaddon"]
    page = watched_page(browser, dist.as_uri()).page
    for name in ("index.html", "study.html"):
        page.goto((dist / name).as_uri())
        page.evaluate("for (const link of document.querySelectorAll('a[href]')) link.remove()")
        assert NAME_OF_A_FILE.findall(page.inner_text("body")) == []
        words = json.dumps(json.loads(page.inner_text("#data"))["words"])
        assert NAME_OF_A_FILE.findall(words) == []


def test_the_add_on_is_only_offered_where_the_author_says_it_is(
    browser: Browser, dist: Path, publisher: Publisher
) -> None:
    page = watched_page(browser, dist.as_uri()).page
    page.goto((dist / "index.html").as_uri())
    steps = "Choose Tools › Subscribe › Add a Deck…, and paste the address of this page."
    assert (
        page.locator("#follow")
        .inner_text()
        .startswith(
            f"On a computer, install the add-on Subscribe once; it needs Anki 25.07 or later. An add-on can do anything on your computer: install it only if you trust the place from which it comes. {steps}"
        )
    )
    publisher.write(a=note("What is a leaf?", "One thing.")).publish_release("1.0", "--first")
    page = opened(browser, publisher)
    assert (
        page.locator("#follow")
        .inner_text()
        .startswith(f"Do you have the add-on Subscribe in Anki on a computer? {steps}")
    )


@pytest.mark.parametrize(
    ("language", "root", "said"),
    [
        (
            "de-AT",
            ["de", "ltr"],
            ["Version 1.0 vom 22. November 2025", "Österreichisches Deutsch", "1 Frage", "Versionen"],
        ),
        ("ar", ["ar", "rtl"], ["الإصدار 1.0 بتاريخ 22 نوفمبر 2025", "العربية", "الأسئلة: 1", "الإصدارات"]),
        ("sv", ["en", "ltr"], ["Version 1.0 of 22 November 2025", "Swedish", "1 question", "Versions"]),
        ("he", ["en", "ltr"], ["Version 1.0 of 22 November 2025", "Hebrew", "1 question", "Versions"]),
    ],
)
def test_the_page_speaks_the_language_of_the_deck_if_it_has_its_words(
    browser: Browser,
    publisher: Publisher,
    language: str,
    root: list[str],
    said: list[str],
) -> None:
    publisher.settings = f'language = "{language}"\n'
    publisher.write(a=note("What is a leaf?", "One thing.")).publish_release("1.0", "--first")
    watched = watched_page(browser, publisher.dist.as_uri(), bypass_csp=True)
    page = watched.page
    page.goto((publisher.dist / "index.html").as_uri())
    assert [page.locator("html").get_attribute(name) for name in ("lang", "dir")] == root
    shown = ("#version", "#language", "#facts li:first-child", "#versions h2")
    assert [page.inner_text(each) for each in shown] == said
    assert (publisher.feed["language"], page.locator("h1").get_attribute("lang")) == (language, language)
    assert (violations(page), watched.complaints) == ([], [])


@pytest.mark.parametrize("cards", [100, 150, 200, 300, 415, 820, 1500, 3000, 8000])
def test_the_workload_is_within_10_percent_of_ankis_simulator(cards: int, tmp_path: Path) -> None:
    days, reviews = workload(cards)
    request = SimulateFsrsReviewRequest(
        desired_retention=0.9,
        deck_size=cards,
        days_to_simulate=days,
        new_limit=NEW_A_DAY,
        review_limit=9999,
        max_interval=36_500,
        historical_retention=0.9,
        learning_step_count=2,
        relearning_step_count=1,
    )
    with learner(tmp_path) as collection:
        simulated = collection._backend.simulate_fsrs_review(request)
    assert sum(simulated.daily_new_count) == cards
    assert reviews == pytest.approx(fmean(simulated.daily_review_count), rel=0.1)


def test_a_few_cards_take_some_days_and_no_average() -> None:
    assert [workload(cards) for cards in (0, 1, 20, 21, 80, 81)] == [
        (0, 0),
        (1, 0),
        (1, 0),
        (2, 0),
        (4, 0),
        (5, 16),
    ]


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (390, "light"), (1100, "light")])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_page(
    browser: Browser, dist: Path, width: int, scheme: Any
) -> None:
    watched = watched_page(
        browser, dist.as_uri(), viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    page = watched.page
    page.goto((dist / "index.html").as_uri() + "#v=1.0")
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])
    assert page.evaluate("document.documentElement.scrollWidth") == width
    is_night = "document.documentElement.hasAttribute('data-night')"
    assert page.evaluate(is_night) == (scheme == "dark")
    page.click("#night")
    assert page.evaluate(is_night) == (scheme != "dark")
    assert (violations(page), page.evaluate(LOW_CONTRAST)) == ([], [])


def test_a_released_study_page_offers_the_package_and_opens_without_a_network(
    browser: Browser, dist: Path, tmp_path: Path
) -> None:
    """The network comes first; what was kept is used only without an answer. Progress stays."""
    folder = tmp_path / "site"
    shutil.copytree(dist, folder)
    assert (folder / "sw.js").stat().st_size <= 2000
    with served(folder) as address:
        watched = watched_page(browser, address)
        page = watched.page
        page.goto(f"{address}study.html")
        assert page.get_attribute("#package", "href") == "pytorch-1.2.apkg"
        page.evaluate("navigator.serviceWorker.ready")
        page.click("#start")
        for key in (" ", "3"):
            page.keyboard.press(key)
        manifest = page.evaluate(
            "fetch(document.querySelector('link[rel=manifest]').href).catch(() => 'refused')"
        )
        assert (manifest, page.evaluate("document.querySelector('link[rel=manifest]').href")) == (
            "refused",  # a script of the page cannot fetch; the browser itself reads it
            f"{address}site.webmanifest",
        )
        text = (folder / "study.html").read_text("utf-8")
        (folder / "study.html").write_text(text.replace("</body>", '<p id="newer"></p></body>'), "utf-8")
        page.reload()
        newer = page.locator("#newer").count()
        (folder / "study.html").unlink()
        answer = page.goto(f"{address}study.html")
        assert answer is not None
        assert (newer, answer.status) == (1, 404)
    page.goto("about:blank")
    page.goto(f"{address}study.html")
    assert page.inner_text("#status") == "0 due · 2 new left today · 1 of 3 cards started"
    assert page.locator("#newer").count() == 1
    page.context.close()
    found = json.loads((dist / "site.webmanifest").read_text("utf-8"))
    icon = found.pop("icons")
    assert found == {
        "name": "PyTorch",
        "short_name": "PyTorch",
        "start_url": "study.html",
        "scope": "./",
        "display": "standalone",
        "background_color": "#f6f8fa",
    }
    assert [each["src"].partition(",")[0] for each in icon] == ["data:image/svg+xml"]


def test_a_feed_reader_reads_the_versions(dist: Path) -> None:
    with served(dist) as address:
        feed = feedparser.parse(f"{address}feed.xml")
    assert (feed.bozo, feed.version, feed.feed.title) == (False, "atom10", "PyTorch")
    assert feed.feed.updated == "2025-11-24T08:00:00Z"
    assert [(each.title, each.updated, each.content[0].value) for each in feed.entries] == [
        ("PyTorch 1.2", "2025-11-24T08:00:00Z", "1 changed, 1 new, 1 retired"),
        ("PyTorch 1.1", "2025-11-23T08:00:00Z", "1 changed, 1 moved"),
        ("PyTorch 1.0", "2025-11-22T08:00:00Z", "3 new"),
    ]
    assert len({feed.feed.id, *(each.id for each in feed.entries)}) == 4


def test_a_feed_keeps_the_rules_of_atom_and_the_ids_of_its_entries(dist: Path) -> None:
    """RFC 4287, 4.1.1 and 4.1.2: what a feed and an entry must have once, and their order does not matter."""
    atom = "{http://www.w3.org/2005/Atom}"
    root = ET.parse(dist / "feed.xml").getroot()
    assert root.tag == f"{atom}feed"
    for element, authors in ((root, 1), *((entry, 0) for entry in root.iter(f"{atom}entry"))):
        names = [child.tag.removeprefix(atom) for child in element]
        assert [names.count(name) for name in ("id", "title", "updated", "author")] == [1, 1, 1, authors]
        stamp = element.findtext(f"{atom}updated") or ""
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stamp)
        assert (element.findtext(f"{atom}id") or "").startswith("urn:uuid:")
    assert [entry.findtext(f"{atom}id") for entry in root.iter(f"{atom}entry")] == [
        "urn:uuid:2c5465f4-a3c2-547d-aeb1-558672d51f2a",
        "urn:uuid:065d1220-1277-53c7-8f68-e5f1bfab8acb",
        "urn:uuid:7ba75eea-6ee7-56f7-8faa-bcc129029331",
    ]
