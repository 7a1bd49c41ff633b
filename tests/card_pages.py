"""Cards in the pages of Anki's apps, shown by a headless Chromium.

The classes on `<html>` and `<body>` are those of the apps; their base CSS is reduced to the rules that affect
a card. The browser is offline.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from anki_backend import cards_of, import_package, learner, sides
from browsing import chromium
from handmade import package
from ptcards.anki.built_in_notetypes import FIELDS
from ptcards.notes.rendered import RenderedNote

from playwright.sync_api import Page  # isort: skip - after `browsing`, which skips the tests if Chromium is missing

WIDTHS = (360, 390, 768, 1280)

_DESKTOP_CSS = """
:root { --canvas: #f5f5f5; --fg: #020202 } :root.night-mode { --canvas: #2c2c2c; --fg: #fcfcfc; color-scheme: dark }
body { margin: 20px; overflow-wrap: break-word; background-color: var(--canvas) }
body.nightMode { background-color: var(--canvas); color: var(--fg) }
hr { background-color: #737373; margin: 1em 0; border: none; height: 1px }
img { max-width: 100%; max-height: 95vh } li { text-align: start } pre { text-align: left }
#typeans { width: 100%; box-sizing: border-box; line-height: 1.75 } code#typeans { white-space: pre-wrap }
.typeGood { background: #afa; color: black } .typeBad { background: #faa; color: black }
.typeMissed { background: #ccc; color: black }
"""
_OLD_ANDROID_CSS = """
body.night_mode { color: white; background: black } #content { margin: .5em }
.typeGood { background: #afa } .typeBad { background: #faa } .typeMissed { background: #ccc }
"""


@dataclass(frozen=True)
class Host:
    """An app: its classes of `<html>` and `<body>`, its CSS, and the container of a card.

    The first classes are those of light mode; night mode adds the second ones.
    """

    name: str
    html: str
    html_night: str
    body: str
    body_night: str
    css: str
    container: str = '<div id="qa" dir="auto">'


HOSTS = (
    Host(
        "desktop",
        "linux chrome",
        "night-mode",
        "card card1 isLin fancy",
        "nightMode night_mode",
        _DESKTOP_CSS,
    ),
    Host(
        "old-ankidroid",
        "mobile android linux js",
        "",
        "card card1",
        "night_mode nightMode",
        _OLD_ANDROID_CSS,
        '<div id="content"><div id="qa">',
    ),
    Host(
        "new-ankidroid",
        "android mobile chrome",
        "night-mode",
        "card card1",
        "nightMode night_mode",
        _DESKTOP_CSS,
    ),
    Host("ankimobile", "mobile iphone ios", "", "card card1", "nightMode", ""),
)


@dataclass(frozen=True)
class Side:
    """One side of a card as the reviewer gets it, with its note type's CSS."""

    name: str
    css: str
    html: str

    def page(self, host: Host, *, night: bool) -> str:
        html = f"{host.html} {host.html_night}" if night else host.html
        body = f"{host.body} {host.body_night}" if night else host.body
        return (
            f'<!doctype html><html class="{html}"><meta name="viewport" content="width=device-width"><meta charset="utf-8">'
            f'<style>{host.css}</style><body class="{body}">{host.container}<style>{self.css}</style>{self.html}'
        )


def sides_of(notes: list[RenderedNote], folder: Path, *, typed: str = "") -> list[Side]:
    """Return every card of notes, rendered by a real Anki, with `typed` in the box of a typed answer."""
    shown = []
    with learner(folder / "anki") as collection:
        import_package(collection, package(folder / "a.apkg", notes))
        for note in notes:
            expected = note.fields[FIELDS.index("Typed")]
            box = "<center><input type=text id=typeans style=\"font-family: 'Liberation Sans'; font-size: 20px\"></center>"
            compared = collection.compare_answer(expected, typed)
            for card in cards_of(collection, note.guid):
                front, back = (inlined(side, note) for side in sides(card))
                css = card.note_type()["css"]
                name = f"{note.guid}-{card.ord}"
                shown.append(Side(f"{name}-front", css, front.replace("[[type:Typed]]", box)))
                shown.append(
                    Side(
                        f"{name}-back",
                        css,
                        back.replace("[[type:Typed]]", f'<div style="font-size: 20px">{compared}</div>'),
                    )
                )
    return shown


def inlined(html: str, note: RenderedNote) -> str:
    """Return HTML with SVG files inlined, because the page has no folder."""
    for media in note.media:
        content = base64.b64encode(media.file.read_bytes()).decode()
        html = html.replace(f'"{media.name}"', f'"data:image/svg+xml;base64,{content}"')
    return html


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """Return a page in the system's Chromium."""
    with chromium() as browser:
        yield browser.new_context(offline=True).new_page()


def faults(page: Page, cards: list[Side], host: Host, *, night: bool) -> list[str]:
    """Show all sides in a host's page at every width; return those that scroll sideways or are unreadable."""
    found = []
    for side in cards:
        page.set_content(side.page(host, night=night))
        open_everything(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 700})
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if wide:
                found.append(f"{side.name} at {width}: {wide} px too wide")
        found += [f"{side.name}: {fault}" for fault in page.evaluate(LOW_CONTRAST)]
    return found


def open_everything(page: Page) -> None:
    """Open hints and details, as a curious learner does."""
    page.evaluate(
        """document.querySelectorAll("details").forEach(each => each.open = true);
        document.querySelectorAll("div.hint").forEach(each => each.style.display = "block")"""
    )


LOW_CONTRAST = """() => {
  const numbers = colour => (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number).map(
    (value, n) => colour.startsWith("color(srgb") && n < 3 ? 255 * value : value);
  const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const over = ([r, g, b, a = 1], ground) => [r, g, b].map((value, n) => value * a + ground[n] * (1 - a));
  const ground = element => {
    if (!element) return [255, 255, 255];
    return over(numbers(getComputedStyle(element).backgroundColor), ground(element.parentElement));
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (!text.data.trim() || !element.checkVisibility() || element.tagName === "STYLE") continue;
    const below = ground(element), above = over(numbers(getComputedStyle(element).color), below);
    const [dark, light] = [luminance(below), luminance(above)].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push(`${element.outerHTML.slice(0, 80)} ${ratio.toFixed(2)}`);
  }
  return found;
}"""
"""The text nodes with a contrast below WCAG's AA for normal text, 4.5."""

PICTURES_SHOWN = """[...document.images].filter(each => each.checkVisibility()).map(each => `${each.alt} ${each.naturalWidth}`)"""
"""The visible pictures: the text of each, and its width on the page."""
