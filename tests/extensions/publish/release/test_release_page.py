"""The pages of a release: `index.html` in Chromium, and `feed.xml` in a feed reader."""

import json
import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import feedparser
import pytest

from browsing import chromium, violations, watched_page
from card_pages import LOW_CONTRAST
from conftest import runner
from releasing import Publisher, served

# After `browsing`, which skips this module if there is no browser.
from playwright.sync_api import Browser, Page  # isort: skip

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("html")]
HOSTILE = "What is `</script><script>alert(1)</script><img src=http://example.com/x onerror=alert(1)>`?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the third release of a deck."""
    folder = tmp_path_factory.mktemp("released")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        publisher = Publisher(folder / "cards", runner(folder))
        write_three(publisher)
    return publisher.dist


def note(question: str, answer: str) -> str:
    return f"## {question}\n<!-- card: id={re.sub('[^a-z]', '', question.lower())[:20]} -->\n\n{answer}\n\n"


def write_three(publisher: Publisher) -> None:
    """Release 1.0, 1.1 and 1.2."""
    leaf, hook, step = (note(f"What is a {each}?", "One thing.") for each in ("leaf", "hook", "step"))
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
    return page.locator("#answer").inner_text(), page.locator("#since").inner_text().split("\n")


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
            *("Moved", "What is a hook?", optim, "Retired", "What is a step?", autograd),
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
            "What is a step?",
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


def test_the_versions_are_listed_and_the_newest_shows_which_words_changed(
    browser: Browser, dist: Path
) -> None:
    page = watched_page(browser, dist.as_uri(), java_script_enabled=False).page
    page.goto((dist / "index.html").as_uri())
    assert page.locator("h1").inner_text() == "PyTorch 1.2"
    assert page.locator("details summary").all_inner_texts() == [
        "1.2 · 2025-11-24 · 1 changed, 1 new, 1 retired"
    ]
    assert page.locator("#release > section:last-child > p").all_inner_texts() == [
        "1.1 · 2025-11-23 · 1 changed, 1 moved",
        "1.0 · 2025-11-22 · 3 new",
    ]
    assert page.locator("details .part").all_inner_texts() == [
        "answer: A tensor that you made. was created by you."
    ]
    assert page.locator("details del").all_inner_texts() == ["you made."]
    assert page.locator("details ins").all_inner_texts() == ["was created by you."]


def test_without_a_script_the_page_still_has_the_downloads(browser: Browser, dist: Path) -> None:
    page = watched_page(browser, dist.as_uri(), java_script_enabled=False).page
    page.goto((dist / "index.html").as_uri() + "#v=1.0")
    links = {each.inner_text(): each.get_attribute("href") for each in page.locator("main a").all()}
    assert links == {
        "Download for Anki": "pytorch-1.2.apkg",
        "Study in the browser": "study.html",
        "Release notes": "notes.md",
        "Feed of the versions (Atom)": "feed.xml",
    }
    assert [name for name in links.values() if not (dist / str(name)).is_file()] == []
    assert page.locator("h2").all_inner_texts() == ["Import it into Anki", "Follow it in Anki", "Versions"]
    assert page.locator("noscript p").inner_text().startswith("Without JavaScript, ")


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
