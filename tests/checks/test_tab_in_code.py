"""The rule `tab-in-code`."""

from collections.abc import Callable

import pytest


# Spaces, tabs inside a line, and languages that want tabs.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nif x:\n    y\n```\n",
        "## Which call clears the gradients?\n\n```python\nx = 1\t# one\n```\n",
        "## Which call clears the gradients?\n\n```make\nall:\n\techo\n```\n",
        "## Which call clears the gradients?\n\n```output\n\tx\n```\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nif x:\n\ty\n\tz\n```\n",
            ["5:1+1 warning: a tab in the indentation"],
        ),
        (
            "## Which call clears the gradients?\n\n```\n  \tx\n```\n",
            ["4:3+1 warning: a tab in the indentation"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
