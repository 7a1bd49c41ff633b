"""Photographs the page of `ptcards diff`: each card before and after, by day and at night.

The page has all that it shows and forbids all requests itself. Here, the browser is offline too, and every
request but that for the page is refused.
"""

import json
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ptcards.diagnostics import WrongUseError
from ptcards.diff.update import Update
from ptcards.files import replacing_together
from ptcards.files.inputs import slug
from ptcards.files.programs import find_program, in_shell
from ptcards.files.temporary import temporary_folder
from ptcards.workspace.entries import Progress

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page, Route

MOST_CARDS = 20
"""How many cards to draw; the page shows more."""
LIST = "pictures.json"
"""The file that says what each picture shows."""
_WIDTH, _HEIGHT, _TALLEST = 390, 900, 2400
"""The size of the window, as wide as a phone, and the height where a picture is cut off, in CSS pixels."""
_SCALE = 2
_NAME = re.compile(r"[^.]+\.[0-9]+\.(front|back)\.(before|now)(\.night)?\.png")
"""Matches the names of our pictures, which are deleted when they are no longer drawn."""
_CHROMIUM = (
    "chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome".split()
)

_ARGUMENTS = ("--disable-gpu", "--blink-settings=imageAnimationPolicy=2")
"""Without an accelerator, equal cards have equal pixels; and pictures that move show how they begin."""

# The cards of the page that are shown, and then one at a time, alone in the window.
_FIND = """() => {
  const figures = [...document.querySelectorAll("figure[data-when]")];
  window.hosts = figures.map((each) => each.querySelector(".shown"));
  window.stage = document.body.appendChild(document.createElement("div"));
  Object.assign(stage.style, { position: "absolute", inset: 0, zIndex: 9 });
  document.querySelector("main").style.display = "none";
  return figures.map(({ dataset, parentElement }) =>
    [parentElement.closest("[data-note]").dataset.note, Number(dataset.card), dataset.side, dataset.when]);
}"""
_SHOW = """async ({ place, tallest }) => {
  const host = hosts[place];
  const whole = { height: "auto", maxHeight: "none", overflow: "hidden" };
  Object.assign(host.style, { border: 0, borderRadius: 0, ...whole });
  stage.replaceChildren(host);
  const pictures = [...host.shadowRoot.querySelectorAll("img")];
  await Promise.all(pictures.map((each) => each.decode().catch(() => {})));
  const height = Math.min(Math.ceil(host.getBoundingClientRect().height), tallest);
  host.style.height = `${height}px`; // whole pixels, without a line of what is below
  return height;
}"""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows: a side of a card, which counts from 1, of the note with this GUID."""

    guid: str
    card: int
    side: Literal["front", "back"]
    when: Literal["before", "now"]
    night: bool

    def name(self, key: str) -> str:
        """Return the name of its file, for a note with this key."""
        return f"{key}.{self.card}.{self.side}.{self.when}{'.night' * self.night}.png"


def draw_changes(update: Update, page: str, folder: Path, progress: Progress) -> None:
    """Draw the first cards of a page of changes into a folder, with a list of them.

    The pictures are named after the keys of the notes, and have equal bytes for cards that look the same.
    Those of an earlier call that are not drawn again are deleted.

    Raises:
        WrongUseError: the browser or the package that controls it is missing, or it ended.
        OutputError: the folder cannot be written.

    """
    names = _names(update)
    drawn: dict[str, Picture] = {}
    with _opened(page) as shown, replacing_together() as files:
        for done, (picture, content) in enumerate(_photographs(shown, names)):
            name = picture.name(names[picture.guid])
            progress("drawing", done, 0)
            drawn[name] = picture
            with files.replacing(folder / name) as file:
                file.write(content)
        listed = {name: asdict(picture) for name, picture in sorted(drawn.items())}
        with files.replacing(folder / LIST) as file:
            file.write(f"{json.dumps(listed, indent=1)}\n".encode())
    for old in folder.iterdir():
        if _NAME.fullmatch(old.name) and old.name not in drawn:
            old.unlink()


def _names(update: Update) -> dict[str, str]:
    """Return the keys of notes by GUID, as parts of names of files, in the order in which to draw them."""
    names: dict[str, str] = {}
    taken = set[str]()
    for guid, before, after in chain(update.versions(), update.others()):
        note = after or before
        assert note is not None  # noqa: S101 - one of the two is there
        name, number = slug(note.key), 2
        while name in taken:
            name, number = f"{slug(note.key)}~{number}", number + 1
        names[guid] = name
        taken.add(name)
    return names


@contextmanager
def _opened(text: str) -> Iterator["Page"]:
    """Yield a page in a browser without a network."""
    if find_spec("playwright") is None:
        message = "the package `playwright` is not installed"
        raise WrongUseError(message, "run `uv tool install '.[browser]'` in the repository of ptcards")
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - an extra

    with temporary_folder("pictures") as folder, sync_playwright() as playwright:
        file = folder / "changes.html"
        file.write_text(text, "utf-8")
        try:
            # Chromium refuses to run with its sandbox as root.
            browser = playwright.chromium.launch(
                executable_path=find_program(*_CHROMIUM), chromium_sandbox=not _is_root(), args=_ARGUMENTS
            )
        except Error as failure:
            get = in_shell(sys.executable, "-m", "playwright", "install", "chromium")
            raise WrongUseError("Chromium does not start", f"install it, or run `{get}`") from failure
        try:
            page = browser.new_page(
                viewport={"width": _WIDTH, "height": _HEIGHT}, device_scale_factor=_SCALE, offline=True
            )
            address = file.as_uri()

            def answer(route: "Route") -> None:
                route.continue_() if route.request.url == address else route.abort()

            page.route("**", answer)
            page.goto(address)
            yield page
        except Error as failure:
            raise WrongUseError("Chromium ended while it drew the cards") from failure
        finally:
            browser.close()


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _photographs(page: "Page", names: Iterable[str]) -> Iterator[tuple[Picture, bytes]]:
    """Yield the first cards of these notes with what they look like."""
    found: dict[tuple[str, int], dict[Picture, int]] = defaultdict(dict)
    for place, (guid, card, side, when) in enumerate(page.evaluate(_FIND)):
        found[guid, card].setdefault(Picture(guid, card, side, when, night=False), place)
    # A note of many cards leaves room for others: the first card of each note comes before all second ones.
    order = {guid: place for place, guid in enumerate(names)}
    seen = Counter[str]()
    ranks = {}
    for guid, card in found:
        ranks[guid, card] = (seen[guid], order[guid])
        seen[guid] += 1
    first = sorted(found, key=lambda card: ranks[card])[:MOST_CARDS]
    for night in (False, True):
        if night:
            page.evaluate("document.getElementById('night').click()")
        for picture, place in chain.from_iterable(found[card].items() for card in first):
            height = page.evaluate(_SHOW, {"place": place, "tallest": _TALLEST})
            clip: FloatRect = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
            yield replace(picture, night=night), page.screenshot(clip=clip, full_page=height > _HEIGHT)
