"""The DOM that a browser makes of HTML, in a form that allows comparing ours with GitHub's."""

import re
from collections.abc import Iterator
from typing import TypeAlias
from urllib.parse import unquote
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options

Node: TypeAlias = "str | tuple[str, tuple[tuple[str, str], ...], tuple[Node, ...]]"

_TEXT = "text"
_OPTIONS = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
_OURS = re.compile(r"(?:contains-task-list|task-list-item|tappable|footnote-ref|footnotes|code|output|ln|hl)")


def github_html(markdown: str) -> str:
    """Render with GitHub's own engine."""
    html = cmarkgfm.github_flavored_markdown_to_html(markdown, options=_OPTIONS)
    assert isinstance(html, str)
    return html


def dom(html: str, *, relative_links: bool = True) -> tuple[Node, ...]:
    """Parse HTML as a browser does, and remove differences that are only matters of style.

    Without `relative_links`, such a link counts as its text, which is what a card shows.
    """
    fragment = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    for element in fragment.iter("a"):
        if not relative_links and not re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", element.get("href") or ""):
            element.tag = _TEXT
    return _merged(_children(fragment))


def _children(element: Element) -> Iterator[Node]:
    if element.text:
        yield element.text
    for child in element:
        if isinstance(child.tag, str):
            yield from _node(child)
        if child.tail:
            yield child.tail


def _node(element: Element) -> Iterator[Node]:
    classes = set((element.get("class") or "").split())
    if "footnote-backref" in classes or element.tag == "figcaption":
        return
    if element.tag == _TEXT or (element.tag == "figure" and "snippet" in classes):
        yield from _children(element)
    elif element.tag == "pre":
        yield "pre", (), ("".join(element.itertext()).rstrip("\n"),)
    elif element.tag == "span" and not len(element) and not element.text and not element.attrib:
        return
    else:
        yield (
            element.tag,
            _attributes(element, classes),
            _merged(_children(element), exact=element.tag == "code"),
        )


def _attributes(element: Element, classes: set[str]) -> tuple[tuple[str, str], ...]:
    kept = {}
    for name, value in element.attrib.items():
        if name == "class":
            rest = " ".join(sorted(each for each in classes if not _OURS.fullmatch(each)))
            if rest:
                kept["class"] = rest
        elif name == "style" and value.startswith("text-align:"):
            kept["align"] = value.removeprefix("text-align:")
        elif name in ("href", "src"):
            kept[name] = "#" if value.startswith("#") and "fn" in value else unquote(value)
        elif (name == "id" and "fn" in value) or name.startswith("data-footnote"):
            continue
        elif name in ("disabled", "checked"):
            kept[name] = ""
        else:
            kept[name] = value
    return tuple(sorted(kept.items()))


def _merged(nodes: Iterator[Node], *, exact: bool = False) -> tuple[Node, ...]:
    """Join adjacent texts, and drop white space at the edges."""
    joined: list[Node] = []
    for node in nodes:
        if isinstance(node, str) and joined and isinstance(joined[-1], str):
            joined[-1] += node
        else:
            joined.append(node)
    if exact:
        return tuple(joined)
    stripped = [
        re.sub(r"[ \t\n\f\r]+", " ", node).strip(" ") if isinstance(node, str) else node for node in joined
    ]
    return tuple(node for node in stripped if node != "")
