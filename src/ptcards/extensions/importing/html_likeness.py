"""How alike two pieces of HTML are, as somebody sees them."""

import html
import re
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from ptcards.extensions.desktop.merge.html_tree import Element, collapsed, parse_html, visible
from ptcards.markdown.render import render
from ptcards.markdown.render_inlines import Cloze
from ptcards.notes import Text

LATEX = re.compile(
    r"\[latex\](?:(?!\[latex\]).)+?\[/latex\]|\[\$\](?:(?!\[\$\]).)+?\[/\$\]"
    r"|\[\$\$\](?:(?!\[\$\$\]).)+?\[/\$\$\]",
    re.DOTALL | re.IGNORECASE,
)
"""Matches what Anki draws with LaTeX."""
SOUND = re.compile(r"\[sound:([^\]\n]{1,1000}+)\]")
AROUND_MATHS = re.compile(r"(?<!\s)\s++(?=\\[\[\]])|(?<=\\[\[\]])\s+")
DELETION = re.compile(r"\{\{c(\d+)::")


def how_alike(
    markdown: str, field: str, original: Element, names: Mapping[str, str], *, is_cloze: bool
) -> bool | None:
    """Return whether rendered Markdown is a field with structure and look, or `None` if the text differs."""
    cloze = Cloze.CODE if is_cloze else Cloze.NONE
    rendered, _ = render(Text(markdown), names=names, prefix="i", cloze=cloze)
    if is_cloze and DELETION.findall(rendered) != DELETION.findall(field):
        return None
    tree = parse_html(rendered)
    if _said(tree) != _said(original):
        return None
    return _shape(tree) == _shape(original) and LATEX.findall(rendered) == LATEX.findall(field)


def _said(tree: Element) -> str:
    """Return the text of a tree, without sounds and without line ends around formulas."""
    return AROUND_MATHS.sub("", SOUND.sub("", visible(tree).replace("\xa0", " "))).strip()


def _shape(tree: Element) -> list[tuple[str, str]]:
    return [*_structure(tree), *(("audio", name) for name in SOUND.findall(tree.text()))]


_SAME = {"strong": "b", "em": "i", "del": "s", "strike": "s", "tt": "code"}
_SEEN = frozenset(
    "a b blockquote code h i img li ol pre s sub sup td th table u ul audio ruby kbd mark".split()
)
_TIGHT = frozenset({"b", "i", "s", "u", "code", "a"})


def _structure(element: Element) -> Iterator[tuple[str, str]]:
    """Yield the pictures, code, lists, tables, emphasis and links of a tree, in order.

    Each is a tag with the property that matters for comparing it.
    """
    for each in element.elements:
        if counted := _counted(each):
            yield counted
        if each.tag != "pre":  # the `<code>` inside a code block does not count separately
            yield from _structure(each)


def _counted(element: Element) -> tuple[str, str] | None:
    """Return an element's tag and the property that matters, or `None` if it does not count."""
    tag = "h" if re.fullmatch("h[1-6]", element.tag) else _SAME.get(element.tag, element.tag)
    if tag not in _SEEN:
        return None
    about = element.attributes.get("href", "") if tag == "a" else ""
    if tag in ("img", "audio"):
        about = unquote(html.unescape(element.attributes.get("src", "")))
    if tag not in _TIGHT:
        return tag, about
    said = collapsed(element.text()).strip()
    return (tag, about or said) if said or element.elements else None
