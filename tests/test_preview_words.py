"""The interface of `ptcards serve` takes its words from one table, so that it can be translated."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import ptcards.preview

ROOM = Path(ptcards.preview.__file__).parent
PAGE = ROOM / "page"
WORDS: dict[str, str] = json.loads((PAGE / "words.json").read_text("utf-8"))
SAME_EVERYWHERE = re.compile(r"(?:ptcards|Space|Esc|[A-Z]|[\d/?←→↑↓‹›✕☰◐ ])*")


class _Texts(HTMLParser):
    """Collects what a person reads in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.found += [given.get(name) or "" for name in ("title", "aria-label", "placeholder")]
        self.silent = tag if tag in ("script", "pre", "style") else ""

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.found.append(data.strip())


def test_the_page_holds_no_words_of_its_own() -> None:
    texts = _Texts()
    texts.feed(re.sub(r"\{\{\w+\}\}", "", (PAGE / "index.html").read_text("utf-8")))
    assert [text for text in texts.found if not SAME_EVERYWHERE.fullmatch(text)] == []


def test_every_word_that_is_asked_for_is_in_the_table() -> None:
    scripts = "".join(file.read_text("utf-8") for file in sorted(PAGE.glob("*.js")))
    asked = set(re.findall(r"\{\{(\w+)\}\}", (PAGE / "index.html").read_text("utf-8")))
    asked |= set(re.findall(r'\bsay\("(\w+)"', scripts))
    for name in re.findall(r'\bmany\("(\w+)"', scripts):
        asked |= {name, f"{name}_one"}
    asked |= set(re.findall(r'_said\("(\w+)"', (ROOM / "actions.py").read_text("utf-8")))
    assert len(asked) > 50
    assert asked - WORDS.keys() == set()
