"""Draws the changed cards of an update before and now, by day and at night, with Chromium.

A card is drawn as `ptcards serve` shows it on a phone: in the same document, with the same policy. Here, the
browser is offline too, and every request but that for the document is refused.
"""

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain, islice, product
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ptcards.diagnostics import WrongUseError
from ptcards.diff.changed_cards import (
    SIDES,
    CardPair,
    ChangedNote,
    differing,
)
from ptcards.diff.update import Update
from ptcards.files import replacing_together
from ptcards.files.inputs import slug
from ptcards.files.programs import find_program, in_shell
from ptcards.source.media import media_content
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress
from ptcards.writers.card_frame import card_frame, frame_css
from ptcards.writers.html import data_address

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect, Page, Route

MOST_CARDS = 20
"""How many cards to draw; the page shows more."""
LIST = "pictures.json"
"""The file that says what each picture shows."""
_WIDTH, _HEIGHT, _TALLEST = 390, 900, 2400
"""The size of the window, as wide as a phone, and the height where a picture is cut off, in CSS pixels."""
_SCALE = 2
_OURS = re.compile(r"[^.]+\.[0-9]+\.(front|back)\.(before|now)(\.night)?\.png")
"""Matches the names of our pictures, which are deleted when they are no longer drawn."""
_CHROMIUM = (
    "chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome".split()
)

ARGUMENTS = (
    "--disable-gpu",
    "--disable-font-subpixel-positioning",
    "--blink-settings=imageAnimationPolicy=2",
)
"""Equal cards have equal pixels, without an accelerator and without subpixel positions, with which text moves
by a pixel, depending on the cards before. Pictures that move show how they begin.
"""

_ADDRESS = "https://card.invalid/"

# Shows a side, and returns its height.
_SHOW = """async ({ side, media }) => {
  for (const [name, address] of Object.entries(media)) {
    const [, type, content] = /^data:(.*);base64,(.*)$/.exec(address);
    const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
    files.set(name, URL.createObjectURL(new Blob([bytes], { type })));
  }
  show(side);
  const pictures = [...document.querySelectorAll("img")].map((each) => each.decode().catch(() => {}));
  await Promise.all([document.fonts.ready, ...pictures]);
  return height();
}"""


def draw_changes(update: Update, contents: Contents, folder: Path, progress: Progress) -> None:
    """Draw the first cards of an update into a folder, with a list of them.

    The pictures are named after the keys of the notes, and have equal bytes for cards that look the same.
    Those of an earlier call that are not drawn again are deleted. The files that old notes show must still
    exist (`open_update`).

    Raises:
        WrongUseError: the browser or the package that controls it is missing, or it ended.
        OutputError: the folder cannot be written, or a file has changed since the sources were read.

    """
    css = frame_css(contents.collection, contents.note_types)
    listed: dict[str, dict[str, object]] = {}
    with _opened() as page, replacing_together() as files:
        for name, note, pair in _first_cards(update, contents):
            media = {each.name: data_address(each.name, media_content(each, folder)) for each in note.media}
            versions = ("before", pair.before, pair.now), ("now", pair.now, pair.before)
            for (when, card, other), side, night in product(versions, SIDES, (False, True)):
                if not card:
                    continue
                number = pair.ordinal + 1
                file = f"{name}.{number}.{side}.{when}{'.night' * night}.png"
                listed[file] = {"guid": note.guid, "card": number, "side": side, "when": when, "night": night}
                progress("drawing", len(listed), 0)
                shown = {"css": css, **card, "content": card[side], "other": other and other[side]}
                with files.replacing(folder / file) as output:
                    output.write(_drawn(page, {**shown, "night": night, "width": _WIDTH}, media))
        with files.replacing(folder / LIST) as output:
            output.write(f"{json.dumps(listed, indent=1)}\n".encode())
    for old in folder.iterdir():
        if _OURS.fullmatch(old.name) and old.name not in listed:
            old.unlink()


def _first_cards(update: Update, contents: Contents) -> list[tuple[str, ChangedNote, CardPair]]:
    """Return the cards to draw, each with its note and a name for its files."""
    versions = islice(chain(update.versions(), update.others()), MOST_CARDS)
    taken = Counter[str]()
    found = []
    for note in update.rendered(versions, contents.note_types):
        key = slug(note.note.key)
        taken[key] += 1
        name = f"{key}~{taken[key]}" if taken[key] > 1 else key
        pairs = differing(note.pairs(contents.note_types))
        found += [(rank, (name, note, pair)) for rank, pair in enumerate(pairs)]
    # A note of many cards leaves room for others: the first card of each note comes before all second ones.
    return [card for _, card in sorted(found, key=itemgetter(0))[:MOST_CARDS]]


@contextmanager
def _opened() -> Iterator["Page"]:
    """Yield a page with the document for cards, in a browser without a network."""
    if find_spec("playwright") is None:
        message = "the package `playwright` is not installed"
        raise WrongUseError(message, "run `uv tool install '.[browser]'` in the repository of ptcards")
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - an extra

    document, policy = card_frame()

    def answer(route: "Route") -> None:
        headers = {"Content-Security-Policy": policy, "Content-Type": "text/html"}
        route.fulfill(body=document, headers=headers) if route.request.url == _ADDRESS else route.abort()

    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=find_program(*_CHROMIUM),
                # Chromium refuses to run with its sandbox as root.
                chromium_sandbox=sys.platform == "win32" or os.geteuid() != 0,
                args=ARGUMENTS,
            )
        except Error as failure:
            get = in_shell(sys.executable, "-m", "playwright", "install", "chromium")
            raise WrongUseError("Chromium does not start", f"install it, or run `{get}`") from failure
        try:
            page = browser.new_page(
                viewport={"width": _WIDTH, "height": _HEIGHT}, device_scale_factor=_SCALE, offline=True
            )
            page.route("**", answer)
            page.goto(_ADDRESS)
            yield page
        except Error as failure:
            raise WrongUseError("Chromium ended while it drew the cards") from failure
        finally:
            browser.close()


def _drawn(page: "Page", side: Mapping[str, object], media: Mapping[str, str]) -> bytes:
    """Return a picture of a side with these files."""
    height = min(page.evaluate(_SHOW, {"side": side, "media": media}), _TALLEST)
    clip: FloatRect = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
    return page.screenshot(clip=clip, full_page=height > _HEIGHT)
