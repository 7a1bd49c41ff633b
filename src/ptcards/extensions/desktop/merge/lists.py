"""Merges two edits of a list item by item, as if each item were a field of its own.

An item is known by its number, which is that of its card in Anki.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ptcards.extensions.desktop.merge.item_lists import FoundList, find_list
from ptcards.extensions.desktop.merge.texts import ANCHORS, digest, is_same_html
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
    return " ".join(f"{number}:{_digest(text)}" for number, text in _parts(find_list(field)).items())


def _parts(found: FoundList | None) -> dict[int, str]:
    """Return the items of a list by number; an edit in Anki may have given two items the same one."""
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
    our_list, their_list = find_list(ours), find_list(theirs)
    here, there = _parts(our_list), _parts(their_list)
    before = {int(number): known for number, _, known in (each.partition(":") for each in digests.split())}
    if not (our_list and their_list and here and there and before):
        return None
    texts: dict[int, str] = {}
    waits = False
    for number in {**here, **there}:
        our, their, known = (each.get(number, "") for each in (here, there, before))
        is_theirs = _digest(their) != known
        if is_theirs and _digest(our) != known and not is_same_html(our, their):
            if not known:
                return None
            waits = True
        if text := their if is_theirs else our:
            texts[number] = text
    common = before.keys() & here.keys() & there.keys()
    was, now, then = ([number for number in each if number in common] for each in (before, here, there))
    waits |= now not in (was, then) and then != was
    _, *numbers = _in_order(texts, *((there, here) if then != was else (here, there)))
    items = tuple((number, texts[number]) for number in numbers)
    begin, _, end = texts[_AROUND].partition(FIELD_END)
    merged = FoundList("", our_list.before or their_list.before, items, begin, end, "")
    same = (
        field
        for field, found in ((ours, our_list), (theirs, their_list))
        if (found.begin, found.items, found.end) == (begin, items, end)
    )
    return MergedList(next(same, merged.field), waits)


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
