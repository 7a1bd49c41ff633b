"""Draws the changed cards of an update before and now, by day and at night, with Chromium.

A card is drawn as `ptcards serve` shows it on a phone: in the same document, with the same policy. Here, the
browser is offline too, and every request but that for the document is refused.
"""

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import chain, islice, product
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ptcards.diagnostics import WrongUseError
from ptcards.diff.changed_cards import (
    SIDES,
    ChangedNote,
    Side,
    changed_notes,
    differing,
    fitting_media,
)
from ptcards.diff.update import Update
from ptcards.files import replacing_together
from ptcards.files.inputs import slug
from ptcards.files.programs import find_program, in_shell
from ptcards.notes.rendered import RenderedNote
from ptcards.source.media import media_content
from ptcards.workspace import Contents
from ptcards.workspace.entries import Progress
from ptcards.writers.card_frame import FramedCard, card_frame, frame_css
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
_NAME = re.compile(r"[^.]+\.[0-9]+\.(front|back)\.(before|now)(\.night)?\.png")
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

When = Literal["before", "now"]

# Shows a side, and returns its height.
_SHOW = """async ({ side, media }) => {
  for (const [name, address] of Object.entries(media)) files.set(name, address);
  show(side);
  const pictures = [...document.querySelectorAll("img")].map((each) => each.decode().catch(() => {}));
  await Promise.all([document.fonts.ready, ...pictures]);
  return height();
}"""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows: a side of a card, which counts from 1, of the note with this GUID."""

    guid: str
    card: int
    side: Side
    when: When
    night: bool

    def name(self, key: str) -> str:
        """Return the name of its file, for a note with this key."""
        return f"{key}.{self.card}.{self.side}.{self.when}{'.night' * self.night}.png"


def draw_changes(update: Update, contents: Contents, folder: Path, progress: Progress) -> None:
    """Draw the first cards of an update into a folder, with a list of them.

    The pictures are named after the keys of the notes, and have equal bytes for cards that look the same.
    Those of an earlier call that are not drawn again are deleted. The files that old notes show must still
    exist (`open_update`).

    Raises:
        WrongUseError: the browser or the package that controls it is missing, or it ended.
        OutputError: the folder cannot be written, or a file has changed since the sources were read.

    """
    versions = islice(chain(update.versions(), update.others()), MOST_CARDS)
    notes = _named(changed_notes(versions, update, contents.note_types))
    drawn: dict[str, Picture] = {}
    with _opened() as page, replacing_together() as files:
        for name, picture, content in _photographs(page, notes, contents, folder):
            progress("drawing", len(drawn), 0)
            drawn[name] = picture
            with files.replacing(folder / name) as file:
                file.write(content)
        listed = {name: asdict(picture) for name, picture in sorted(drawn.items())}
        with files.replacing(folder / LIST) as file:
            file.write(f"{json.dumps(listed, indent=1)}\n".encode())
    for old in folder.iterdir():
        if _NAME.fullmatch(old.name) and old.name not in drawn:
            old.unlink()


def _named(notes: Iterable[ChangedNote]) -> dict[str, ChangedNote]:
    """Return notes by their keys, as parts of names of files."""
    named: dict[str, ChangedNote] = {}
    for note in notes:
        name, number = slug(note.note.key), 2
        while name in named:
            name, number = f"{slug(note.note.key)}~{number}", number + 1
        named[name] = note
    return named


@contextmanager
def _opened() -> Iterator["Page"]:
    """Yield a page with the document for cards, in a browser without a network."""
    if find_spec("playwright") is None:
        message = "the package `playwright` is not installed"
        raise WrongUseError(message, "run `uv tool install '.[browser]'` in the repository of ptcards")
    from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - an extra

    document, policy = card_frame()

    def answer(route: "Route") -> None:
        if route.request.url == _ADDRESS:
            route.fulfill(
                body=document, content_type="text/html", headers={"Content-Security-Policy": policy}
            )
        else:
            route.abort()

    with sync_playwright() as playwright:
        try:
            # Chromium refuses to run with its sandbox as root.
            browser = playwright.chromium.launch(
                executable_path=find_program(*_CHROMIUM), chromium_sandbox=not _is_root(), args=ARGUMENTS
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


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _photographs(
    page: "Page", notes: Mapping[str, ChangedNote], contents: Contents, folder: Path
) -> Iterator[tuple[str, Picture, bytes]]:
    """Yield the first cards of notes with the names of their pictures, and what they look like."""
    css = frame_css(contents.collection, contents.note_types)
    # A note of many cards leaves room for others: the first card of each note comes before all second ones.
    ranked = [
        (rank, place, name, pair)
        for place, (name, note) in enumerate(notes.items())
        for rank, pair in enumerate(differing(note.pairs(contents.note_types)))
    ]
    for _, _, name, pair in sorted(ranked, key=itemgetter(0, 1))[:MOST_CARDS]:
        note = notes[name]
        versions: list[tuple[When, RenderedNote | None, FramedCard | None, FramedCard | None]] = [
            ("before", note.before, pair.before, pair.now),
            ("now", note.now, pair.now, pair.before),
        ]
        for (when, version, card, other), side, night in product(versions, SIDES, (False, True)):
            if not version or not card:
                continue
            content = str(card[side])
            shown = {"css": card.get("css", css), "body": card["body"], "content": content}
            shown |= {"other": other[side]} if other else {}
            media = {
                each.name: data_address(each.name, media_content(each, folder))
                for each in fitting_media(version.media)
                if each.name in content
            }
            about = {"side": {**shown, "width": _WIDTH, "night": night}, "media": media}
            height = min(page.evaluate(_SHOW, about), _TALLEST)
            clip: FloatRect = {"x": 0, "y": 0, "width": _WIDTH, "height": height}
            picture = Picture(note.guid, pair.ordinal + 1, side, when, night)
            yield picture.name(name), picture, page.screenshot(clip=clip, full_page=height > _HEIGHT)
