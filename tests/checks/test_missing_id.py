"""The rule `missing-id`."""

from collections.abc import Callable

import pytest


# An id.
@pytest.mark.parametrize("source", ["## Which call clears the gradients?\n<!-- card: id=a -->\n\nYes.\n"])
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [("## Which call clears the gradients?\n\nYes.\n", ["1:4+32 hint: a note without an id"])],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
