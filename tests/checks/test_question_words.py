"""The rule `question-words`."""

from collections.abc import Callable

import pytest


# A heading of 25 words.
@pytest.mark.parametrize(
    "source",
    [
        "## word word word word word word word word word word word word word word word word word word word word word word word word word\n\nYes.\n"
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## word word word word word word word word word word word word word word word word word word word word word word word word word word\n\nYes.\n",
            ["1:4+129 warning: a question of 26 words, more than 25"],
        ),
        (
            "## wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\n\nYes.\n",
            ["1:4+201 warning: a question of 201 characters, more than 200"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected


def test_limits_can_be_set(advice: Callable[..., list[str]]) -> None:
    source = "## Which call clears gradients?\n\nThis.\n"
    assert advice(source, {"question-words": 4}) == []
    assert advice(source, {"question-words": 3}) == ["1:4+28 warning: a question of 4 words, more than 3"]
