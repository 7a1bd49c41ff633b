"""The rule `short-question`."""

from collections.abc import Callable

import pytest


# Three words, something below the heading, and headings that ask nothing at all.
@pytest.mark.parametrize(
    "source",
    [
        "## Broadcasting rules\n\nThree.\n",
        "## What is autograd?\n\nA tape.\n",
        "## Why?\n\n```python\nx = 1\n```\n\n### Answer\n\nSo.\n",
        "## Autograd\n\nIt {{c1::records}}.\n",
        "## 何？\n\nそれ。\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("## Autograd?\n\nA tape.\n", ["1:4+9 hint: a question of 1 word"]),
        ("## ???\n\nA tape.\n", ["1:4+3 hint: a question of 0 words"]),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
