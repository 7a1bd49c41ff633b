"""A real Chromium for tests, which records what its pages do.

Importing this module skips the tests of a module if Chromium or Playwright is missing.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("playwright", reason="the browser tests need the `browser` extra")
# Chromium's headless shell takes a third of the time (measured).
if not (CHROMIUM := shutil.which("chromium-headless-shell") or shutil.which("chromium")):
    pytest.skip("the browser tests need Chromium", allow_module_level=True)

from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Dialog, Frame, Page, Route, expect, sync_playwright

from serving import PATIENCE

expect.set_options(timeout=PATIENCE * 1000)


@contextmanager
def chromium(*arguments: str) -> Iterator[Browser]:
    """Start the system's Chromium, with more arguments than the usual ones."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", *arguments],
        )
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A Chromium for all tests of a module, which takes half a second to start."""
    with chromium() as opened:
        yield opened


def violations(page: Page, **options: Any) -> list[tuple[str, str]]:
    """Return what axe finds wrong in a page without its frames, as pairs of rule and element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Otherwise axe would also describe every correct element, which takes two thirds of its time, and ask
    # frames that it is not in, which the browser calls an error if they are of another origin.
    wanted = {**options, "resultTypes": ["violations"], "iframes": False}
    found = page.evaluate("options => axe.run(options)", wanted)["violations"]
    return [(each["id"], node["html"]) for each in found for node in each["nodes"]]


@dataclass
class Watched:
    """A page and its events: requests that its policy allowed, dialogs, and errors of the browser.

    Requests to anything but `home` are recorded and blocked.
    """

    page: Page
    home: str
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.accept()

    def answer(self, route: Route) -> None:
        url = route.request.url
        self.requests.append(url)
        if url.startswith("http") and not url.startswith(self.home):
            route.abort()
        else:
            route.continue_()

    @property
    def strays(self) -> list[str]:
        """The requests to other hosts; content of the page itself does not count."""
        own = (self.home, "data:", f"blob:{self.home.rstrip('/')}", "blob:null")
        return [url for url in self.requests if not url.startswith(own)]


def wait_until(page: Page | Frame, expression: str) -> None:
    """Wait until JavaScript is true, also where a policy forbids the `eval` of `wait_for_function`."""
    until(page, lambda: bool(page.evaluate(expression)), expression)


def until(page: Page | Frame, is_reached: Callable[[], bool], what: str = "") -> None:
    """Wait until a condition holds, while the page does its work."""
    end = time.monotonic() + PATIENCE
    while not is_reached():
        assert time.monotonic() < end, f"never true: {what}"
        page.wait_for_timeout(20)


def watched_page(browser: Browser, home: str, **context: Any) -> Watched:
    """Open an empty page in a separate context, from which it can only reach `home`."""
    page = browser.new_context(**context).new_page()
    watched = Watched(page, home)
    page.set_default_timeout(PATIENCE * 1000)
    # Called after the page's policy has allowed a request.
    page.context.route("**", watched.answer)
    page.on("dialog", watched.dismiss)
    page.on("console", lambda message: watched.complaints.append(message.text))
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    return watched
