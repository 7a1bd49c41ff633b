"""Draw the cards of docs/cheat-sheet.md, with two pictures made from each of its examples, for day and night.

    python pictures/cheat_sheet.py [NAME]…

NAME is the name of a picture by day; if there is none, all pictures are drawn.
"""

import json
import shutil
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

from live import SCALE, chromium, photograph, served
from PIL import Image
from playwright.sync_api import Browser, Page

from shown_pictures import CHEAT_SHEET, IMAGES, SUN, record

WIDTH, GAP = 400, 12
SCHEMES = (("", "#c9cede"), (".dark", "#4b5263"))
"""The end of a picture's name and the colour of its frame, by day and at night."""
SIDES = {
    "cheat-boxes": ("side=front", "side=back"),
    "cheat-choice": ("side=front", "side=back"),
    "cheat-cloze": ("side=front", "side=back"),
    "cheat-reversed": ("side=front", "side=front&c=1"),
    "cheat-sequence": ("side=front&c=2", "side=back&c=2"),
    "cheat-typed": ("side=front", "side=back"),
}
"""The sides to show of an example, one below the other; other examples show the back."""


def main(names: list[str]) -> None:
    """Serve the examples as a collection and photograph the cards."""
    wanted = names or list(CHEAT_SHEET)
    world = Path(tempfile.mkdtemp(prefix="ptcards-cheat-sheet-"))
    folder = world / "cards"
    folder.mkdir()
    (folder / "deck.toml").write_text('name = "PyTorch"\nid = "cheat-sheet"\n', "utf-8")
    for picture in SUN:
        shutil.copy(picture, folder)
    for name, source in CHEAT_SHEET.items():
        (folder / f"{name}.md").write_text(f"# Tensors\n\n{source}", "utf-8")
    try:
        with served(folder) as (address, _), chromium() as browser:
            keys = _keys(address, len(CHEAT_SHEET))
            for name in wanted:
                for night, (ending, frame) in enumerate(SCHEMES):
                    cards = [
                        _card(browser, f"{address}#card={keys[name]}&{side}&night={night}")
                        for side in SIDES.get(name, ("side=back",))
                    ]
                    file = IMAGES / f"{name}{ending}.webp"
                    _stack(cards, frame).save(file, lossless=True, method=6)
    finally:
        shutil.rmtree(world)
    record(wanted)


def _keys(address: str, count: int) -> dict[str, str]:
    """Return the key of each example's note, once all notes have been read."""
    found: dict[str, str] = {}
    while len(found) < count:
        with urllib.request.urlopen(f"{address}state") as answer:  # noqa: S310 - our own server
            state: dict[str, Any] = json.load(answer)
        found = {Path(card["path"]).stem: card["key"] for card in state.get("cards", {}).values()}
    return found


def _card(browser: Browser, address: str) -> Image.Image:
    """Return a picture of a card's side, as high as its content."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 1200}, device_scale_factor=SCALE)
    page.goto(address)
    page.wait_for_selector("iframe:visible")
    return _content(page)


def _content(page: Page) -> Image.Image:
    card = page.frame_locator("iframe:visible").locator("#qa")
    card.locator("*").first.wait_for()
    page.locator("iframe:visible").evaluate("each => { each.style.borderRadius = 0 }")
    page.wait_for_timeout(500)  # animations have ended
    around, inner = page.locator("iframe:visible").bounding_box(), card.bounding_box()
    assert around is not None  # noqa: S101 - both are shown
    assert inner is not None  # noqa: S101
    margin, top = inner["x"] - around["x"], around["y"] + 1
    height = inner["y"] + inner["height"] + margin - top
    return photograph(page, (around["x"] + 1, top, around["width"] - 2, height))


def _stack(cards: list[Image.Image], frame: str) -> Image.Image:
    """Return the pictures one below the other, each with a thin frame of this colour."""
    edge, gap = SCALE, GAP * SCALE
    height = sum(card.height + 2 * edge for card in cards) + gap * (len(cards) - 1)
    picture = Image.new("RGBA", (max(card.width for card in cards) + 2 * edge, height))
    y = 0
    for card in cards:
        framed = Image.new("RGBA", (card.width + 2 * edge, card.height + 2 * edge), frame)
        framed.paste(card, (edge, edge))
        picture.paste(framed, (0, y))
        y += framed.height + gap
    return picture


if __name__ == "__main__":
    main(sys.argv[1:])
