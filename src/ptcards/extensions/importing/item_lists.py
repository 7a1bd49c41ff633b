"""Reads the list of a sequence or a set from a field, in which each item is a deletion with its own number.

The numbers are in `deck.lock`, and the empty deletions of `before=` follow from them: Markdown has neither.
"""

import re
from typing import NamedTuple

from ptcards.extensions.importing.occlusions import without_numbers

_BEGIN = re.compile(
    r'<div class="(?P<kind>sequence|set)(?P<numbered> numbered)?(?: near)?"'
    r'(?: style="counter-reset: ?item (?P<start>\d{1,9});?")?>'
)
_OPENING = re.compile(r"((?:\s++|&nbsp;|</?(?:br|div) ?/?>){0,99})\{\{c(\d{1,3})::")
_END = re.compile(r"(?:\s++|<br ?/?>){0,99}</div>")


class FoundList(NamedTuple):
    """A list in a field: its kind, and the numbers of its items in order.

    `before` is the number of items that a sequence shows before the one that it asks, 0 for all. `plain` is
    the field with an ordinary list.
    """

    kind: str
    before: int
    numbers: tuple[int, ...]
    plain: str


def find_list(field: str) -> FoundList | None:
    """Return the list of a field whose items are deletions, or `None` if there is none, or more than that."""
    begin = _BEGIN.search(field)
    if begin is None:
        return None
    numbers: list[int] = []
    items: list[str] = []
    marks: dict[int, int] = {}
    """where the items that a card shows begin, by number"""
    at, depth = begin.end(), 1
    while (found := _OPENING.match(field, at)) and (end := field.find("}}", found.end())) > 0:
        depth += found[1].count("<div") - found[1].count("</div")
        number = int(found[2])
        if found.end() == end:
            marks[number] = len(items)
        else:
            numbers.append(number)
            items.append(f"<li>{field[found.end() : end]}</li>")
        at = end + 2
    for _ in range(depth):
        if (closing := _END.match(field, at)) is None:
            return None
        at = closing.end()
    if not numbers:
        return None
    places = {number: place for place, number in enumerate(numbers)}
    near = [places.get(number, 0) - first for number, first in marks.items() if first]
    tag = "ol" if begin["numbered"] else "ul"
    start = f' start="{int(begin["start"]) + 1}"' if begin["start"] else ""
    listed = "\n".join((f"<{tag}{start}>", *items, f"</{tag}>"))
    return FoundList(
        begin["kind"],
        max(near, default=len(numbers) if marks else 0),
        tuple(numbers),
        f"{field[: begin.start()]}{listed}{field[at:]}",
    )


def with_plain_list(field: str) -> str:
    """Return a field with an ordinary list in place of one whose items are deletions.

    The numbers of boxes on a picture are left out too.
    """
    if "::image-occlusion:" in field:
        return without_numbers(field)
    found = find_list(field) if "{{c" in field else None
    return found.plain if found else field
