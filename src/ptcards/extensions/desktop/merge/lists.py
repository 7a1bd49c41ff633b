"""Merges two edits of a list item by item, as if each item were a field of its own.

An item is known by its number, which is that of its card in Anki.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ptcards.extensions.desktop.merge.texts import ANCHORS, digest, is_same_html
from ptcards.notes.item_lists import FoundList, find_list
from ptcards.notes.rendered import FIELD_END

_AROUND = 0
"""Stands for the number of what is around the items; no card has this number."""


class MergedList(NamedTuple):
    """A field with the edits of both sides; `waits` if one of ours is not in it, because theirs is."""

    field: str
    waits: bool


def list_digests(field: str) -> str:
    """Return `number:digest` for each item of a list in a field, in order, after that of what is around them.

    It is empty for a field without such a list. The ids of footnotes do not count.
    """
    return " ".join(f"{number}:{_digest(text)}" for number, text in _parts(field).items())


def _parts(field: str) -> dict[int, str]:
    """Return the items of a list by number; an edit in Anki may have given two items the same one."""
    found = find_list(field)
    if found is None or len({*found.numbers}) < len(found.numbers):
        return {}
    return {_AROUND: f"{found.begin}{FIELD_END}{found.end}", **dict(found.items)}


def _digest(text: str) -> str:
    return digest(ANCHORS.sub("", text))


def merge_lists(digests: str, ours: str, theirs: str) -> MergedList | None:
    """Return a field with the edits of both sides since it had these `list_digests`.

    It is `None` if one of the three has no list, or if both sides gave a new item the same number: its card
    would get the schedule of another item.
    """
    here, there = _parts(ours), _parts(theirs)
    before = {int(number): known for number, _, known in (each.partition(":") for each in digests.split())}
    if not (here and there and before):
        return None
    texts: dict[int, str] = {}
    waits = False
    for number in {**here, **there}:
        our, their, known = (each.get(number, "") for each in (here, there, before))
        is_theirs = _digest(their) != known
        # An item that we removed and they edited stays theirs, and nothing of ours waits.
        if our and is_theirs and _digest(our) != known and not is_same_html(our, their):
            if not known:
                return None
            waits = True
        if text := their if is_theirs else our:
            texts[number] = text
    is_moved, waits_for_order = _moves(before, here, there)
    numbers = _in_order(texts, *((there, here) if is_moved else (here, there)))
    parts = {number: texts[number] for number in numbers}
    same = (field for field, each in ((ours, here), (theirs, there)) if [*each.items()] == [*parts.items()])
    return MergedList(next(same, None) or _written(parts, ours, theirs), waits or waits_for_order)


def _moves(before: Mapping[int, str], here: Mapping[int, str], there: Mapping[int, str]) -> tuple[bool, bool]:
    """Return whether they have moved items, and whether we moved them elsewhere."""
    common = before.keys() & here.keys() & there.keys()
    was, ours, theirs = ([number for number in each if number in common] for each in (before, here, there))
    return theirs != was, was != theirs != ours != was


def _in_order(texts: Mapping[int, str], first: Iterable[int], other: Iterable[int]) -> list[int]:
    """Return the numbers of texts in the order of the first list; those of the other follow the same ones."""
    numbers = [number for number in first if number in texts]
    last = _AROUND
    for number in other:
        if number in texts:
            if number not in numbers:
                numbers.insert(numbers.index(last) + 1, number)
            last = number
    return numbers


def _written(parts: Mapping[int, str], *sides: str) -> str:
    """Return a field; how many items it shows before each follows the first of the sides that can say it."""
    begin, _, end = parts[_AROUND].partition(FIELD_END)
    is_near = " near" in begin[begin.rfind("<div") :]
    counts = [found.before for side in sides if (found := find_list(side))]
    before = next((count for count in counts if bool(count) == is_near), 0)
    items = tuple((number, text) for number, text in parts.items() if number != _AROUND)
    return FoundList("", before, items, begin, end, "").field
