"""The rule `code-columns`."""

from collections.abc import Callable

import pytest


# Sixty columns, without the marks of deletions.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```\n",
        "## Which call clears the gradients?\n\n```python\n{{c1::xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}}\n```\n",
        "## Which call clears the gradients?\n\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```\n",
            ["4:61+1 warning: a line of 61 columns, more than 60"],
        ),
        (
            "## Which call clears the gradients?\n\n```python\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\ny\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```\n",
            ["6:61+15 warning: a line of 75 columns, more than 60, and 1 more like it"],
        ),
        (
            "## Which call clears the gradients?\n\n- a\n\n  ```text\n  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n  ```\n",
            ["6:63+1 warning: a line of 61 columns, more than 60"],
        ),
        (
            "## Which call clears the gradients?\n\n```text\n\t\txxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```\n",
            ["4:56+1 warning: a line of 62 columns, more than 60"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
