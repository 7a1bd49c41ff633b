"""Pictures with boxes in the form of Anki's own image occlusions.

Each box is a deletion whose text is its shape, as Anki's editor writes it.
"""

import html
import re

from ptcards.notes import Box, Occlusion

_PICTURE = re.compile(r"<p>((?:<img [^<>]*>\s*){1,2})</p>\n?")
_PLACE = r"\(?(?:-?[\d.]{1,14}%[ \t]*){4}\)?[ \t]*:\s*"
_ITEM = re.compile(rf"(<li>\s*(?:<p>)?){_PLACE}")
_LIST = re.compile(rf"<(ul|ol)(?=(?: start=\"\d+\")?>\s*<li>\s*(?:<p>)?{_PLACE})")


def shapes(occlusion: Occlusion) -> str:
    """Return the field with the boxes, which are counted from 1."""
    mark = ":oi=1" if occlusion.hides_all else ""
    each = enumerate(map(_shape, occlusion.boxes), 1)
    return "".join(f"{{{{c{number}::image-occlusion:{shape}{mark}}}}}<br>" for number, shape in each)


def _shape(box: Box) -> str:
    left, top, width, height, is_round = box
    if is_round:
        sizes = f"rx={_decimal(width / 2)}:ry={_decimal(height / 2)}"
    else:
        sizes = f"width={_decimal(width)}:height={_decimal(height)}"
    return f"{'ellipse' if is_round else 'rect'}:left={_decimal(left)}:top={_decimal(top)}:{sizes}"


def _decimal(hundredths: float) -> str:
    """Return a part of the whole as Anki's editor writes it: four digits without zeros at either end."""
    return f"{hundredths / 10_000:.4f}".strip("0") if hundredths else ".0000"


_BEGIN = "image-occlusion:"
_PART = re.compile(r"(?:[^:\\\n]|\\.)+")
_SHAPES = frozenset({"rect", "ellipse", "polygon", "text"})
_KNOWN = {name: name for name in "left top width height rx ry points angle fill text scale".split()} | {
    "oi": "occludeInactive",
    "fs": "font-size",
}
"""What Anki knows about a shape, each with the name of its attribute on a card."""


def shape_attributes(deletion: str) -> str | None:
    """Return the attributes by which a card's script draws a shape, or `None` if a deletion is not one."""
    if not deletion.startswith(_BEGIN):
        return None
    shape, *parts = _PART.findall(deletion[len(_BEGIN) :]) or ["-"]
    shown = [f'data-shape="{shape}"'] if shape in _SHAPES else []
    for name, equals, value in (part.partition("=") for part in parts):
        if equals and value and name in _KNOWN:
            plain = value.replace("\\:", ":")
            shown.append(f'data-{_KNOWN[name]}="{html.escape(plain)}"')
    return "".join(f"{each} " for each in shown)


def cut_picture(answer: str, count: int) -> tuple[str, str]:
    """Return the picture of a rendered answer, and the rest: the labels of the boxes without their places."""
    found = _PICTURE.search(answer)
    picture = found[1].strip() if found else ""
    rest = answer[: found.start()] + answer[found.end() :] if found else answer
    return picture, _ITEM.sub(r"\1", _LIST.sub(r'<\1 class="labels"', rest, count=1), count=count)
