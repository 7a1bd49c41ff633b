"""The rule `short-question`."""

from collections.abc import Callable

import pytest


# Three words, or something below the heading.
@pytest.mark.parametrize(
    "source",
    [
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
        ("## Broadcasting rules\n\nThree.\n", ["1:4+18 hint: a question of 2 words"]),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
