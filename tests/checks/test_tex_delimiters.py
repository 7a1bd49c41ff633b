"""The rule `tex-delimiters`."""

from collections.abc import Callable

import pytest


# Dollars, escaped brackets, and code.
@pytest.mark.parametrize(
    "source", ["## Which is it?\n\n$x_1$ and \\[not a link\\](x) and `\\(x\\)` and \\(half\n"]
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\nIt is \\(x_1\\) and \\[y = 2\\] here.\n",
            [
                "3:7+7 warning: `\\(` begins no formula in Markdown",
                "3:19+9 warning: `\\[` begins no formula in Markdown",
            ],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
