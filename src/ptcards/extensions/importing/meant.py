"""Reads a field as the person who typed or pasted it in Anki's editor means it."""

import re
from collections.abc import Iterable, Iterator

from ptcards.extensions.desktop.merge.html_tree import Element, Node, as_html, parse_html
from ptcards.extensions.desktop.merge.item_lists import with_plain_list
from ptcards.extensions.desktop.merge.texts import is_same_html, tidied
from ptcards.extensions.importing.occlusions import without_numbers
from ptcards.markdown.links import short_address

_UNSEEN = re.compile("[\xad\u2060\ufeff]|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\u200b")
"""Matches soft hyphens, and characters without width, but not those that part words of Thai or Khmer."""
_SPACES = re.compile(r"[ \t\n]+\xa0\s*|\xa0\s+")
"""Spaces of which one does not break: the editor writes it so that it is not lost beside another."""
_IN = r"(?:(?!::)[^\s<>()\"{}|\\^`])"
_ADDRESS = re.compile(rf"(https?://(?:{_IN}|\({_IN}*\))*(?:(?![.,;:!?'*_~\]]){_IN}|\({_IN}*\)))")
_DASHED = re.compile(r"(^|<br>|<p>|<div>)(- (?:(?!<br>|</?p>|</?div>).)*)")
_VERBATIM = frozenset({"code", "pre", "tt"})


def as_meant(field: str) -> str:
    """Return a field with links for addresses, a header in each table, and nothing that nobody sees."""
    return as_html([*_meant(tidied(parse_html(field)).children)])


def comparable(field: str) -> str:
    """Return a field in which everything looks the same that means the same.

    A plain list may be lines that begin with `- `.
    """
    root = parse_html(as_meant(as_written(field)))
    shown = as_html([*_typed_lists(root.children)])
    return _DASHED.sub(r"\1<br><br>\2<br><br>", shown)


def as_written(field: str) -> str:
    """Return a field without the numbers of items and boxes, which are not in the Markdown."""
    return without_numbers(field) if "::image-occlusion:" in field else with_plain_list(field)


def is_same_as_written(one: str, other: str) -> bool:
    """Whether a browser shows two fields in the same way, whatever the numbers of items and boxes are."""
    return one == other or is_same_html(as_written(one), as_written(other))


def _meant(nodes: Iterable[Node]) -> Iterator[Node]:
    for each in nodes:
        if isinstance(each, str):
            parts = _ADDRESS.split(_SPACES.sub(" ", _UNSEEN.sub("", each)))
            yield from (
                Element("a", {"href": part}, [part]) if n % 2 else part for n, part in enumerate(parts)
            )
            continue
        address = each.attributes.get("href", "") if each.tag == "a" else ""
        if address and each.children in ([address], [short_address(address)]):
            each.attributes, each.children = {"href": address}, [address]
        elif each.tag not in _VERBATIM and not address:
            each.children = [*_meant(each.children)]
        if each.tag == "pre" and not each.attributes:
            each.attributes = {"class": "code"}
        elif each.tag == "table":
            each.children = [
                row for part in (each, *each.elements) for row in part.elements if row.tag == "tr"
            ]
            for number, row in enumerate(each.elements):
                row.children = [_cell(cell, is_header=number == 0) for cell in row.elements]
        yield each


def _cell(cell: Element, *, is_header: bool) -> Element:
    """Return a cell without a paragraph around its text, as a header if it is in the first row."""
    inner = [each for each in cell.children if not (isinstance(each, str) and each.isspace())]
    if len(inner) == 1 and isinstance(inner[0], Element) and inner[0].tag in ("p", "div"):
        cell.children = inner[0].children
    return Element("th" if is_header else cell.tag, cell.attributes, cell.children)


def _typed_lists(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes, with each list of plain items as somebody types it: a line for each, with a dash.

    Two lists in a row stay two: no line that is typed parts them.
    """
    last: Node = ""
    for each in nodes:
        if isinstance(each, Element) and _is_plain_list(each):
            if isinstance(last, Element) and last.tag == "ul":
                yield Element("hr")
            yield from (Element("p", {}, ["- ", *item.children]) for item in each.elements)
        else:
            yield each
        last = last if isinstance(each, str) and each.isspace() else each


def _is_plain_list(element: Element) -> bool:
    is_list = element.tag == "ul" and not element.attributes
    return is_list and not any(item.attributes or item.has_blocks for item in element.elements)
