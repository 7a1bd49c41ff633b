"""The site of docs/ is built strictly, and its pages fit on a phone."""

import io
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal
from urllib.parse import unquote

import pytest

pytest.importorskip("zensical", reason="the site needs the `docs` extra")

from playwright.sync_api import Browser, Locator, Route, expect

from browsing import browser, until, violations, wait_until
from ptcards import __version__
from releasing import served

__all__ = ["browser"]

pytestmark = [pytest.mark.slow, pytest.mark.browser]

ROOT = Path(__file__).parent.parent
SCHEMES: Mapping[Literal["light", "dark"], str] = MappingProxyType({"light": "default", "dark": "slate"})
"""What the theme calls the colours that a reader prefers."""
REPRESENTATIVE = ("index", "cheat-sheet", "checking", "rules", "rules/answers")
"""The first page, and pages with tables, pictures, code, alerts and a long menu."""
GUIDES: Mapping[str, str] = MappingProxyType(
    {
        "reworded question": "same-note.html#a-reworded-question-or-another-answer",
        "install": "install.html",
        "cloze": "format.html#cloze-cards",
        "update": "publishing.html#an-update",
        "image": "markdown.html#images-audio-and-videos",
        "subdeck": "format.html#decks-and-subdecks",
        "math": "markdown.html#math-and-formulas",
        "changelog": "changelog.html",
        "release": "publishing.html#release-your-deck",
        "commit deck.lock": "deck-lock.html#how-git-protects-the-lock",
        "typed answer": "format.html#typed-answers",
        "--strict": "findings.html#what-the-exit-status-says",
        "tag": "how-to.html#tags-mark-what-a-card-is-about",
        "deck": "format.html#decks-and-subdecks",
        "licence": "settings.html#the-collection-and-its-licence",
        "missing-id": "rules/identity.html#rule-missing-id",
        "keyboard shortcuts": "serve.html#keyboard-shortcuts",
        "exit code": "commands.html#exit-status",
        "audio": "markdown.html#images-audio-and-videos",
        "resize": "markdown.html#the-size-of-a-picture",
        "iphone": "install.html#before-you-decide",
        "answer-words": "rules/answers.html#rule-answer-words",
        "unknown-tag": "rules/blocks.html#rule-unknown-tag",
        "duplicate cards": "how-to.html#find-duplicates-cards-that-ask-the-same-thing",
        "duplicates": "how-to.html#find-duplicates-cards-that-ask-the-same-thing",
        "delete a card": "how-to.html#delete-or-remove-a-card-or-note",
        "remove a note": "how-to.html#delete-or-remove-a-card-or-note",
        "undo": "how-to.html#undo-a-change",
        "picture size": "markdown.html#the-size-of-a-picture",
        "image size": "markdown.html#the-size-of-a-picture",
        "rename a deck": "renaming.html#rename-a-deck",
        "import": "how-to.html#import-a-deck-that-exists",
        "export": "how-to.html#export-cards",
        "sync": "how-to.html#sync-with-your-own-anki",
        "pdf": "how-to.html#print-a-deck-or-save-it-as-pdf",
        "dark mode": "how-to.html#use-dark-mode",
        "font": "how-to.html#change-the-font-the-colours-or-the-size-of-the-text",
        "language": "how-to.html#languages-other-than-english",
        "ignore a warning": "how-to.html#ignore-a-warning",
        "error": "how-to.html#warnings-and-errors-what-they-mean",
        "latex": "markdown.html#math-and-formulas",
        "subscribe": "how-to.html#subscribe-to-a-deck-in-anki",
        "chemistry": "how-to.html#write-chemistry-and-other-formulas",
        "share with students": "how-to.html#share-cards-with-students-a-class-or-friends",
        "study without anki": "how-to.html#study-without-anki",
        "add a picture": "how-to.html#add-a-picture-or-a-sound",
        "order of new cards": "how-to.html#choose-the-order-of-new-cards",
        "github pages": "github.html#publishing-on-github-pages",
        "windows": "install.html#windows-macos-and-linux",
        "uninstall": "install.html#upgrade-and-remove",
        "tag-elsewhere": "rules/releases.html#rule-tag-elsewhere",
    }
)
"""What the search finds first: a guide for words that rules have too, and a rule for its name."""
AT_REST = """() => new Promise(requestAnimationFrame).then(
    () => Promise.allSettled(document.getAnimations().filter(each => each.effect.getComputedTiming().endTime < Infinity)
        .map(each => each.finished)))"""
