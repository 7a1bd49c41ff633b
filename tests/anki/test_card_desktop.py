"""Cards of every kind with the CSS of the desktop's reviewer (also used by new AnkiDroid), from Anki's wheel.

Anki's licence is the AGPL, so the file is downloaded when the test runs and never stored with the sources.
The tests are `slow` and fail, rather than skip, if the wheel is not available.
"""

import dataclasses
import subprocess
import sys
import zipfile
from importlib.metadata import version

import pytest

from browsing import violations
from card_pages import HOSTS, Host, Side, faults, open_everything, page, sides_of
from ptcards.anki.fields import render_note
from ptcards.notes import Identified
from test_card_look import notes

# After `card_pages`, which skips the tests if Chromium is missing.
from playwright.sync_api import Page  # isort: skip

__all__ = ["page"]

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# The page is Anki's, and Chromium 130 and later can scroll a wide table with keys.
RULES_OF_OTHERS = ("html-has-lang", "document-title", "scrollable-region-focusable")
LEVELS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
SHEETS = ("webview.css", "reviewer.css")


@pytest.fixture(scope="module")
def css(request: pytest.FixtureRequest) -> str:
    """Return the CSS of the desktop's page; the wheel is downloaded once and kept in pytest's cache."""
    wanted = f"aqt=={version('anki')}"
    assert request.config.cache is not None
    folder = request.config.cache.mkdir("wheels")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        wanted,
    ]
    name = wanted.replace("==", "-")
    if not list(folder.glob(f"{name}-*.whl")):
        subprocess.run([*command, "--dest", str(folder)], check=True)
    (wheel,) = folder.glob(f"{name}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return "\n".join(archive.read(f"_aqt/data/web/css/{sheet}").decode() for sheet in SHEETS)


@pytest.fixture(scope="module")
def hosts(css: str) -> list[Host]:
    return [dataclasses.replace(host, css=css) for host in HOSTS if host.name in ("desktop", "new-ankidroid")]


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> list[Side]:
    folder = tmp_path_factory.mktemp("cards")
    rendered = [render_note(Identified(note, note.key, 1))[0] for note in notes(folder)]
    return sides_of(rendered, folder, typed="tensor.too(devise)")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_every_card_can_be_read_under_the_real_css(
    page: Page, cards: list[Side], hosts: list[Host], *, night: bool
) -> None:
    assert ".typeGood" in hosts[0].css
    found = {host.name: faults(page, cards, host, night=night) for host in hosts}
    assert found == {"desktop": [], "new-ankidroid": []}


def is_of_others(html: str) -> bool:
    """Whether an element is Anki's own box for a typed answer, or GitHub's box of a task."""
    return 'id="typeans"' in html or ('type="checkbox"' in html and "disabled" in html)


@pytest.mark.parametrize("night", [False, True], ids=["day", "night"])
def test_axe_finds_nothing_on_a_card(
    page: Page, cards: list[Side], hosts: list[Host], *, night: bool
) -> None:
    page.set_viewport_size({"width": 390, "height": 700})
    found = []
    for side in cards:
        page.set_content(side.page(hosts[0], night=night))
        open_everything(page)
        found += [
            (side.name, rule, html[:200])
            for rule, html in violations(page, runOnly=LEVELS)
            if rule not in RULES_OF_OTHERS and not is_of_others(html)
        ]
    assert found == []
