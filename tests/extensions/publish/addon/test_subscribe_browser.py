"""Whatever makes a request or runs a script on a card in Chromium was named as a danger before."""

import os
import random
from collections.abc import Mapping
from typing import NamedTuple

import pytest

from addon.showing import showing
from browsing import chromium
from ptcards.extensions.publish.subscription.dangers import (
    Danger,
    KnownTexts,
    ReleasedFiles,
    Show,
    ShownNote,
    find_dangers,
)
from ptcards.extensions.publish.subscription.package import AnkiNoteType, AnkiTemplate
from xss import CORPUS, EVIL

from playwright.sync_api import Browser, Error, Page, Route  # isort: skip - after `browsing`, which skips this module if there is no browser

pytestmark = pytest.mark.browser
PACKAGES = int(os.environ.get("PACKAGES", "100"))
"""The number of packages; the long form of the scorecard has 1,000."""
HOME = "http://127.0.0.1:9/"
ASKED = "//evil.example/a"
_TEMPLATES = (
    "{{Front}}",
    "{{Front}}<{{Extra}}>",
    "{{Front}}<scr{{#Front}}{{/Front}}ipt>window.pwned=1</scr{{#Front}}{{/Front}}ipt>",
    '{{Front}}<img src="{{Extra}}">',
    '{{Front}}<div style="{{Extra}}">x</div>',
    '{{Front}}<b class="{{Extra}}">x</b>',
    "{{Front}}<b title={{Extra}}>x</b>",
    "{{Front}}<style>{{Extra}}</style>",
    "{{Front}}{{Extra}}",
    "{{Front}}{{text:Extra}}",
    "{{Front}}{{hint:Extra}}",
    "{{Front}}<!-- {{Extra}} -->{{Extra}}",
    "{{Front}}<svg><style>{{Extra}}</style></svg>",
    "{{Front}}<textarea>{{Extra}}</textarea>",
)
_ADDRESSES = (
    ASKED,
    f"https:{ASKED}",
    "https:evil.example/a",
    "https:/evil.example/a",
    "\\\\evil.example\\a",
    "/\t/evil.example/a",
    "local.png",
)
_CSS = (
    "background:url({})",
    "background:url('{}')",
    "background:image-set('{}' 1x)",
    "background:\\75rl({})",
    "background:u\\\nrl({})",
    "content:'/*';background:url({});quotes:'*/' ''",
    "--a:'{}';background:image-set('{}' 1x)",
    "color:red",
)
_TEXTS = (
    "img src=x onerror=window.pwned=1 ",
    "img src={} ",
    "{}",
    "<img src='{}'>",
    "<img srcset='{} 1x'>",
    "&lt;img src={}&gt;",
    '" onmouseover=window.pwned=1 autofocus tabindex=1 onfocus=window.pwned=1 x="',
    "<scr",
    "<svg><image href='{}'/></svg>",
    "<svg><rect width=9 height=9 fill='url({}#x)'/></svg>",
    "<svg><style>rect{{fill:u<a></a>rl({})}}</style><rect/></svg>",
    "<p title='<img src={}>'>x</p>",
    "<a href='{}'>x</a>",
    "plain",
)


class Package(NamedTuple):
    """A hostile package with one note."""

    note: ShownNote
    files: Mapping[str, str]


def css_of(pick: random.Random) -> str:
    return pick.choice(_CSS).replace("{}", pick.choice(_ADDRESSES))


def text_of(pick: random.Random) -> str:
    if pick.random() < 0.2:
        return css_of(pick)
    if pick.random() < 0.25:
        return pick.choice(CORPUS).replace(EVIL, "https://evil.example").replace("alert(1)", "0")
    text = pick.choice(_TEXTS).format(pick.choice(_ADDRESSES))
    if pick.random() < 0.3:  # a small mutation
        place = pick.randrange(len(text))
        text = (
            text[:place]
            + pick.choice(["<", ">", '"', "'", "/", " ", "\n", "&", "<!--", "-->"])
            + text[place:]
        )
    return text


def package_of(pick: random.Random) -> Package:
    css, files = "", {}
    if pick.random() < 0.3:
        css = f"#qa {{ {css_of(pick)} }}"
    if pick.random() < 0.2:
        css = '@import "_x.css";' + css
        files = {"_x.css": f"#qa {{ {css_of(pick)} }}"}
    templates = (AnkiTemplate(0, "Card", pick.choice(_TEMPLATES), "{{FrontSide}}{{Front}}", "", ""),)
    kind = AnkiNoteType(1, "Geo", 0, css, False, ((0, "Front"), (0, "Extra")), templates)
    front = "plain" if pick.random() < 0.7 else text_of(pick)
    return Package(ShownNote(kind, (front, text_of(pick)), ""), files)


def dangers_of(package: Package, show: Show) -> tuple[Danger, ...]:
    layouts = [(package.note.note_type, None)]
    known = KnownTexts((), ())
    files = ReleasedFiles(package.files, package.files)
    return find_dangers([(package.note, None)], (), layouts, files, known=known, show=show)


_SET = """html => {
    const qa = document.getElementById("qa");
    qa.innerHTML = html;
    for (const old of qa.querySelectorAll("script")) {
        const made = document.createElement("script");
        for (const each of old.attributes) made.setAttribute(each.name, each.value);
        made.text = old.text;
        old.replaceWith(made);
    }
    return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(
        () => setTimeout(() => done(window.pwned || 0), 15))));
}"""
"""What Anki's reviewer does with a side of a card; its result says whether a script has run."""


class Reviewer:
    """A page that shows cards, and what the last one asked other servers for."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self.requests: list[str] = []
        self._page = self._opened()

    def _opened(self) -> Page:
        page = self._browser.new_page()
        page.route("**", self._answer)
        return page

    def open_again(self) -> None:
        self._page.close()
        self._page = self._opened()

    def _answer(self, route: Route) -> None:
        url, package = route.request.url, self._package
        name = url.removeprefix(HOME)
        if name == "card":
            css = package.note.note_type.css
            body = f"<!doctype html><style>{css}</style><div id=qa></div>"
            route.fulfill(body=body, content_type="text/html")
        elif name in package.files:
            route.fulfill(body=package.files[name], content_type="text/css")
        else:
            if not url.startswith((HOME, "data:", "about:")):
                self.requests.append(url)
            route.abort()

    def acts(self, package: Package, show: Show) -> bool:
        """Whether a card runs a script or asks for something."""
        self._package = package
        self.requests.clear()
        self._page.goto(f"{HOME}card")
        try:
            has_run = self._page.evaluate(_SET, show(package.note))
        except Error:  # the page went elsewhere
            has_run = True
        return bool(has_run or self.requests)


def test_whatever_acts_on_a_card_was_named_before() -> None:
    pick = random.Random(51)
    packages = [package_of(pick) for _ in range(PACKAGES)]
    with showing() as show, chromium() as browser:
        reviewer = Reviewer(browser)
        acting = [each for each in packages if reviewer.acts(each, show)]
        untold = [each for each in acting if not dangers_of(each, show)]
        # A request of the card before may have come late, so only what a new page repeats counts.
        reviewer.open_again()
        repeated = [(each, [*reviewer.requests]) for each in untold if reviewer.acts(each, show)]
    assert repeated == []
    assert len(acting) > PACKAGES // 5  # otherwise the packages would be harmless
