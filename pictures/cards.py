"""Draw the cards, the study page and the preview for README.md and docs/, at twice their size.

    python pictures/cards.py [NAME]…

tests/shown_pictures.py lists the pictures. Install Inter and Noto first (`apt install fonts-inter
fonts-noto-core fonts-noto-mono fonts-noto-cjk`): the pictures use the system's fonts.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from live import SCALE, beside, chromium, photograph, served, stacked
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from ptcards.extensions.desktop.reviews import Figures, Reviewed, ReviewSummary, reason_for, studied
from ptcards.extensions.desktop.reviews.review_report import as_html
from ptcards.notes import Note
from ptcards.workspace import ReadOptions, Workspace
from shown_pictures import IMAGES, IN_ANKI, ROOT, SHOWN, example, record, write_vocabulary

_TALLEST = 620
_TWINS = (("", False), (".dark", True))
"""The end of a picture's name, and whether it is for the night."""
_SCREENS: Final[tuple[tuple[str, int, Literal["light", "dark"]], ...]] = (
    ("", 760, "light"),
    (".dark", 760, "dark"),
    (".narrow", 390, "light"),
    (".narrow.dark", 390, "dark"),
)
"""The end of a picture's name, the width of its window, and its colours: each also for phones."""


def main(names: list[str]) -> None:
    """Draw pictures by name, or all of them, and store the digests of what they show."""
    wanted = names or [name for name in SHOWN if name not in IN_ANKI]
    world = Path(tempfile.mkdtemp(prefix="ptcards-pictures-"))
    try:
        shutil.copytree(ROOT / "cards", world / "cards")
        with chromium() as browser:
            if "card" in wanted:
                _example(browser, world)
            if "vocabulary" in wanted:
                with served(write_vocabulary(world / "japanese")) as (address, _):
                    key = _first(address)
                    sides = [_card(browser, address, f"{key}&c={card}", 390) for card in (0, 1)]
                    _save("vocabulary", beside(sides))
                    _save("vocabulary.narrow", stacked(sides))
            with served(world / "cards") as (address, _):
                _first(address)
                for name in {"choice", "math"}.intersection(wanted):
                    for ending, night in _TWINS:
                        _save(f"{name}{ending}", _card(browser, address, SHOWN[name], 700, night=night))
                for name in {"prediction", "cloze"}.intersection(wanted):
                    _save(name, _card(browser, address, SHOWN[name], 390, night=True))
                if "serve" in wanted:
                    for ending, width, scheme in _SCREENS:
                        _save(f"serve{ending}", _preview(browser, address, width, scheme))
            for name, draw in {"boxes": _boxes, "study": _study, "reviews": _reviews}.items():
                if name in wanted:
                    draw(browser, world)
    finally:
        shutil.rmtree(world)
    record(wanted)


def _first(address: str) -> str:
    """Return the key of the first note, once all notes have been read."""
    while True:
        with urllib.request.urlopen(f"{address}state") as answer:  # noqa: S310 - our own server
            state: dict[str, Any] = json.load(answer)
        if state["order"]:
            return str(state["cards"][state["order"][0]]["key"])
        time.sleep(0.1)


def _card(browser: Browser, address: str, key: str, width: int, *, night: bool = False) -> Image.Image:
    """Return a picture of a card's back, as high as its content."""
    page = browser.new_page(viewport={"width": width, "height": 2400}, device_scale_factor=SCALE)
    page.goto(f"{address}#card={key}&side=back&night={int(night)}{'&w=390' if width < 400 else ''}")
    frame, card = page.locator("iframe:visible"), page.frame_locator("iframe:visible").locator("#qa")
    card.locator("*").first.wait_for()
    # Only the card is shown, in the entire window.
    frame.evaluate(
        "each => Object.assign(each.style, { position: 'fixed', inset: 0, zIndex: 9, height: '100%', "
        "border: 0, borderRadius: 0 })"
    )
    page.wait_for_timeout(700)
    inner = card.bounding_box()
    assert inner is not None  # noqa: S101 - it is shown
    height = min(inner["y"] + inner["height"] + 12, _TALLEST)
    picture = photograph(page, (0, 0, width, height))
    page.close()  # a browser has few connections to an address
    return picture


def _example(browser: Browser, world: Path) -> None:
    """Draw the note that docs/format.md shows, without any other."""
    folder = world / "example"
    shutil.copytree(ROOT / "cards", folder, ignore=shutil.ignore_patterns("*.md", "deck.lock"))
    (folder / "autograd.md").write_text(example(), "utf-8")
    with served(folder) as (address, _):
        key = _first(address)
        for ending, width, scheme in _SCREENS:
            _save(f"card{ending}", _card(browser, address, key, min(width, 620), night=scheme == "dark"))


