"""Cleans the SVG that a program has drawn: only shapes, texts and styles stay, and nothing outside."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from ptcards.diagnostics import WrongUseError

MOST_BYTES = 512_000
"""the maximum size of a drawing"""
_SVG = "{http://www.w3.org/2000/svg}"
_LINKS = ("href", "{http://www.w3.org/1999/xlink}href")
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_KEPT = frozenset(
    "svg a g defs symbol use switch title desc style path rect circle ellipse line polyline polygon text"
    " tspan textPath image marker pattern mask clipPath linearGradient radialGradient stop filter feBlend"
    " feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR"
    " feGaussianBlur feMerge feMergeNode feMorphology feOffset feTurbulence".split()
)
"""The elements that stay; others, such as `script` and `animate`, go with all that is in them."""
_INSIDE = re.compile(
    r"""url\(\s*(["']?)(?:#[^"'()\\]*|data:(?:image/(?:png|jpeg|gif|webp)|(?:application/(?:x-)?)?font[\w/+.-]*)"""
    r""";base64,[A-Za-z0-9+/=\s]*)\1\s*\)"""
)
"""Matches what may be referred to: a part of the drawing, or a picture or a font in it."""
_OUTSIDE = re.compile(r"(?:url\s*\(|image-set|@import|\\)[^;{}]{0,60}", re.IGNORECASE)


class DrawingError(WrongUseError):
    """A diagram cannot be drawn, or its drawing cannot be used."""


def clean(svg: bytes) -> bytes:
    """Return a drawing with nothing that runs or is elsewhere.

    Ids stay as they are: a card shows each drawing as a document of its own.

    Raises:
        DrawingError: it is not SVG, is too large, or shows something that a card cannot.

    """
    root = _parse(svg)
    for element in root.iter():
        for child in list(element):
            if child.tag == f"{_SVG}foreignObject":
                raise DrawingError("the drawing has text in HTML (`foreignObject`), which few cards show")
            if child.tag.removeprefix(_SVG) not in _KEPT:
                element.remove(child)
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = dict(_attributes(element))
        if element.tag == "style":
            _refuse_outside(element.text or "")
    root.attrib |= {**_size(root), "xmlns": _SVG[1:-1]}
    try:
        cleaned: bytes = tostring(root, "utf-8") + b"\n"
    except RecursionError as failure:
        raise DrawingError("the drawing is nested too deep") from failure
    if len(cleaned) > MOST_BYTES:
        raise DrawingError(
            f"the drawing has {len(cleaned) // 1000} kB; the maximum is {MOST_BYTES // 1000} kB"
        )
    return cleaned


def _parse(svg: bytes) -> Element:
    """Return the root of a drawing; entities, which could expand to anything, are refused."""
    if b"<!ENTITY" in svg:
        raise DrawingError("the drawing defines entities")
    try:
        root = fromstring(svg.decode())  # noqa: S314 - it has no entities
    except (ParseError, UnicodeDecodeError) as failure:
        raise DrawingError(f"the drawing is not SVG ({failure})") from failure
    if root.tag != f"{_SVG}svg":
        raise DrawingError("the drawing is not SVG")
    return root


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes that show something; links go, because nothing in a picture can be clicked."""
    for name, value in element.items():
        if name in _LINKS:
            if element.tag != "a":
                _refuse_outside(f"url('{value}')")
                yield "href", value
        elif name == _SPACE or not name.startswith(("{", "on", "aria-")):
            _refuse_outside(value)
            yield name, value


def _refuse_outside(css: str) -> None:
    if found := _OUTSIDE.search(_INSIDE.sub("", css)):
        raise DrawingError(f"the drawing refers to `{found[0].strip()}`, which is not in it")


def _size(root: Element) -> dict[str, str]:
    """Return the size of a drawing, which is that of its view if it would otherwise fill its page."""
    view = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    if len(view) != 4 or "%" not in root.get("width", "%"):
        return {}
    style = re.sub(r"max-width:[^;]*;?", "", root.get("style", ""))
    return {"width": view[2], "height": view[3], "style": style}
