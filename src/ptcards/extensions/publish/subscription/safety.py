"""What an update brings that can run a program, or load something from the network, when a card is shown."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from ptcards.extensions.publish.subscription.package import AnkiNoteType
from ptcards.notes.html_tree import Element, parse_html


class Threat(NamedTuple):
    """Something that can do harm: `kind` is `program` or `network`.

    `what` is the markup, or the server that is asked.
    """

    kind: str
    what: str


class Danger(NamedTuple):
    """A kind of threat that is new to the collection, in how many notes and in which note types.

    `program` is a script, a frame or the like. `network` is something that is loaded each time a card is
    shown, so that a server can see when the learner learns.
    """

    kind: str
    notes: int
    layouts: tuple[str, ...]


_PROGRAMS = frozenset(
    "animate applet base embed form frame frameset iframe link meta object portal script set".split()
)
_RAW_PROGRAM = re.compile(rf"<[\s/]*(?:{'|'.join(sorted(_PROGRAMS))})\b[^>]*", re.IGNORECASE)
"""Finds what a browser may see where our parser does not, as in `<math><style><!--</style><script>`."""
_RAW_HANDLER = re.compile(r"<[^<>]*[\s\"'/]on[a-z]+\s*=[^<>]*", re.IGNORECASE)
_SCRIPT_ADDRESS = re.compile(r"(?:javascript|vbscript|data:(?:text/html|[a-z/+]*xml))\b", re.IGNORECASE)
_CODE = frozenset(("srcdoc", "formaction"))
_LINKS = frozenset(("href", "xlink:href"))
_TEXTS = frozenset("abbr alt aria-label cite class content id lang placeholder title value xmlns".split())
_INVISIBLE = re.compile(r"[\x00-\x20\x7f-\xa0]")
_REMOTE = re.compile(r"(?:(?:https?|ftp|wss?):|[/\\]{2})", re.IGNORECASE)
_IN_CSS = re.compile(r"(?:(?:https?|ftp):)?[/\\]{2}[^\s'\")]*", re.IGNORECASE)
_CSS_COMMENT = re.compile(r"/\*(?:.*?\*/|.*)", re.DOTALL)
_CSS_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?|\\(.)", re.DOTALL)
_CSS_PROGRAM = re.compile(r"expression\s*\(|-moz-binding|behavior\s*:|</style", re.IGNORECASE)
_NAMESPACE = re.compile(r"http://www\.w3\.org/[-\w./]*")
_SOUND = re.compile(r"\[sound:\s*((?:https?|ftp|rtmp|rtsp|mms)?:?//[^\]]*)\]", re.IGNORECASE)


_READ_AS_TEXT = frozenset("noscript plaintext style svg template textarea title xmp".split())
"""Elements whose content a browser reads in its own way."""
_HARMLESS = re.compile(
    rf"""</?(?!(?i:{"|".join(sorted(_PROGRAMS | _READ_AS_TEXT))})\b)[a-zA-Z][a-zA-Z0-9]*
    (?>\s+(?:
        (?:alt|class|colspan|dir|height|id|lang|open|rowspan|start|title|type|width|(?:aria|data)-[a-z-]+)
            (?:="[^"<>]*")?
        |src="[^"<>&:/\\]*"
        |style="[-\w:;.,%\ \#]*"
        |href="(?:https?://[^"<>&\s]*|\#[^"<>]*)"
    ))*\s*/?>""",
    re.VERBOSE,
)
"""A tag as most notes have them, which needs no parser: that takes a millisecond for a note."""


def in_html(html: str) -> frozenset[Threat]:
    """Return the threats in a field or a template."""
    found = {Threat("network", _server(each[1])) for each in _SOUND.finditer(html)}
    if html.count("<") == sum(1 for _ in _HARMLESS.finditer(html)):
        return frozenset(found)
    found |= {
        Threat("program", each[0]) for each in (*_RAW_PROGRAM.finditer(html), *_RAW_HANDLER.finditer(html))
    }
    for element in parse_html(html).inside():
        found.update(_of_element(element))
    return frozenset(found)


def _of_element(element: Element) -> Iterator[Threat]:
    if element.tag in _PROGRAMS:
        yield Threat("program", f"<{element.tag} {element.attributes}>{element.text()}")
    if element.tag == "style":
        yield from in_css(element.text())
    for name, value in element.attributes.items():
        plain = _INVISIBLE.sub("", value)
        if name.startswith("on") or name in _CODE or _SCRIPT_ADDRESS.match(plain):
            yield Threat("program", f"{name}={value}")
        is_link = name in _LINKS and element.tag in ("a", "area")
        if is_link or name in _TEXTS or name.startswith(("xmlns:", "data-")):
            continue
        if name == "style" or "url(" in plain.lower():
            yield from in_css(value)
        elif name == "srcset":
            yield from (Threat("network", _server(each)) for each in plain.split(",") if _REMOTE.match(each))
        elif _REMOTE.match(plain):
            yield Threat("network", _server(plain))


def in_css(css: str) -> Iterator[Threat]:
    """Yield the threats in CSS."""
    text = _CSS_COMMENT.sub("", _NAMESPACE.sub("", css))
    text = _CSS_ESCAPE.sub(lambda each: _letter(each[1]) if each[1] else each[2], text)
    yield from (Threat("program", each[0]) for each in _CSS_PROGRAM.finditer(text))
    yield from (Threat("network", _server(each[0])) for each in _IN_CSS.finditer(text))


def _letter(number: str) -> str:
    return chr(int(number, 16)) if int(number, 16) < 0x110000 else ""


def _server(address: str) -> str:
    """Return the server of an address."""
    try:
        return urlsplit(address.replace("\\", "/")).netloc or address
    except ValueError:
        return address


def in_layout(note_type: AnkiNoteType) -> frozenset[Threat]:
    """Return the threats in the templates and CSS of a note type."""
    css, *sides = note_type.texts
    return frozenset(in_css(css)).union(*map(in_html, sides))


def find_dangers(
    notes: Iterable[tuple[str, str]],
    layouts: Iterable[tuple[AnkiNoteType, AnkiNoteType | None]],
    known: Iterable[str],
) -> tuple[Danger, ...]:
    """Return the dangers that are new to a collection, by kind.

    `notes` are texts that go into notes, each with the text before; `layouts` are note types with those
    before. A server is not new if one of the texts in `known`, which are in the collection, uses it.
    """
    in_notes: Counter[str] = Counter()
    in_types: dict[str, list[str]] = {}
    known = tuple(known)
    servers: dict[str, bool] = {}

    def is_new(threat: Threat) -> bool:
        if threat.kind == "network" and threat.what not in servers:
            servers[threat.what] = not any(f"//{threat.what}" in text for text in known)
        return threat.kind == "program" or servers[threat.what]

    for text, before in notes:
        in_notes.update({each.kind for each in in_html(text) - in_html(before) if is_new(each)})
    for layout, earlier in layouts:
        threats = in_layout(layout) - (in_layout(earlier) if earlier else frozenset())
        for kind in {each.kind for each in threats if is_new(each)}:
            in_types.setdefault(kind, []).append(layout.name)
    kinds = ("program", "network")
    return tuple(
        Danger(kind, in_notes[kind], tuple(in_types.get(kind, ())))
        for kind in kinds
        if in_notes[kind] or kind in in_types
    )
