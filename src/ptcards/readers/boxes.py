"""Reads the boxes of a picture: their places, their labels, and the picture itself."""

import re
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic, error, warning
from ptcards.files.picture_size import picture_size
from ptcards.identity.hashes import other_shape, shape_digits
from ptcards.markdown.links import dark_version
from ptcards.notes import Box, Line, Note, Occlusion, Text
from ptcards.notes.rendered import Media
from ptcards.source.media import Reference

_NUMBER = r"(-?\d{1,4}(?:\.\d{1,9})?)%"
_FOUR = r"[ \t]+".join([_NUMBER] * 4)
_PLACE = re.compile(rf"(?P<round>\()?{_FOUR}(?(round)\))[ \t]*:[ \t]*")
_WHOLE = 10_000
"""All of a picture's width or height, in the unit of a box."""
_SLACK = 10
"""How far a box may reach out of its picture: Anki rounds what its editor draws."""
_COVERED = 0.1
"""How much of the smaller one of two boxes the other may cover."""


def read_boxes(
    items: Sequence[Text], *, hides_all: bool
) -> tuple[Occlusion, tuple[Text, ...], list[Diagnostic]]:
    """Return the boxes that the items of a list describe, without their picture, the labels, and diagnostics.

    An item without a place has an error, and a box without a size.
    """
    boxes, labels, diagnostics = [], [], []
    for item in items:
        first, *others = item.markdown.split("\n")
        found = _PLACE.match(first)
        if found is None:
            fix = "begin it with left, top, width and height: `12% 30% 18% 6%: label`"
            if item.markdown.strip():  # otherwise, it has another error
                message = "this item has no place on the picture"
                diagnostics.append(error(item.location(), "no-place", message, fix, len(first)))
            boxes.append(Box(0, 0, 0, 0))
            labels.append(item)
            continue
        left, top, width, height = (round(float(found[n]) * 100) for n in range(2, 6))
        box = Box(left, top, width, height, bool(found["round"]))
        diagnostics += _outside(box, item, found.end())
        diagnostics += _overlaps(box, item, boxes, labels)
        label = item.cut([Line(first[found.end() :], 0, found.end() + 1), *map(Line, others, range(1, 1000))])
        if not label.markdown.strip():
            fix = "write what to recall, or remove the item"
            diagnostics.append(error(item.location(), "empty-item", "a box without a label", fix, len(first)))
        boxes.append(box)
        labels.append(label)
    return Occlusion(tuple(boxes), hides_all), tuple(labels), diagnostics


def _outside(box: Box, item: Text, length: int) -> Iterator[Diagnostic]:
    left, top, width, height, _ = box
    fix = "keep left + width and top + height within 100%"
    if min(width, height) <= 0 or max(left, top) >= _WHOLE or min(left + width, top + height) <= 0:
        yield error(item.location(), "box-outside", "this box covers no part of the picture", fix, length)
    elif min(left, top) < -_SLACK or max(left + width, top + height) > _WHOLE + _SLACK:
        yield warning(item.location(), "box-outside", "this box reaches out of the picture", fix, length)


def _overlaps(box: Box, item: Text, others: Sequence[Box], labels: Sequence[Text]) -> Iterator[Diagnostic]:
    """Yield a warning about the first box above that covers part of this one."""
    for number, other in enumerate(others):
        width = min(box.left + box.width, other.left + other.width) - max(box.left, other.left)
        height = min(box.top + box.height, other.top + other.height) - max(box.top, other.top)
        smaller = min(box.width * box.height, other.width * other.height)
        if width > 0 and height > 0 and width * height > _COVERED * smaller:
            label = labels[number].markdown.partition("\n")[0][:40]
            message = f"this box overlaps box {number + 1}, `{label}`"
            fix = "move one, or make it smaller: each hides what the other asks"
            yield warning(item.location(), "boxes-overlap", message, fix, 1)
            return


def with_picture(
    note: Note, references: Sequence[Reference], media: Sequence[Media]
) -> tuple[Occlusion | None, list[Diagnostic]]:
    """Return what an occlusion hides with its picture, the first of its answer, and diagnostics.

    `references` are those of the answer, and `media` the files of the note that are there.
    """
    occlusion = note.occlusion
    if occlusion is None or not note.answer:
        return occlusion, []
    lines = note.answer.markdown.split("\n")
    places = {
        note.answer.location(n).line for n, line in enumerate(lines) if _PICTURE.fullmatch(line.strip())
    }
    picture = next((each for each in references if each.location.line in places), None)
    if picture is None:
        fix = "write it above the list, in a paragraph of its own: `![What it shows](picture.png)`"
        message = "this occlusion has no picture"
        return occlusion, [error(note.heading_place, "no-picture", message, fix, note.heading_length)]
    by_address = {each.written: each for each in media}
    if picture.address not in by_address:  # an error says so
        return occlusion, []
    versions = [each for each in (picture.address, dark_version(picture.address)) if each in by_address]
    sizes = [picture_size(by_address[each].file) for each in versions]
    diagnostics = []
    if sizes[0] == (0, 0) and picture.address.lower().endswith(".svg"):
        message = f"`{picture.address}` has no size, so Anki cannot place boxes on it"
        fix = "add `width` and `height` in pixels to its `<svg>`"
        diagnostics.append(error(picture.location, "picture-size", message, fix, picture.length))
    elif len(sizes) > 1 and other_shape(*map(shape_digits, sizes)):
        message = f"the dark version of `{picture.address}` has another shape"
        fix = "give both the same width and height, or the boxes miss their parts at night"
        diagnostics.append(warning(picture.location, "picture-size", message, fix, picture.length))
    return occlusion._replace(picture=picture.address, size=sizes[0]), diagnostics


_PICTURE = re.compile(r"!\[.*\](?:\(.*\)|\[.*\])?")
