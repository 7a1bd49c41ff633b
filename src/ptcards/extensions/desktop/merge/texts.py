"""Compares the texts of fields: by digests, and by what a browser shows."""

import hashlib
import re
from collections.abc import Iterable, Sequence

from ptcards.extensions.desktop.merge.html_tree import BLOCKS, Element, Node, parse_html

ANCHORS = re.compile(r"\b[0-9a-f]{11}(?=-[a-z]+[0-9]*-fn(?:ref)?[0-9])")
"""Matches the prefixes of the ids of footnotes in a field, which `anchor` in `anki.fields` makes."""
_SAME_TAGS = {"b": "strong", "i": "em", "s": "del", "strike": "del"}
"""The tags that Anki's editor writes, and the ones that we write for the same appearance."""
_EMPHASIS = {*_SAME_TAGS, *_SAME_TAGS.values()}
_LISTS = frozenset({"ul", "ol"})
_AFTER_BOX = re.compile(r"(?<=}})(?:<br ?/?>|\s)*")


def digest(text: str) -> str:
    """Return 12 hexadecimal digits for a text, or an empty string if it is empty, as most fields are."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""


def with_ids_of(theirs: str, ours: str) -> str:
    """Return our field with the ids of footnotes that Anki has: they depend on the deck and the question."""
    found = ANCHORS.search(theirs)
    return ANCHORS.sub(found[0], ours) if found else ours


def is_same_html(one: str, other: str) -> bool:
    """Whether a browser shows two texts in the same way, apart from margins.

    Anki's editor has its own ways to write `<b>`, `<br>` and `"`, and writes lines where we write paragraphs:
    `one<div>two</div>`, or two `<br>`. Code counts without its highlighting. The ids of footnotes may differ.
    So do lists in lists and spaces at the ends of emphasis, which it leaves outside items and inside `<b>`.
    A question may lack the paragraph that makes it a heading: nobody types that.
    """
    return one == other or shown(one) == shown(other)


def tidied(element: Element) -> Element:
    """Return an element after moving nested lists into items, and spaces out of the ends of emphasis.

    Anki's editor leaves them elsewhere, and browsers show the same.
    """
    children: list[Node] = []
    item = None
    for each in element.children:
        if isinstance(each, Element):
            tidied(each)
            if item and each.tag in _LISTS:
                item.children.append(each)
                continue
            item = each if element.tag in _LISTS else None
        for part in _with_spaces_outside(each):
            if isinstance(part, str) and children and isinstance(children[-1], str):
                children[-1] += part
            else:
                children.append(part)
    element.children = children
    return element


def _with_spaces_outside(node: Node) -> Sequence[Node]:
    """Return emphasis and the spaces that it began or ended with; other nodes stay as they are."""
    if isinstance(node, str) or node.tag not in _EMPHASIS:
        return [node]
    first, *rest = node.children or [""]
    before = after = ""
    if isinstance(first, str):
        before, first = first[: len(first) - len(first.lstrip())], first.lstrip()
    *rest, last = [first, *rest]
    if isinstance(last, str):
        last, after = last.rstrip(), last[len(last.rstrip()) :]
    node.children = [each for each in (*rest, last) if each != ""]
    return [each for each in (before, node if node.children else "", after) if each != ""]


def is_empty_html(html: str) -> bool:
    """Whether a browser shows nothing for a text; Anki's editor leaves `<br>` in a field that was emptied."""
    return not shown(html)


def shown(html: str) -> list[object]:
    """Return what a browser shows for a text, as values to compare, without the ids of footnotes.

    For an image occlusion, these are its boxes by number: Anki's editor writes them in any order.
    """
    if "::image-occlusion:" in html:
        return sorted(filter(None, _AFTER_BOX.split(html)))
    return _blocks(tidied(parse_html(ANCHORS.sub("", html))))


def _blocks(element: Element) -> list[object]:
    """Return the content of an element as values to compare: its blocks, and paragraphs as lists."""
    found: list[object] = []
    line: list[Node] = []
    for each in element.children:
        if isinstance(each, str) or each.tag not in BLOCKS:
            line.append(each)
            continue
        found += _paragraphs(line)
        line = []
        is_plain = not each.attributes or each.attributes == {"class": "heading"}
        found += _blocks(each) if is_plain and each.tag in ("div", "p") else [_plain(each)]
    return found + _paragraphs(line)


def _paragraphs(line: Iterable[Node]) -> list[list[object]]:
    """Return running text as paragraphs, which two or more line breaks separate."""
    paragraphs: list[list[object]] = [[]]
    breaks = 0
    for each in line:
        is_break = isinstance(each, Element) and each.tag == "br"
        if is_break or (isinstance(each, str) and each.isspace() and (breaks or not paragraphs[-1])):
            breaks += is_break
            continue
        if breaks and paragraphs[-1]:
            _end(paragraphs[-1])
            paragraphs += [[]] if breaks > 1 else []
            paragraphs[-1] += [_BREAK] if breaks == 1 else []
        said = _SPACES.sub(" ", each) if isinstance(each, str) else _plain(each)
        is_first = not paragraphs[-1] or paragraphs[-1][-1] is _BREAK
        paragraphs[-1].append(said.lstrip() if isinstance(said, str) and is_first else said)
        breaks = 0
    _end(paragraphs[-1])
    return [each for each in paragraphs if each]


def _end(paragraph: list[object]) -> None:
    """Remove invisible white space from the end of a line."""
    if paragraph and isinstance(text := paragraph[-1], str):
        paragraph[-1:] = [text.rstrip()] if text.strip() else []


_BREAK = ("br",)
_SPACES = re.compile(r"[ \t\n\r\f\xa0]{2,}|[\t\n\r\f]")
"""White space that looks like one space; for two spaces, Anki's editor writes one that does not break."""


def _plain(element: Element) -> tuple[str, dict[str, str], list[object]]:
    inner: list[object]
    if element.tag == "pre":
        marked = [each.text() for each in element.inside() if "hl" in each.classes]
        inner = [element.text().strip("\n"), *marked]
    elif element.tag in BLOCKS:
        inner = _blocks(element)
    else:
        inner = [_plain(each) if isinstance(each, Element) else each for each in element.children]
    attributes = {name: value for name, value in element.attributes.items() if (name, value) != ("alt", "")}
    return _SAME_TAGS.get(element.tag, element.tag), attributes, inner
