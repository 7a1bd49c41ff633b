"""The rule `cloze-count`."""

from collections.abc import Callable

import pytest


# Five cards.
@pytest.mark.parametrize(
    "source", ["## Which is it?\n\n{{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c5::f}}\n"]
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n{{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c6::f}}\n",
            ["1:4+12 hint: 6 cards of one text, more than 5"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
