"""Converts the descriptions of a package's decks."""

import re
from dataclasses import dataclass, field
from html import escape

from ptcards.importing.markdown import Likeness, as_text, to_markdown
from ptcards.importing.package import Package, Scope
from ptcards.importing.values import Deck
from ptcards.source.config import names_html

_LICENSE = re.compile(r"(?:\A|\n\n)License: ([^\n]+)\Z")
_STRUCTURE = re.compile(r"^ {0,3}(?:#|[-=]+[ \t]*$)|<!--", re.MULTILINE)
"""Text that has a meaning in a source but not in a description."""


@dataclass(slots=True)
class Descriptions:
    """The descriptions of a new collection and of the decks in it.

    `root` is Markdown. If Markdown cannot express the description, `html` is used instead. `below` contains
    the descriptions of the other decks in Markdown; `changed` counts those that lost formatting.
    """

    root: str = ""
    html: str = ""
    license: str = ""
    below: dict[str, str] = field(default_factory=dict)
    changed: int = 0


def descriptions_of(package: Package, scope: Scope, *, fresh: bool) -> Descriptions:
    """Return the descriptions of the decks in a scope, without formatting if the import is `fresh`."""
    found = Descriptions()
    for deck in package.database.decks.values():
        is_asked_for = deck.name in scope or scope.deck.startswith(f"{deck.name}::")
        if not is_asked_for or not deck.description.strip():
            continue
        name = scope.renamed(deck.name)
        if name == scope.name:
            _add_root(found, deck, fresh=fresh)
        else:
            text, is_changed = _below(deck)
            found.below[name] = text.replace("<!--", "<!&#45;-")  # otherwise it would become a card comment
            found.changed += is_changed
    return found


def _add_root(found: Descriptions, deck: Deck, *, fresh: bool) -> None:
    if deck.is_markdown:
        if license_line := _LICENSE.search(deck.description):
            found.license = license_line[1]
        found.root = _LICENSE.sub("", deck.description)
    else:
        text, is_changed = _markdown(deck.description)
        found.root = text if fresh or not is_changed else ""
    if names_html(found.root):  # `deck.toml` would read it as a file name
        found.root, found.html = "", escape(found.root)
    elif not found.root and not found.license:
        found.html = deck.description


def _below(deck: Deck) -> tuple[str, bool]:
    """Return a deck's description as the text below its heading, and whether it lost formatting."""
    if not deck.is_markdown:
        return _markdown(deck.description)
    is_changed = _STRUCTURE.search(deck.description) is not None
    lines = escape(deck.description, quote=False).replace("\n", "<br>")
    return as_text(lines) if is_changed else deck.description, is_changed


def _markdown(html: str) -> tuple[str, bool]:
    """Return an HTML description as Markdown without files, and whether it lost formatting."""
    if (exact := to_markdown(html, {})).markdown and exact.likeness is Likeness.ALL:
        return exact.markdown, False
    found = to_markdown(html, {}, exact=False)
    return as_text(html) if found.markdown is None else found.markdown, True
