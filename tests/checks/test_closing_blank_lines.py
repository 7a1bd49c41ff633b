"""The rule `closing-blank-lines`."""

from collections.abc import Callable

import pytest


# Blank lines inside, and a file that ends with its last line.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nx\n\ny\n```\n",
        "## Which call clears the gradients?\n\nYes.",
        "## Which call clears the gradients?\n\nYes.\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nx\n\n```\n",
            ["5:1+1 hint: 1 blank line at the end of the code"],
        ),
        (
            "## Which call clears the gradients?\n\n- a\n\n  ```\n  x\n\n \n  ```\n",
            ["7:1+1 hint: 2 blank lines at the end of the code"],
        ),
        (
            "## Which call clears the gradients?\n\nYes.\n\n",
            ["4:1+1 hint: 1 blank line at the end of the file"],
        ),
        (
            "## Which call clears the gradients?\n\nYes.\n \n\n",
            ["4:1+1 hint: 2 blank lines at the end of the file"],
        ),
        (
            "## Which call clears the gradients?\n\n> ```\n> x\n>\n> ```\n",
            ["5:2+1 hint: 1 blank line at the end of the code"],
        ),
        (
            "## Which call clears the gradients?\n\n```\n\n```\n",
            ["4:1+1 hint: 1 blank line at the end of the code"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