"""Waits for what slides or fades."""
OUTSIDE = """shown => shown.map(each => [each, each.getBoundingClientRect()])
    .filter(([each, box]) => box.width && (box.left < 0 || box.right > innerWidth || box.width < innerWidth / 2))
    .map(([each]) => each.getAttribute("src") ?? each.innerText)"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what the site is built from; return the folder."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "site"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "zensical.toml", folder)
    return folder


@pytest.fixture(scope="module")
def site(sources: Path) -> Path:
    """Build the site; return its folder."""
    status, printed = build_site(sources)
    assert (status, "No issues found" in printed) == (0, True), printed
    return sources / "build" / "site"


def build_site(folder: Path) -> tuple[int, str]:
    """Build the site from a folder like `make site`; return the exit status and all output."""
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def test_every_page_is_built(site: Path) -> None:
    docs = ROOT / "docs"
    pages = {page.relative_to(docs).with_suffix(".html") for page in docs.rglob("*.md")}
    assert {page.relative_to(site) for page in site.rglob("*.html")} == {*pages, Path("404.html")}


def test_each_page_has_its_own_title_and_description(site: Path) -> None:
    texts = [page.read_text("utf-8") for page in site.rglob("*.html") if page.name != "404.html"]
    found = [
        re.findall(r'<title>(.*?)</title>|<meta name="description" content="(.*?)"', text) for text in texts
    ]
    assert [len(each) for each in found] == [2] * len(texts)
    descriptions = {description for each in found for _, description in each if description}
    titles = {title for each in found for title, _ in each if title}
    assert (len(descriptions), len(titles)) == (len(texts), len(texts))
    assert {"Flashcards in Markdown for Anki - ptcards", "Rules about note types - ptcards"} <= titles


def test_every_link_of_a_page_leads_to_a_file_of_the_site(site: Path) -> None:
    """The build only looks at links to pages."""
    dead = []
    for page in sorted(site.rglob("*.html")):
        tags = "".join(re.findall(r"<[a-z][^<>]*>", page.read_text("utf-8")))
        for link in re.findall(r'\s(?:href|src|srcset)="(?!#|[a-z]+:|//)([^"#?]+)', tags):
            file = (page.parent / unquote(link)).resolve()
            if not (file.is_relative_to(site.resolve()) and file.is_file()):
                dead.append((page.relative_to(site).as_posix(), link))
    assert dead == []


def test_pictures_and_tables_fit_on_a_phone_by_day_and_at_night(site: Path, browser: Browser) -> None:
    found = {}
    for scheme in SCHEMES:
        page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
        for name in ("cheat-sheet", "compared", "markdown", "push"):
            page.goto((site / f"{name}.html").as_uri())
            page.wait_for_selector(f"body[data-md-color-scheme={SCHEMES[scheme]}]")
            found[scheme, name] = page.locator(
                ".md-content :is(.terminal, :not(.terminal) > img, table)"
            ).evaluate_all(OUTSIDE)
            shown = page.locator('.md-content img[src*="cheat-"]:visible')
            sources = shown.evaluate_all("all => all.map(each => each.getAttribute('src'))")
            assert {".dark.webp" in source for source in sources} <= {scheme == "dark"}
    assert {key: wrong for key, wrong in found.items() if wrong} == {}


def test_axe_finds_nothing(site: Path, request: pytest.FixtureRequest, browser: Browser) -> None:
    """On a few pages, at night only their contrast; with `--every-page`, everything on all pages."""
    every_page = request.config.getoption("--every-page")
    built = sorted(page.relative_to(site).with_suffix("").as_posix() for page in site.rglob("*.html"))
    names = built if every_page else REPRESENTATIVE
    found = {}
    with served(site) as address:
        for scheme in SCHEMES:
            page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
            options = {} if scheme == "light" or every_page else {"runOnly": ["color-contrast"]}
            for name in names:
                page.goto(f"{address}{name}.html")
                found[scheme, name] = violations(page, **options)
    assert {key: wrong for key, wrong in found.items() if wrong} == {}


def test_code_can_be_copied_and_colours_switched(site: Path, browser: Browser) -> None:
    with served(site) as address:
        page = browser.new_page(color_scheme="dark")
        page.goto(f"{address}index.html")
        page.wait_for_selector(".md-code__nav button")
        scheme = page.locator("body").get_attribute("data-md-color-scheme")
        page.get_by_title("Switch to the light colours").click()
        after = page.locator("body").get_attribute("data-md-color-scheme")
        copies = page.locator(".md-code__nav[role=none] button").count()
    assert (scheme, after, copies) == ("slate", "default", 2)


@pytest.mark.parametrize(("scheme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 20, 20)")])
def test_the_search_is_opaque_and_its_letters_are_not_squeezed(
    site: Path, scheme: Literal["light", "dark"], paper: str, browser: Browser
) -> None:
    with served(site) as address:
        page = browser.new_page(color_scheme=scheme)
        page.goto(f"{address}index.html", wait_until="networkidle")
        page.keyboard.press("/")
        box = page.get_by_role("combobox")
        expect(box).to_be_focused(timeout=30_000)
        box.fill("formula")
        results = page.get_by_text(re.compile(r"^\d+ results$"))
        expect(results).to_have_css("letter-spacing", "normal", timeout=30_000)
        expect(page.locator("dialog > div", has=box)).to_have_css("background-color", paper)


def test_the_search_finds_a_guide_before_the_rules_and_a_rule_by_its_name(
    site: Path, browser: Browser
) -> None:
    with served(site) as home:
        page = browser.new_page()
        page.goto(f"{home}index.html", wait_until="networkidle")
        page.keyboard.press("/")
        box = page.get_by_role("combobox")
        expect(box).to_be_focused(timeout=30_000)
        first = page.get_by_role("listbox", name="Search results").get_by_role("option").first
        for word, guide in GUIDES.items():
            box.fill(word)
            name, mark, part = guide.partition("#")
            address = re.compile(re.escape(f"/{name}?h={word.replace(' ', '+')}{mark}{part}") + "$")
            expect(first).to_have_attribute("href", address, timeout=30_000)


def test_the_menu_shows_the_topics_of_the_rules_on_their_pages_further_to_the_right(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    left = {}
    for name in ("settings", "rules/links"):
        page.goto((site / f"{name}.html").as_uri())
        entries = page.locator(".md-nav--primary .md-nav__link").filter(visible=True)
        left[name] = dict(
            entries.evaluate_all("all => all.map(each => [each.innerText, each.getBoundingClientRect().x])")
        )
    rules = left["rules/links"]
    assert "Additions" not in left["settings"]
    assert rules["Commands"] == rules["All rules"] < rules["Additions"] == rules["Unclosed marks"]


def test_the_rules_can_be_filtered_with_the_keyboard(site: Path, browser: Browser) -> None:
    with served(site) as home:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{home}rules.html")
        field, rows = page.get_by_label("Filter the rules"), page.locator(".filtered tbody tr:visible")
        headings, entries = (
            page.locator(each) for each in (".filtered h2:visible", ".md-nav--secondary li:visible")
        )
        count = page.get_by_role("search").get_by_role("status")
        before, topics = rows.count(), entries.count()
        expect(count).to_have_text(f"{before} rules")
        field.focus()
        page.keyboard.type("Footnote heading")
        expect(count).to_have_text(f"1 of {before} rules")
        expect(rows).to_have_text([re.compile("footnote-in-heading")])
        expect(headings).to_have_text([re.compile("About links")])
        expect(entries).to_have_text([re.compile("About links"), re.compile("Limits")])
        field.fill("Footnote nowhere")
        expect(count).to_have_text(re.compile("^No rule has all these words"))
        expect(page).to_have_url(f"{home}rules.html?q=Footnote+nowhere")
        field.fill("")
        expect(page).to_have_url(f"{home}rules.html")
        assert (rows.count(), entries.count()) == (before, topics)


def test_the_filter_of_the_rules_reads_the_address_the_topics_and_what_can_be_fixed(
    site: Path, browser: Browser
) -> None:
    with served(site) as home:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        headings, rows = page.locator(".filtered h2:visible"), page.locator(".filtered tbody tr:visible")
        page.goto(f"{home}rules.html?q=dialect+obsidian")
        expect(headings.first).to_have_text(re.compile("About dialects"))
        page.goto(f"{home}rules.html?q=about+fix")
        fixed = rows.all_inner_texts()
        page.goto(f"{home}rules.html")
        assert fixed == [text for text in rows.all_inner_texts() if "✓" in text or "fix" in text]


def test_no_code_is_below_the_button_that_copies_it_on_a_phone(site: Path, browser: Browser) -> None:
    """A long line that scrolls can be scrolled out from below it."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / "cheat-sheet.html").as_uri())
    page.wait_for_selector("td .md-code__nav")
    covered = page.locator("td .highlight:has(button)").evaluate_all(
        """all => all.map(each => {
            const button = each.querySelector("button").getBoundingClientRect()
            const text = document.createRange()
            text.selectNodeContents(each.querySelector("code"))
            return [...text.getClientRects()].some(({right, top, width}) => width && right > button.left && top < button.bottom)
        })"""
    )
    assert (len(covered) > 5, any(covered)) == (True, False)


