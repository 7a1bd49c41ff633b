"""Cleans the SVG that a program has drawn: only shapes, texts and styles stay, and nothing outside."""

import re
from collections.abc import Container
from xml.etree.ElementTree import Element, ParseError, XMLParser, tostring

MOST_BYTES = 512_000
"""the maximum size of a drawing"""
_DEEPEST = 200
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_KEPT = frozenset(
    "svg g defs symbol use switch title desc style path rect circle ellipse line polyline polygon text tspan"
    " textPath image marker pattern mask clipPath linearGradient radialGradient stop filter feBlend"
    " feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR"
    " feGaussianBlur feMerge feMergeNode feMorphology feOffset feTurbulence".split()
)
"""The elements that stay; others, such as `script` and `animate`, go with all that is in them."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*")
_INSIDE = re.compile(
    r"""url\(\s*(["']?)(?:#[^"'()\\]*|data:(?:application/(?:x-)?font|font)[\w/+.-]*;base64,[A-Za-z0-9+/=\s]*)\1\s*\)"""
)
"""Matches what a style may refer to: a part of the drawing, or a font in it."""
_OUTSIDE = re.compile(r"url\s*\(|image-set|@import|//|\\", re.IGNORECASE)
_SELECTOR = re.compile(r"#([A-Za-z_][\w-]*)(?=[^{}#]{0,500}[{#])")


class UnsafeError(Exception):
    """A drawing cannot be used; the message says what is wrong with it, after its subject."""


def clean(svg: bytes, prefix: str) -> bytes:
    """Return a drawing with nothing that runs or is elsewhere; its ids begin with `prefix`.

    Raises:
        UnsafeError: it is not SVG, is too large, or shows something that a card cannot.

    """
    root = _parse(svg)
    ids = {id_ for each in root.iter() if (id_ := each.get("id"))}
    _clean(root, 0)
    for each in root.iter():
        each.tag = each.tag.removeprefix(_SVG)
        attributes = dict(each.attrib)
        each.attrib.clear()
        for name, value in attributes.items():
            if name in (_HREF, "href"):
                _keep_reference(each, value, prefix)
            elif name == _SPACE or not (name.startswith(("{", "on")) or ":" in name):
                each.set(name, _value(name, value, prefix, ids))
        if each.tag == "style":
            each.text = _style(each.text or "", prefix, ids)
    _size(root)
    root.set("xmlns", _SVG[1:-1])
    cleaned: bytes = tostring(root, "utf-8") + b"\n"
    if len(cleaned) > MOST_BYTES:
        raise UnsafeError(f"has {len(cleaned) // 1000} kB; the maximum is {MOST_BYTES // 1000} kB")
    return cleaned


def _parse(svg: bytes) -> Element:
    """Return the root of a drawing; entities, which could expand to anything, are refused."""
    if b"<!ENTITY" in svg:
        raise UnsafeError("defines entities")
    parser = XMLParser(encoding="utf-8")  # noqa: S314 - it has no entities
    try:
        parser.feed(svg)
        root: Element = parser.close()
    except ParseError as failure:
        raise UnsafeError(f"is not SVG ({failure})") from failure
    if root.tag != f"{_SVG}svg":
        raise UnsafeError("is not SVG")
    return root


def _clean(element: Element, depth: int) -> None:
    """Remove all that is not kept; a link becomes a group."""
    if depth > _DEEPEST:
        raise UnsafeError(f"is nested more than {_DEEPEST} deep")
    for child in list(element):
        if child.tag == f"{_SVG}foreignObject":
            raise UnsafeError("has text in HTML (`foreignObject`), which cards do not show everywhere")
        if child.tag == f"{_SVG}a":
            child.tag = f"{_SVG}g"
            child.attrib.pop("href", None)
            child.attrib.pop(_HREF, None)
        if child.tag.removeprefix(_SVG) in _KEPT and child.tag.startswith(_SVG):
            _clean(child, depth + 1)
        else:
            element.remove(child)


def _keep_reference(element: Element, value: str, prefix: str) -> None:
    if value.startswith("#"):
        element.set("href", f"#{prefix}{value[1:]}")
    elif element.tag == "image" and _PICTURE.fullmatch(value):
        element.set("href", value)
    else:
        raise UnsafeError(f"refers to `{value[:60]}`, which is not in it")


def _value(name: str, value: str, prefix: str, ids: Container[str]) -> str:
    """Return the value of an attribute, with the new names of ids."""
    if name == "id":
        return prefix + value
    if name in ("aria-labelledby", "aria-describedby"):
        return " ".join(prefix + each for each in value.split())
    return _style(value, prefix, ids) if name == "style" or "url" in value.lower() else value


def _style(css: str, prefix: str, ids: Container[str]) -> str:
    """Return a style with the new names of ids, which are in selectors and in `url(#…)`."""
    if found := _OUTSIDE.search(_INSIDE.sub("", css)):
        raise UnsafeError(f"has a style with `{found[0]}`, which may refer to something that is not in it")
    css = _INSIDE.sub(lambda found: found[0].replace("#", f"#{prefix}", 1), css)
    return _SELECTOR.sub(lambda found: f"#{prefix}{found[1]}" if found[1] in ids else found[0], css)


def _size(root: Element) -> None:
    """Set the size of a drawing to that of its view, if it would otherwise fill its page."""
    view = re.split(r"[\s,]+", root.get("viewBox", "").strip())
    if len(view) == 4 and "%" in root.get("width", "%"):
        root.set("width", view[2])
        root.set("height", view[3])
        root.set("style", re.sub(r"max-width:[^;]*;?", "", root.get("style", "")))
