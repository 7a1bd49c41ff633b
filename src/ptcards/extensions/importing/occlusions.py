"""Reads the boxes of Anki's image occlusions as those of a source, and writes edited ones back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ptcards.anki.occlusion import shapes
from ptcards.extensions.desktop.merge.html_tree import Element, as_html, parse_html
from ptcards.extensions.importing.box_lines import with_boxes
from ptcards.notes import Box, Note, Occlusion
from ptcards.source.attributes import Lines, with_setting

_SHAPE = re.compile(
    r"\{\{c(\d{1,3})::image-occlusion:(rect|ellipse)((?::[a-z]{1,9}=[^:{}]*)*)\}\}(?:<br ?/?>|\s)*"
)
_SIDES: Mapping[str, Sequence[str]] = {
    "rect": ("left", "top", "width", "height"),
    "ellipse": ("left", "top", "rx", "ry"),
}
_PIXEL = 25
"""The most that half a pixel of a small picture in Anki's editor is, in the unit of a box."""


class FoundBoxes(NamedTuple):
    """The boxes of a field by number; `hides_all` is false if only the one that is asked is hidden."""

    boxes: Mapping[int, Box]
    hides_all: bool


def find_boxes(field: str) -> FoundBoxes | None:
    """Return the boxes of a field, or `None` if a source cannot describe all its shapes.

    These are polygons and texts, turned and coloured shapes, and several shapes with one number.
    """
    found: dict[int, Box] = {}
    hidden = set()
    at = 0
    while shape := _SHAPE.match(field, at):
        at = shape.end()
        values = dict(part.split("=", 1) for part in shape[3].split(":") if part)
        hidden.add(values.pop("oi", "") == "1")
        try:
            sides = [round(float(values.pop(name, "0") or 0) * 10_000) for name in _SIDES[shape[2]]]
        except ValueError:
            return None
        if values or int(shape[1]) in found or int(shape[1]) == 0:
            return None
        is_round = shape[2] == "ellipse"
        left, top, width, height = sides
        found[int(shape[1])] = Box(left, top, width * (1 + is_round), height * (1 + is_round), is_round)
    if at != len(field) or not found or len(hidden) != 1:
        return None
    return FoundBoxes(found, hidden.pop())


def without_numbers(field: str) -> str:
    """Return a field of boxes in their order on the picture, with numbers that say nothing."""
    found = find_boxes(field)
    return shapes(Occlusion(tuple(sorted(found.boxes.values())), found.hides_all)) if found else field


def without_rounding(ours: str, theirs: str) -> str:
    """Return an edited field with the boxes as they were that Anki's editor has only rounded to its pixels.

    It rounds all boxes as soon as one is moved. If nothing else was edited, the field is returned as it is.
    """
    before, after = find_boxes(ours), find_boxes(theirs)
    if before is None or after is None or before.hides_all != after.hides_all:
        return theirs
    texts = {int(shape[1]): shape[0] for shape in _SHAPE.finditer(ours)}

    def settled(shape: re.Match[str]) -> str:
        old, new = before.boxes.get(number := int(shape[1])), after.boxes[number]
        return texts[number] if old and _is_near(old, new) else shape[0]

    field = _SHAPE.sub(settled, theirs)
    return theirs if find_boxes(field) == before else field


def _is_near(one: Box, other: Box) -> bool:
    sides = zip(one[:4], other[:4], strict=True)
    return one.is_round == other.is_round and all(abs(side - now) <= _PIXEL for side, now in sides)


def numbers_after(ours: str, theirs: str) -> Sequence[int]:
    """Return the numbers of the boxes in the source after an edit: those that are left, then the new ones."""
    before, after = (found.boxes if (found := find_boxes(field)) else {} for field in (ours, theirs))
    return [*(number for number in before if number in after), *(n for n in after if n not in before)]


def with_edited_boxes(lines: Lines, note: Note, ours: str, theirs: str) -> Iterator[Lines]:
    """Yield the lines with the boxes of a note as edited in Anki; the label of a new one is its number."""
    before, after = find_boxes(ours), find_boxes(theirs)
    if before is None or after is None or len(before.boxes) != len(note.items):
        return
    positions = {number: position for position, number in enumerate(before.boxes)}
    boxes = []
    for number in numbers_after(ours, theirs):
        box = after.boxes[number]
        label = "" if number in positions else f"Box {number}"
        is_same = box == before.boxes.get(number)
        boxes.append((positions.get(number, len(positions)), "" if is_same else f"{box.written}: {label}"))
    changed = with_boxes(lines, note, boxes)
    if changed and after.hides_all != before.hides_all:
        value = "all" if after.hides_all else "one"
        changed = with_setting(changed, note.location.line, note.items[0].rows[0], "hide", value)
    yield from [changed] if changed else []


def with_places(answer: str, picture: str, found: FoundBoxes) -> str:
    """Return the answer of an occlusion with its picture, and with the places before the labels.

    The label of a box that has none is its number.
    """
    tree = parse_html(f"<p>{picture}</p>\n{answer}")
    listed = next((each for each in tree.elements if "labels" in each.classes), Element("ul"))
    labels = iter(listed.elements)
    for number, box in found.boxes.items():
        if (label := next(labels, None)) is None:
            listed.children.append(label := Element("li", {}, [f"Box {number}"]))
        text = label.elements[0] if label.elements and label.elements[0].tag == "p" else label
        text.children.insert(0, f"{box.written}: ")
    return as_html(tree.children if listed in tree.children else [*tree.children, listed])