def _preview(browser: Browser, address: str, width: int, scheme: Literal["light", "dark"]) -> Image.Image:
    """Return a picture of a card above its source on a phone, and beside it in a wide window."""
    size: ViewportSize = {"width": width if width < 400 else 1120, "height": 620}
    page = browser.new_page(viewport=size, device_scale_factor=SCALE, color_scheme=scheme)
    page.goto(f"{address}#card={SHOWN['serve']}&side=back&panel=source&night={int(scheme == 'dark')}")
    card = page.frame_locator("iframe:visible").locator("#qa")
    card.locator(".answer p").first.hover()
    page.wait_for_timeout(700)
    picture = photograph(page)
    page.close()
    return picture


def _boxes(browser: Browser, world: Path) -> None:
    """Draw the boxes of a picture beside its card; on a phone, they cannot be changed."""
    folder = Path(shutil.copytree(ROOT / "examples" / "sky", world / "sky"))
    with served(folder) as (address, key):
        _first(address)
        for ending, width, scheme in _SCREENS[:2]:
            size: ViewportSize = {"width": width + 360, "height": 620}
            page = browser.new_page(viewport=size, device_scale_factor=SCALE, color_scheme=scheme)
            night = int(scheme == "dark")
            page.goto(f"{address}#{key}&card=sun-layers&side=front&panel=boxes&night={night}")
            page.locator(".boxes .box").first.focus()
            page.wait_for_timeout(700)
            _save(f"boxes{ending}", photograph(page))
            page.close()


def _study(browser: Browser, world: Path) -> None:
    """Draw a choice with its answer."""
    command = [sys.executable, "-m", "ptcards", "build", "cards", "-q", "--format", "html", "-o", "out"]
    subprocess.run(command, cwd=world, check=True)  # noqa: S603 - our own command
    guid = next(
        line.split("\t")[1]
        for line in (world / "cards" / "deck.lock").read_text("utf-8").splitlines()
        if line.startswith("note\t") and f"\t{SHOWN['study']}\t" in f"{line}\t"
    )
    file = next((world / "out").glob("*.html"))

    def turn(page: Page) -> None:
        page.wait_for_timeout(300)
        page.keyboard.press("c")
        page.evaluate("document.activeElement.blur()")

    _draw_on_screens(browser, "study", f"{file.as_uri()}#{guid}", turn)


def _reviews(browser: Browser, world: Path) -> None:
    """Draw the page for made-up reviews of the PyTorch deck."""
    with ReadOptions() as options:
        ours, _ = studied(Workspace.read([ROOT / "cards"], options))
    assert ours is not None  # noqa: S101 - the deck has no errors
    file = world / "reviews.html"
    file.write_text(as_html(ReviewSummary("PyTorch", 1, tuple(_reviewed(ours.notes)))), "utf-8")

    _draw_on_screens(browser, "reviews", file.as_uri(), lambda _: None)


def _draw_on_screens(browser: Browser, name: str, address: str, prepare: Callable[[Page], None]) -> None:
    """Draw a page on a desktop and on a phone, by day and at night."""
    for ending, width, scheme in _SCREENS:
        context = browser.new_context(
            viewport={"width": width, "height": 680}, device_scale_factor=SCALE, color_scheme=scheme
        )
        page = context.new_page()
        page.goto(address)
        prepare(page)
        page.wait_for_timeout(300)
        _save(f"{name}{ending}", photograph(page))
        context.close()


def _reviewed(notes: Mapping[str, Note]) -> Iterator[Reviewed]:
    """Yield notes with made-up reviews, the most urgent first."""
    choose = random.Random(3)  # noqa: S311 - made up, and the same each time
    found = []
    for guid, note in notes.items():
        reviews = choose.randrange(16)
        fails = choose.betavariate(1.2, 9)
        failed = sum(choose.random() < fails for _ in range(reviews))
        seconds = max(3, choose.gauss(12, 5))
        figures = Figures(
            reviews, failed, failed, seconds, 0.9 * fails + 0.3, failed > 5, (choose.randrange(40),)
        )
        found.append(Reviewed(guid, note, figures, reason_for(note, figures)))
    yield from sorted(found, key=lambda each: (not each.reason, -each.figures.likely_failures))


def _save(name: str, picture: Image.Image) -> None:
    if name.startswith(("serve", "boxes")):
        # With all its shades, a page full of text would be too large a file; text needs only a few colours.
        picture = picture.quantize(128, dither=Image.Dither.NONE).convert("RGB")
    picture.save(IMAGES / f"{name}.webp", lossless=True, method=6)


if __name__ == "__main__":
    main(sys.argv[1:])
