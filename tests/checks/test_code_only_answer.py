"""The rule `code-only-answer`."""

from collections.abc import Callable

import pytest


# A sentence, comments, a table or details beside the code.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nx.zero_grad()\n```\n\nIt sets them to `None` now.\n",
        "## Which call clears the gradients?\n\n```python\nx.zero_grad()  # because they would add up\n```\n",
        "## Which call clears the gradients?\n\n```python\nx.zero_grad()\n```\n\n### Details\n\nIt sets them to `None` now.\n",
        "## Which call clears the gradients?\n\n`x.zero_grad()`\n",
        "## Which call clears the gradients?\n\n```text\na\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nx.zero_grad()\n```\n",
            ["3:1+1 warning: an answer of code without a word about it"],
        ),
        (
            "## What?\n\n```python\nprint(1)\n```\n\n### Answer\n\n```output\n1\n```\n\nSo it is.\n",
            ["9:1+1 warning: an answer of code without a word about it"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