def test_a_source_and_its_card_are_equally_wide_beside_the_menu(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.goto((site / "cheat-sheet.html").as_uri())
    cells = page.locator("td:has(pre), td:has(img)").filter(visible=True)
    widths = cells.evaluate_all("all => all.map(each => Math.round(each.getBoundingClientRect().width))")
    assert (len(set(widths)), widths[0] > 350) == (1, True)


def test_what_a_command_prints_wraps_on_a_phone(site: Path, browser: Browser) -> None:
    found = {}
    page = browser.new_page(viewport={"width": 390, "height": 844})
    for name in ("commands", "push", "first-deck"):
        page.goto((site / f"{name}.html").as_uri())
        found[name] = page.locator(".language-text pre > code").evaluate_all(
            "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.innerText)"
        )
    assert {name: wide for name, wide in found.items() if wide} == {}


def test_a_terminal_is_readable_on_a_phone_in_its_narrow_picture(site: Path, browser: Browser) -> None:
    """In a window between a phone and a desktop, the wide one scrolls."""
    found = {}
    page = browser.new_page()
    for width in (390, 730):
        page.set_viewport_size({"width": width, "height": 844})
        for name in ("checking", "push", "settings"):
            page.goto((site / f"{name}.html").as_uri())
            found[width, name] = page.locator("p.terminal img").evaluate_all(
                """all => all.map(each => [each.currentSrc.includes(".narrow."), 14 * each.width / each.naturalWidth >= 11,
                    each.closest("p").scrollWidth <= each.closest("p").clientWidth])"""
            )
    counts = {"checking": 1, "push": 2, "settings": 1}
    assert found == {
        (width, name): [[width == 390, True, True]] * count
        for width in (390, 730)
        for name, count in counts.items()
    }


def test_a_terminal_has_the_colours_that_the_reader_chose(site: Path, browser: Browser) -> None:
    image = pytest.importorskip("PIL.Image", reason="the pictures need the `browser` extra")
    papers = []
    with served(site) as address:
        page = browser.new_page(color_scheme="light")
        page.goto(f"{address}checking.html")
        for _ in SCHEMES:
            shown = image.open(io.BytesIO(page.locator("p.terminal").screenshot())).convert("RGB")
            papers.append(shown.getpixel((shown.width // 2, 8)))
            page.get_by_title(re.compile("^Switch to the")).locator("visible=true").click()
            page.reload()
    assert papers == [(0xF6, 0xF8, 0xFA), (0x1E, 0x20, 0x30)]


def test_the_button_of_the_headings_is_in_the_header_of_a_phone_and_its_list_in_the_window(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto((site / "checking.html").as_uri())
    button = page.locator(".md-sidebar-button")
    below = button.evaluate(
        """button => {
            const {left, right, top, bottom} = button.getBoundingClientRect()
            const corners = [[left, top], [right, top], [left, bottom], [right, bottom]]
            const others = corners.flatMap(([x, y]) => document.elementsFromPoint(x, y))
            return [others.every(each => each !== document.querySelector("article")),
                others.filter(each => each.matches("label, a, button") && each !== button).length]
        }"""
    )
    button.click()
    expect(page.get_by_role("link", name="Before each commit").last).to_be_in_viewport(ratio=1)
    assert below == [True, 0]


def test_the_first_page_is_as_wide_as_its_header(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((site / "index.html").as_uri())
    column, header = (
        page.locator(each).first.evaluate("each => each.getBoundingClientRect().width")
        for each in (".shown", ".md-header__inner")
    )
    assert 0 <= header - column < 40


def test_the_menu_is_beside_the_text_from_960_px(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((site / "push.html").as_uri())
    menu = page.get_by_role("link", name="What reviews say").first
    shown = {}
    for width in (959, 960, 1219, 1220):
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate(AT_REST)  # the menu of a phone slides away
        box = menu.bounding_box()
        shown[width] = box is not None and box["x"] >= 0
    assert shown == {959: False, 960: True, 1219: True, 1220: True}


@pytest.mark.parametrize("width", [1000, 1440])
def test_the_name_and_the_tabs_stay_when_a_page_is_scrolled(site: Path, width: int, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto((site / "push.html").as_uri())
    page.evaluate("scrollTo(0, 900)")
    wait_until(page, "scrollY === 900")
    for shown in (
        page.locator(".md-header__title").get_by_text("ptcards", exact=True),
        page.locator(".md-tabs").get_by_role("link", name="Publish"),
        page.get_by_role("link", name="Publishing and updating").first,
    ):
        expect(shown).to_be_in_viewport(ratio=1)
    expect(page.locator(".md-header__title").get_by_text("Pushing to Anki")).to_be_hidden()


def test_the_list_of_headings_marks_the_one_that_was_clicked(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((site / "deck-lock.html").as_uri())
    entries = page.locator(".md-sidebar--secondary .md-nav__link:visible")
    for name in entries.all_inner_texts()[:-1]:  # the page ends before the last is at the top
        entry = entries.get_by_text(name, exact=True).locator("xpath=ancestor-or-self::a")
        entry.click()
        expect(entry).to_have_class(re.compile("md-nav__link--active"))
        assert page.locator(".md-sidebar--secondary .md-nav__link--active").count() == 1


def test_what_the_cheat_sheet_shows_is_not_wrapped_beside_the_menu(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((site / "cheat-sheet.html").as_uri())
    wrapped = page.locator("td pre > code > span").evaluate_all(
        """all => all.map(each => [each.innerText, each.getBoundingClientRect().height / parseFloat(getComputedStyle(each).lineHeight)])
            .filter(([, lines]) => lines > 1.5)"""
    )
    assert wrapped == []


def test_tables_have_text_that_can_be_read_and_the_widest_have_the_place_of_the_headings(
    site: Path, browser: Browser
) -> None:
    found = {}
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    for name in ("compared", "reliability", "settings", "rules"):
        page.goto((site / f"{name}.html").as_uri())
        found[name] = page.locator("article table").evaluate_all(
            """all => [all.at(-1).clientWidth > 900, ["td", "td code"].map(each => Math.min(
                ...[...document.querySelectorAll(each)].map(cell => parseFloat(getComputedStyle(cell).fontSize))) >= 12.5)]"""
        )
    assert found == {name: [name in ("compared", "reliability"), [True, True]] for name in found}


def test_no_page_is_wider_than_its_window(site: Path, browser: Browser) -> None:
    found = {}
    page = browser.new_page()
    for name in ("index", "push", "commands"):
        page.goto((site / f"{name}.html").as_uri())
        for width in (390, 960, 1440):
            page.set_viewport_size({"width": width, "height": 800})
            found[name, width] = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert {key: wide for key, wide in found.items() if wide > 0} == {}


def test_the_film_has_a_form_for_phones_one_for_the_night_and_a_picture_without_motion(
    site: Path, browser: Browser
) -> None:
    forms: dict[tuple[Literal["light", "dark"], int, Literal["no-preference", "reduce"]], str] = {
        ("light", 390, "no-preference"): "demo.narrow.webp",
        ("light", 390, "reduce"): "demo.narrow.still.webp",
        ("light", 1440, "no-preference"): "demo.webp",
        ("light", 1440, "reduce"): "serve.webp",
        ("dark", 390, "no-preference"): "demo.narrow.dark.webp",
        ("dark", 390, "reduce"): "demo.narrow.dark.still.webp",
        ("dark", 1440, "no-preference"): "demo.dark.webp",
        ("dark", 1440, "reduce"): "serve.dark.webp",
    }
    for (scheme, width, motion), wanted in forms.items():
        page = browser.new_page(
            viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion=motion
        )
        page.goto((site / "index.html").as_uri())
        shows(page.locator('img[src*="demo."]:visible'), wanted)
        page.close()


def shows(picture: Locator, name: str) -> None:
    """Wait until a picture shows a file, which may take a while to be chosen."""
    source = "image => image.currentSrc.replace(/^.*\\/|#.*$/g, '')"
    until(picture.page, lambda: bool(picture.evaluate(source) == name), name)


def test_the_film_in_full_size_is_as_wide_as_the_window(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((site / "serve.html").as_uri())
    page.locator('img[src*="demo."]:visible').click()
    wait_until(page, "document.querySelector('dialog img').style.width !== ''")
    room = page.evaluate(
        """() => {
            const { left, right } = document.querySelector("dialog img").getBoundingClientRect()
            return [left, document.documentElement.clientWidth - right]
        }"""
    )
    assert room == [0, 0]


def test_a_picture_of_a_window_has_a_form_for_phones_and_one_for_the_night(
    site: Path, browser: Browser
) -> None:
    """Each shows one window, in which text is as large as on the page around it, or almost."""
    found = {}
    pages = {
        "subscribe": ["subscribe-list", "subscribe-changes"],
        "reviews": ["reviews"],
        "study-page": ["study"],
        "format": ["card"],
        "first-deck": ["serve"],
    }
    for scheme in SCHEMES:
        for width in (390, 1440):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            for name in pages:
                page.goto((site / f"{name}.html").as_uri(), wait_until="load")
                found[scheme, width, name] = page.locator("picture img[src*=webp]:visible").evaluate_all(
                    """all => all.map(each => [each.currentSrc.replace(/^.*\\/|#.*$/g, ""),
                        each.width / (each.naturalWidth / 2) > .6])"""
                )
    assert found == {
        (scheme, width, name): [
            [f"{each}{'.narrow' if width == 390 else ''}{'.dark' if scheme == 'dark' else ''}.webp", True]
            for each in pictures
        ]
        for scheme in SCHEMES
        for width in (390, 1440)
        for name, pictures in pages.items()
    }


@pytest.mark.parametrize("width", [390, 1440])
def test_a_picture_is_shown_in_full_size_by_a_click_or_enter(
    site: Path, width: int, browser: Browser
) -> None:
    """Its text is at least as large as in the window that it shows, of which each pixel has two."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((site / "study-page.html").as_uri())
    picture = page.get_by_role("button", name="The study page with a choice")
    picture.click()
    shown = page.get_by_role("dialog", name="The study page").get_by_role("img")
    wait_until(page, "document.querySelector('dialog img').style.width !== ''")
    size = shown.evaluate("each => [each.currentSrc.replace(/^.*\\/|#.*$/g, ''), each.width >= 760]")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="The study page")).to_have_count(0)
    picture.press("Enter")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("dialog", name="The study page")).to_have_count(0)
    assert size == ["study.webp", True]


def test_the_film_can_be_paused_and_then_shows_its_picture_without_motion(
    site: Path, browser: Browser
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 800}, color_scheme="dark")
    page.goto((site / "index.html").as_uri())
    film = page.locator('img[src*="demo."]:visible')
    for name, wanted in {"Pause": "serve.dark.webp", "Play": "demo.dark.webp"}.items():
        page.get_by_role("button", name=name, exact=True).click()
        shows(film, wanted)


def test_a_heading_that_is_jumped_to_is_clear_of_the_header(site: Path, browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto((site / "rules" / "answers.html").as_uri() + "#rule-answer-words")
    page.wait_for_timeout(300)
    gap = page.evaluate(
        """() => document.querySelector(":target > code").getBoundingClientRect().top
            - document.querySelector(".md-header").getBoundingClientRect().bottom"""
    )
    expect(page.locator(":target > .headerlink")).to_have_css("opacity", "0")
    page.locator(":target").hover()
    expect(page.locator(":target > .headerlink")).to_have_css("opacity", "1")
    assert 8 <= gap <= 24


def test_a_missing_page_leads_home_from_any_folder(site: Path, tmp_path: Path, browser: Browser) -> None:
    """The site may be in a folder of its server, and the missing page at any depth."""
    shutil.copytree(site, tmp_path / "ptcards")
    for place in ("ptcards/old.html", "ptcards/rules/old.html"):
        shutil.copy(site / "404.html", tmp_path / place)
    with served(tmp_path) as address:
        page = browser.new_page()
        held: list[Route] = []
        page.route("**/search.json", lambda route: held.append(route))  # noqa: PLW0108 (Playwright takes no built-in)
        for place in ("ptcards/old.html", "ptcards/rules/old.html"):
            page.goto(address + place)
            home = page.get_by_role("link", name="Go to the first page")
            expect(home).to_have_attribute("href", "/ptcards/index.html")
            page.get_by_role("searchbox").fill("cloze cards")  # before the headings come
            while not held:
                page.wait_for_timeout(20)
            held.pop().continue_()
            result = page.get_by_role("link", name="The format: Cloze cards")
            expect(result).to_have_attribute("href", "/ptcards/format.html#cloze-cards")
            page.get_by_role("searchbox").fill("")
            found = page.locator("a").evaluate_all("all => all.map(each => each.href)")
            assert [link for link in found if page.request.get(link).status != 200] == []


def test_the_site_names_the_version() -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    assert site["copyright"].startswith(f"ptcards {__version__}. ")


def test_the_repository_is_linked_once_its_address_is_known() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    site = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    assert site.get("repo_url") == project.get("urls", {}).get("Source")


@pytest.mark.usefixtures("site")
def test_dead_links_fail_the_build(sources: Path) -> None:
    with (sources / "docs" / "index.md").open("a", encoding="utf-8") as page:
        page.write("\n[gone](gone.md)\n[gone](checking.md#gone)\n")
    status, printed = build_site(sources)
    assert (status, "page does not exist" in printed, "anchor does not exist" in printed) == (
        1,
        True,
        True,
    ), printed
