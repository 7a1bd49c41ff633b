"""The rule `anki-markup`."""

from collections.abc import Callable

import pytest


# Code, and brackets that mean nothing to Anki.
@pytest.mark.parametrize(
    "source", ["## Which is it?\n\n`[sound:a.mp3]` and [sound] and [latexmk] and [$5]\n"]
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n[sound:a.mp3] and [latex]x^2[/latex] and [$]x[/$] and [[type:Answer]]\n",
            [
                "3:1+13 warning: `[sound:a.mp3]` is shown as it is written",
                "3:19+7 warning: `[latex]` is shown as it is written",
                "3:55+15 warning: `[[type:Answer]]` is shown as it is written",
            ],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
