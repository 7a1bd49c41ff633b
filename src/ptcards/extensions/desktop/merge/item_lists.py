"""The list of a sequence or a set in a field, in which each item is a deletion with its own number.

The numbers are in `deck.lock`, and the empty deletions of `before=` follow from them: Markdown has neither.
"""

import re
from typing import NamedTuple

from ptcards.notes.rendered import shown_from

_BEGIN = re.compile(
    r'<div class="(?P<kind>sequence|set)(?P<numbered> numbered)?(?: near)?"'
    r'(?: style="counter-reset: ?item (?P<start>\d{1,9});?")?>'
)
_OPENING = re.compile(r"((?:\s++|&nbsp;|</?(?:br|div) ?/?>){0,99})\{\{c(\d{1,3})::")
_END = re.compile(r"(?:\s++|<br ?/?>){0,99}</div>")


class FoundList(NamedTuple):
    """A list in a field: its kind, and its items with their numbers in order.

    `before` is the number of items that a sequence shows before the one that it asks, 0 for all. `begin` and
    `end` are the field before and after the items, and `plain` is the field with an ordinary list.
    """

    kind: str
    before: int
    items: tuple[tuple[int, str], ...]
    begin: str
    end: str
    plain: str

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the items, in order."""
        return tuple(number for number, _ in self.items)

    @property
    def field(self) -> str:
        """The field as a build writes it."""
        numbers, lines = self.numbers, [self.begin]
        before = self.before if " near" in self.begin[self.begin.rfind("<div") :] else 0
        for place, (number, item) in enumerate(self.items):
            later = shown_from(place, before, len(numbers))
            marks = "".join(f"{{{{c{numbers[each]}::}}}}" for each in later)
            lines.append(f"{marks}{{{{c{number}::{item}}}}}<br>")
        return "\n".join((*lines, self.end))


def find_list(field: str) -> FoundList | None:
    """Return the list of a field whose items are deletions, or `None` if there is none, or more than that."""
    begin = _BEGIN.search(field) if "{{c" in field else None
    if begin is None:
        return None
    items: list[tuple[int, str]] = []
    marks: dict[int, int] = {}
    """where the items that a card shows begin, by number"""
    at, depth = begin.end(), 1
    while (found := _OPENING.match(field, at)) and (end := field.find("}}", found.end())) > 0:
        depth += found[1].count("<div") - found[1].count("</div")
        if found.end() == end:
            marks[int(found[2])] = len(items)
        else:
            items.append((int(found[2]), field[found.end() : end]))
        at = end + 2
    for _ in range(depth):
        if (closing := _END.match(field, at)) is None:
            return None
        at = closing.end()
    if not items:
        return None
    places = {number: place for place, (number, _) in enumerate(items)}
    near = [places.get(number, 0) - first for number, first in marks.items() if first]
    before = max(near, default=len(items) if marks else 0)
    tag = "ol" if begin["numbered"] else "ul"
    start = f' start="{int(begin["start"]) + 1}"' if begin["start"] else ""
    listed = "\n".join((f"<{tag}{start}>", *(f"<li>{item}</li>" for _, item in items), f"</{tag}>"))
    plain = f"{field[: begin.start()]}{listed}{field[at:]}"
    return FoundList(begin["kind"], before, tuple(items), field[: begin.end()], f"</div>{field[at:]}", plain)


def with_plain_list(field: str) -> str:
    """Return a field with an ordinary list in place of one whose items are deletions."""
    found = find_list(field)
    return found.plain if found else field
