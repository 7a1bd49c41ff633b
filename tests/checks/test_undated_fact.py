"""The rule `undated-fact`."""

from collections.abc import Callable

import pytest


# A version, a year, and other uses of the words.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\nSince PyTorch 2.13 it is currently the default.\n",
        "## Which call clears the gradients?\n\nThe currently selected device is used.\n",
        "## Which call clears the gradients?\n\nThe latest checkpoint wins.\n",
        "## Which call clears the gradients?\n\nIt shows what it is currently rendering.\n",
        "## Which call clears the gradients?\n\nIt was added recently, in 2026.\n",
        '## Which call clears the gradients?\n\n`x = "as of now"`\n',
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\nYes. Currently only CUDA does. Version 2.\n",
            ["3:6+9 hint: `Currently`: when is that?"],
        ),
        (
            "## Which call clears the gradients?\n\nIt is the default in\nrecent versions.\n",
            ["3:19+18 hint: `in recent versions`: when is that?"],
        ),
        (
            "## Which call clears the gradients?\n\nNowadays it is so.\n\n### Details\n\nThere is no support as of now.\n",
            ["3:1+8 hint: `Nowadays`: when is that?", "7:21+9 hint: `as of now`: when is that?"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
