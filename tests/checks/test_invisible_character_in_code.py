"""The rule `invisible-character-in-code`."""

from collections.abc import Callable

import pytest


# Visible characters, and printed text.
@pytest.mark.parametrize(
    "source",
    [
        '## Which call clears the gradients?\n\n```python\nx = "é 何 ✓"\n```\n',
        "## Which call clears the gradients?\n\n```output\na\xa0b\n```\n",
        "## Which call clears the gradients?\n\na\xa0b\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nx =\xa01\n```\n",
            ["4:4+1 warning: the invisible character U+00A0 (no-break space) in code"],
        ),
        (
            "## Which call clears the gradients?\n\n```python\nif a\u202e:\n```\n",
            ["4:5+1 warning: the invisible character U+202E (right-to-left override) in code"],
        ),
        (
            "## Which call clears the gradients?\n\n```\nx\u200b\ny\u200b\n```\n",
            ["4:2+1 warning: the invisible character U+200B (zero width space) in code"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
