"""The rule `typed-characters`."""

from collections.abc import Callable

import pytest


# Thirty characters.
@pytest.mark.parametrize(
    "source",
    [
        "## Which?\n<!-- card: kind=typed -->\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n",
        "## Which is it?\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which?\n<!-- card: kind=typed -->\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n",
            ["1:4+6 hint: 31 characters to type, more than 30"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
