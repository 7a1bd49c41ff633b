"""Parses the HTML of a field into a tree, and closes open elements as browsers do."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from html.parser import HTMLParser
from typing import Union

VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
BLOCKS = frozenset(
    (
        "address article aside blockquote center dd details div dl dt figure figcaption footer h1 h2 "
        "h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr "
        "ul"
    ).split()
)
MAX_DEPTH = 32
"""The maximum nesting depth of elements; no editor reaches it."""
_ENDS_PARAGRAPH = BLOCKS - {"li", "td", "th", "tr", "tbody", "thead", "tfoot"}

_TOO_LARGE = re.compile(r"&#[0-9]{10,};?")
_NO_END_TAG = re.compile(r"</(?![a-zA-Z])[^>]*>")
"""Matches what is a comment for browsers, but an end tag for some versions of Python: `</ br>`."""

_TOKEN = re.compile(
    # This matches neither raw text, as in a script, nor a number that is too large to read.
    r"(?P<text>(?:[^<&]+|&(?:[a-zA-Z]{1,8}|#[0-9]{1,7});)+)|</(?P<end>[a-zA-Z][a-zA-Z0-9]*)>"
    r"|<(?!script|style|t[ei]|iframe|no|plain|xmp)(?P<tag>[a-zA-Z][a-zA-Z0-9]*)"
    r'(?P<about>(?: [a-zA-Z-]+="[^"<>&]*")*)(?P<closed> ?/)?>',
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r' ([a-zA-Z-]+)="([^"]*)"')

Node = Union["Element", str]


@dataclass(slots=True, eq=False)
class Element:
    """An element and its content."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        """Its class names."""
        return self.attributes.get("class", "").split()

    @property
    def elements(self) -> list["Element"]:
        """The child elements."""
        return [each for each in self.children if isinstance(each, Element)]

    def inside(self) -> Iterator["Element"]:
        """Yield all descendants in order."""
        for element in self.elements:
            yield element
            yield from element.inside()

    @property
    def has_blocks(self) -> bool:
        """Whether any descendant begins on a new line."""
        return any(element.tag in BLOCKS for element in self.inside())

    def text(self) -> str:
        """Return the text with a newline for each `<br>`, and no other changes."""
        parts = [
            each if isinstance(each, str) else "\n" if each.tag == "br" else each.text()
            for each in self.children
        ]
        return "".join(parts)


def parse_html(html: str) -> Element:
    """Return the root of a field's tree, without comments."""
    if "<" not in html and "&" not in html:
        return Element("", children=[html] if html else [])
    builder = _Builder()
    if builder.read(html):
        return builder.root
    # At each unclosed tag, Python's parser reads on to the end of the text. It also raises an error for
    # numbers with thousands of digits.
    closed, mark, rest = html.rpartition(">")
    whole = _NO_END_TAG.sub("", closed + mark) + rest.replace("<", "&lt;")
    builder.feed(_TOO_LARGE.sub("\ufffd", whole))
    builder.close()
    return builder.root


def as_html(nodes: Sequence[Node]) -> str:
    """Return part of a tree as HTML."""
    parts = []
    for node in nodes:
        if isinstance(node, str):
            parts.append(escape(node, quote=False))
        else:
            attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
            inner = "" if node.tag in VOID else f"{as_html(node.children)}</{node.tag}>"
            parts.append(f"<{node.tag}{attributes}>{inner}")
    return "".join(parts)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self.open = [self.root]

    def read(self, html: str) -> bool:
        """Parse ordinary HTML in half the time and return `True`; otherwise do nothing and return `False`."""
        tokens = list(_TOKEN.finditer(html))
        if sum(token.end() - token.start() for token in tokens) < len(html):
            return False
        for token in tokens:
            if text := token["text"]:
                self.handle_data(unescape(text))
            elif token["end"]:
                self.handle_endtag(token["end"].lower())
            else:
                begin = self.handle_startendtag if token["closed"] else self.handle_starttag
                about = _ATTRIBUTE.findall(token["about"])
                begin(token["tag"].lower(), [(name.lower(), value) for name, value in about])
        return True

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ENDS_PARAGRAPH:
            self._close("p", {"li", "td", "th", "blockquote", "div"})
        elif tag in ("li", "dd", "dt", "tr", "td", "th"):
            self._close(
                tag, {"ul", "ol", "dl", "table", "tr"} if tag in ("td", "th") else {"ul", "ol", "dl", "table"}
            )
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID and len(self.open) < MAX_DEPTH:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].children.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        # Browsers read `</br>` as `<br>`, and `</p>` without its beginning as an empty paragraph.
        if tag == "br" or (tag == "p" and all(each.tag != "p" for each in self.open)):
            self.open[-1].children.append(Element(tag))
        elif tag not in VOID:
            self._close(tag, {"td", "th"} - {tag} if tag != "table" else set())

    def handle_data(self, data: str) -> None:
        children = self.open[-1].children
        if children and isinstance(children[-1], str):
            children[-1] += data
        else:
            children.append(data)

    def _close(self, tag: str, walls: set[str]) -> None:
        """Close the nearest open element with this tag, unless an element in `walls` is in between."""
        for depth in range(len(self.open) - 1, 0, -1):
            if self.open[depth].tag == tag:
                del self.open[depth:]
                return
            if self.open[depth].tag in walls:
                return


CELL = "\x15"
"""What is between the cells of a row."""


def join_cells(root: Element) -> None:
    """Put the cells of each row of a table on one line, each with its own direction, with `CELL` between."""
    for row in root.inside():
        for number, cell in enumerate(row.elements if row.tag == "tr" else ()):
            cell.tag = "span"
            begin, end = ("", "") if cell.has_blocks else ("\u2068", "\u2069")
            cell.children = [f" {CELL} {begin}" if number else begin, *cell.children, end]


_SPACES = re.compile(r"[ \t\n\r\f]{2,}|[\t\n\r\f]")
"""White space other than a single space."""


def collapsed(text: str) -> str:
    """Return text with each run of white space replaced by one space, as browsers show it."""
    return _SPACES.sub(" ", text)


def visible(root: Element) -> str:
    """Return the text of a tree as a reader sees it: lines with only the visible white space."""
    parts: list[str] = []
    _write(root, parts, preformatted=False)
    lines = (collapsed(line).strip() for line in "".join(parts).split("\n"))
    return "\n".join(line.replace("\0", "\n").replace("\1", " ") for line in lines if line)


def _write(element: Element, parts: list[str], *, preformatted: bool) -> None:
    """Append the text of an element to `parts`, with line ends only where they are visible.

    Marks temporarily replace line ends and spaces in preformatted text, to protect them.
    """
    for each in element.children:
        if isinstance(each, str):
            shown = each.replace("\n", "\0").replace(" ", "\1") if preformatted else collapsed(each)
            parts.append(shown)
        elif each.tag in ("script", "style", "rt"):
            continue
        elif each.tag == "br":
            parts.append("\0" if preformatted else "\n")
        elif each.tag == "pre" and not preformatted:
            inner: list[str] = []
            _write(each, inner, preformatted=True)
            parts += ["\n", "".join(inner).strip("\0"), "\n"]
        else:
            edge = "\n" if each.tag in BLOCKS else ""
            parts.append(edge)
            _write(each, parts, preformatted=preformatted)
            parts.append(edge)
