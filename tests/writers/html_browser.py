"""Opens the HTML file from disk in a browser, and reads what its page shows and stores."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from browsing import Watched, browser, watched_page
from html_files import every_kind, written

# After `browsing`, which skips the tests if Chromium is missing.
from playwright.sync_api import Browser, Error, Page  # isort: skip

__all__ = ["browser"]

NOON = datetime(2026, 3, 13, 12, tzinfo=UTC)
CARD = "document.querySelector('#card').shadowRoot"


def open_file(browser: Browser, file: Path, **context: Any) -> Watched:
    watched = watched_page(browser, file.as_uri(), **context)
    watched.page.clock.set_fixed_time(NOON)
    watched.page.goto(file.as_uri())
    begin(watched.page)
    return watched


def begin(page: Page) -> None:
    """Leave the first screen, if the page shows it."""
    page.evaluate(
        "{ const start = document.querySelector('#start'); if (start?.checkVisibility()) start.click() }"
    )


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("html") / "my-deck.html", every_kind())


@pytest.fixture
def page(browser: Browser, deck: Path) -> Iterator[Page]:
    watched = open_file(browser, deck)
    yield watched.page
    assert watched.complaints == []
    assert {url.partition("#")[0] for url in watched.requests} == {deck.as_uri()}


def shown(page: Page) -> str:
    """Return the question on the card or, for a reversed card, the text on its front."""
    return str(page.evaluate(f"{CARD}.querySelector('.question, .answer').textContent.trim()"))


def status(page: Page) -> str:
    return page.inner_text("#status")


def pass_to(page: Page, question: str) -> None:
    for _ in range(20):
        if shown(page).startswith(question):
            return
        page.keyboard.press("ArrowRight")
    pytest.fail(f"no card {question}")


def stored(page: Page) -> Any:
    """Return the progress that the page stores."""
    return page.evaluate("key => JSON.parse(localStorage.getItem(key))", key_of(page))


def key_of(page: Page) -> str:
    return f"ptcards:{json.loads(page.text_content('#data') or '')['id']}"


def load_again(page: Page) -> None:
    """Load the page again, with what it stores.

    On a busy machine, Chromium shows some new pages an empty storage (6 of 432 reloads, measured). It also
    stops loading if the page is still going back in the history, because something was closed.
    """
    stores = "localStorage.length > 0"
    has_stored = page.evaluate(stores)
    for _ in range(10):
        try:
            page.reload()
        except Error as error:
            if "ERR_ABORTED" not in error.message:
                raise
            continue
        if not has_stored or page.evaluate(stores):
            return
    pytest.fail("the page has lost what it stored")


def reload(page: Page) -> None:
    """Load the page again, and leave its first screen."""
    load_again(page)
    begin(page)


def come_back(page: Page, days: int) -> None:
    """Open the page again, this many days after the first time."""
    page.clock.set_fixed_time(NOON + timedelta(days=days))
    reload(page)


def figures(page: Page) -> dict[str, str]:
    names, values = (page.locator(f"#figures {tag}").all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(names, values, strict=True))


def grade_all(page: Page, keys: list[str]) -> None:
    """Grade all remaining cards with these keys in turn, then with the last one."""
    page.evaluate("document.activeElement.blur()")
    for n in range(60):
        if page.locator("#done").is_visible():
            return
        page.keyboard.press("Enter")
        page.keyboard.press(keys[n] if n < len(keys) else "3")
    pytest.fail("the queue has no end")


def start_exam(page: Page, size: int, minutes: int = 20) -> None:
    page.click("#exam-open")
    page.fill("#exam-size", str(size))
    page.fill("#exam-minutes", str(minutes))
    page.click("#exam-form button")
