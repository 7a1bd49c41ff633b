"""The rule `list-items`."""

from collections.abc import Callable

import pytest


# Five items, nested ones counted apart, and lists in details.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n- a\n- b\n- c\n- d\n- e\n",
        "## Which call clears the gradients?\n\n- a\n    - b\n    - c\n    - d\n- e\n- f\n- g\n",
        "## Which call clears the gradients?\n\nYes.\n\n### Details\n\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n- a\n- a\n- a\n- a\n- a\n- a\n",
            ["3:1+1 hint: a list of 6 items, more than 5"],
        ),
        (
            "## Which call clears the gradients?\n\nSteps:\n\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n",
            ["5:1+1 warning: a list of 8 items, more than 7"],
        ),
        (
            "## Which call clears the gradients?\n\n- a\n    - b\n    - b\n    - b\n    - b\n    - b\n    - b\n",
            ["4:5+1 hint: a list of 6 items, more than 5"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
