"""The rule `missing-difficulty`."""

from collections.abc import Callable

import pytest


# A collection that mostly has none.
@pytest.mark.parametrize(
    "source", ["## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n\n## C?\n\nNo.\n"]
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n",
            ["1:4+2 hint: a note without a difficulty"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
