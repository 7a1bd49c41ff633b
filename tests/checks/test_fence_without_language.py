"""The rule `fence-without-language`."""

from collections.abc import Callable

import pytest


# A language, indented code and code spans.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nx\n```\n",
        "## Which call clears the gradients?\n\n    x\n",
        "## Which call clears the gradients?\n\n`x`\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```\nx\n```\n",
            ["3:1+3 warning: a block of code without a language"],
        ),
        (
            "## Which call clears the gradients?\n\n- a\n\n  ~~~~\n  x\n  ~~~~\n",
            ["5:3+4 warning: a block of code without a language"],
        ),
        (
            '## Which call clears the gradients?\n\n``` hl_lines="1"\nx\n```\n',
            ["3:1+3 warning: a block of code without a language"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
