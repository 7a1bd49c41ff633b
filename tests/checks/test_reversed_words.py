"""The rule `reversed-words`."""

from collections.abc import Callable

import pytest


# Twenty-five words, and a note with one card.
@pytest.mark.parametrize(
    "source",
    [
        "## Which?\n<!-- card: kind=reversed -->\n\nword word word word word word word word word word word word word word word word word word word word word word word word word \n",
        "## Which is it?\n\nword word word word word word word word word word word word word word word word word word word word word word word word word word \n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which?\n<!-- card: kind=reversed -->\n\nword word word word word word word word word word word word word word word word word word word word word word word word word word \n",
            ["4:1+1 hint: a reversed card of 26 words, more than 25"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
