"""The rule `several-facts`."""

from collections.abc import Callable

import pytest


# Two additions, and words inside a sentence.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\nIt is. Also, it was. Moreover, it will be.\n",
        "## Which call clears the gradients?\n\nIt also is, and besides it was, and additionally will be.\n",
        "## Which call clears the gradients?\n\n### One\n\na\n\n### Two\n\nb\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\nIt is. Also, it was. Moreover, it will be. Furthermore, it could.\n",
            ["3:44+1 hint: several facts in one answer"],
        ),
        (
            "## Which call clears the gradients?\n\n### One\n\na\n\n### Two\n\nb\n\n### Three\n\nc\n",
            ["11:1+1 hint: several facts in one answer"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
