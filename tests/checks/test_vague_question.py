"""The rule `vague-question`."""

from collections.abc import Callable

import pytest


# A pointed question, and one with a vague verb that says what.
@pytest.mark.parametrize(
    "source",
    [
        "## What does autograd record?\n\nOperations.\n",
        "## Explain why autograd records operations.\n\nFor the backward pass.\n",
        "## Describe the difference between a view and a copy.\n\nMemory.\n",
        "## How is the explain mode used?\n\nSo.\n",
        "## Explain\n\nA {{c1::cloze}} asks by itself.\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Explain the optimizer.\n\nIt steps.\n",
            ["1:4+7 warning: `Explain` does not say what to answer"],
        ),
        (
            "## Tell me about autograd\n\nIt records.\n",
            ["1:4+13 warning: `Tell me about` does not say what to answer"],
        ),
        (
            "## What do you know about `vmap`?\n\nIt maps.\n",
            ["1:4+22 warning: `What do you know about` does not say what to answer"],
        ),
        (
            "## Can you describe batch norm?\n\nIt norms.\n",
            ["1:4+16 warning: `Can you describe` does not say what to answer"],
        ),
        (
            "## Discuss dropout in training.\n\nIt drops.\n",
            ["1:4+7 warning: `Discuss` does not say what to answer"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
