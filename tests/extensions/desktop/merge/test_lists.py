"""Two edits of a list are merged item by item, and no card gets another item."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptcards.extensions.desktop.merge.item_lists import FoundList, find_list
from ptcards.extensions.desktop.merge.lists import MergedList, list_digests, merge_lists
from ptcards.markdown.render import render
from ptcards.markdown.render_inlines import Cloze, ItemList
from ptcards.notes import Text
from ptcards.notes.rendered import with_numbers

Items = Sequence[tuple[int, str]]


def field(*items: str, begin: str = "Why?", before: int = 0) -> str:
    """Return a field with items such as `1 text`."""
    parts = tuple((int(number), text) for number, _, text in (each.partition(" ") for each in items))
    near = " near" if before else ""
    return FoundList("", before, parts, f'{begin}<div class="sequence{near}">', "</div>", "").field


BEFORE = field("1 one", "2 two", "3 three")


@pytest.mark.parametrize(
    ("ours", "theirs", "merged", "waits"),
    [
        (("1 ONE", "2 two", "3 three"), ("1 one", "2 two", "3 mine"), ("1 ONE", "2 two", "3 mine"), False),
        (
            ("4 new", "1 one", "2 two", "3 three"),
            ("1 one", "2 mine", "3 three"),
            ("4 new", "1 one", "2 mine", "3 three"),
            False,
        ),
        (
            ("3 three", "1 one", "2 TWO"),
            ("1 mine", "2 two", "3 three"),
            ("3 three", "1 mine", "2 TWO"),
            False,
        ),
        (("1 ONE", "2 two", "3 three"), ("3 three", "1 one", "2 two"), ("3 three", "1 ONE", "2 two"), False),
        (("1 ONE", "3 three"), ("1 one", "2 two", "3 mine"), ("1 ONE", "3 mine"), False),
        (("1 ONE", "3 three"), ("1 one", "2 mine", "3 three"), ("1 ONE", "2 mine", "3 three"), True),
        (("1 ONE", "2 two", "3 three"), ("1 one", "3 three"), ("1 ONE", "3 three"), False),
        (
            ("1 ONE", "2 two", "3 three"),
            ("1 one", "2 two", "9 mine", "3 three"),
            ("1 ONE", "2 two", "9 mine", "3 three"),
            False,
        ),
        (("1 ONE", "2 TWO", "3 three"), ("1 one", "2 mine", "3 three"), ("1 ONE", "2 mine", "3 three"), True),
        (("1 ONE", "2 TWO", "3 three"), ("1 one", "3 three"), ("1 ONE", "3 three"), True),
        (
            ("2 two", "1 ONE", "3 three"),
            ("1 one", "3 three", "2 two"),
            ("1 ONE", "3 three", "2 two"),
            True,
        ),
        (
            ("1 one", "2 TWO", "3 three"),
            ("1 one", "2 <b>TWO</b>", "3 three"),
            ("1 one", "2 <b>TWO</b>", "3 three"),
            True,
        ),
        (
            ("1 one", "2 a<br>b", "3 three"),
            ("1 x", "2 a<br />b", "3 three"),
            ("1 x", "2 a<br />b", "3 three"),
            False,
        ),
    ],
)
def test_each_side_keeps_its_edits_of_items(
    ours: Sequence[str], theirs: Sequence[str], merged: Sequence[str], waits: bool
) -> None:
    found = merge_lists(list_digests(BEFORE), field(*ours), field(*theirs))
    assert found == MergedList(field(*merged), waits)


@pytest.mark.parametrize(
    ("before", "ours", "theirs"),
    [
        (BEFORE, field("1 one", "2 two", "3 three", "4 new"), field("1 one", "2 two", "3 three", "4 mine")),
        (BEFORE, field("1 ONE", "2 two", "3 three"), field("1 one", "2 two", "2 three")),
        (BEFORE, field("1 ONE", "2 two", "3 three"), "no list"),
        (BEFORE, "no list", field("1 mine", "2 two", "3 three")),
        ("no list", BEFORE, field("1 mine", "2 two", "3 three")),
    ],
    ids=["one number for two new items", "a number twice", "not there", "not here", "not before"],
)
def test_what_is_not_certain_is_not_merged(before: str, ours: str, theirs: str) -> None:
    assert merge_lists(list_digests(before), ours, theirs) is None


def test_the_text_around_a_list_is_merged_like_an_item() -> None:
    digests = list_digests(field("1 a", "2 b", before=1))
    found = merge_lists(
        digests, field("1 A", "2 b", "3 c", before=1), field("1 a", "2 b", begin="Mine.", before=1)
    )
    assert found == MergedList(field("1 A", "2 b", "3 c", begin="Mine.", before=1), waits=False)
    found = merge_lists(digests, field("1 a", "2 b", "3 c", before=2), field("1 a", "2 mine", before=1))
    assert found == MergedList(field("1 a", "2 mine", "3 c", before=2), waits=False)


def test_the_ids_of_footnotes_are_no_edit() -> None:
    note = "1 a #{}-answer-fn1"
    before, ours = field(note.format("0" * 11), "2 b"), field(note.format("0" * 11), "2 B")
    assert merge_lists(list_digests(before), ours, field(note.format("1" * 11), "2 b")) == MergedList(
        field(note.format("0" * 11), "2 B"), waits=False
    )


NUMBERS = st.lists(st.integers(1, 9), min_size=1, max_size=6, unique=True)
TEXTS = st.sampled_from(["a", "b", "c"])


@st.composite
def sides(draw: st.DrawFn) -> tuple[Items, Items, Items]:
    """A list, what the author made of it, and what a learner did."""
    before = tuple((number, draw(TEXTS)) for number in draw(NUMBERS))
    after = []
    for news in (range(10, 13), range(20, 23)):
        kept = [(number, draw(st.sampled_from([text, text, text, "d", "e"]))) for number, text in before]
        kept = [each for each in kept if draw(st.integers(0, 4))] or kept
        if draw(st.booleans()):
            kept = draw(st.permutations(kept))
        for number in news[: draw(st.integers(0, 2))]:
            kept.insert(draw(st.integers(0, len(kept))), (number, draw(TEXTS)))
        after.append(tuple(kept))
    return before, after[0], after[1]


def written(items: Items, before: int = 0) -> str:
    return field(*(f"{number} {text}" for number, text in items), before=before)


@given(sides(), st.integers(0, 3))
def test_every_item_is_as_the_side_that_edited_it_has_it(
    lists: tuple[Items, Items, Items], shown: int
) -> None:
    was, ours, theirs = (dict(each) for each in lists)
    merged = merge_lists(list_digests(written(lists[0])), *(written(each, shown) for each in lists[1:]))
    assert merged
    found = find_list(merged.field)
    assert found
    expected = {
        number: text
        for number in was | ours | theirs
        for side in [theirs if theirs.get(number) != was.get(number) else ours]
        if (text := side.get(number)) is not None
    }
    assert (dict(found.items), len(found.items)) == (expected, len(expected))
    conflicts = [
        number
        for number in was
        if was[number] != ours.get(number) and theirs.get(number) not in (was[number], ours.get(number))
    ]
    common = was.keys() & ours.keys() & theirs.keys()
    orders = [[number for number in each if number in common] for each in (was, ours, theirs)]
    both_moved = orders[0] not in orders[1:] and orders[1] != orders[2]
    assert merged.waits == (bool(conflicts) or both_moved)
    leading = orders[2] if orders[2] != orders[0] else orders[1]
    assert [number for number in found.numbers if number in common] == leading


@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("count", range(1, 6))
def test_a_list_is_written_as_a_build_writes_it(before: int, count: int) -> None:
    text = "Why?\n\n" + "".join(f"{number + 3}. item\n" for number in range(count)) + "\nSo.\n"
    look = ItemList("sequence", before)
    html = with_numbers(
        render(Text(text), names={}, prefix="a", cloze=Cloze.TEXT, items=look)[0], range(7, 7 - count, -1)
    )
    found = find_list(html)
    assert found
    assert (found.field, len(found.items)) == (html, count)
    assert len(re.findall(r"\{\{c\d::\}\}", html)) == (count if before else 0)
