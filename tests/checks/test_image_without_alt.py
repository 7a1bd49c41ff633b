"""The rule `image-without-alt`."""

from collections.abc import Callable

import pytest


# Pictures with a text, and code.
@pytest.mark.parametrize(
    "source",
    [
        {"a.md": "## Which call clears the gradients?\n\n![A line](a.svg)\n", "a.svg": "<svg/>"},
        {
            "a.md": '## Which call clears the gradients?\n\n<img src="a.svg" alt="A line">\n\n`![](a.svg)`\n',
            "a.svg": "<svg/>",
        },
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            {
                "a.md": "## Which call clears the gradients?\n\nSee ![](a.svg) and ![ ](a.svg).\n",
                "a.svg": "<svg/>",
            },
            ["3:5+10 hint: a picture without a text", "3:20+11 hint: a picture without a text"],
        ),
        (
            {
                "a.md": '## Which call clears the gradients?\n\nSee <img src="a.svg"> there.\n',
                "a.svg": "<svg/>",
            },
            ["3:5+17 hint: a picture without a text"],
        ),
        (
            {
                "a.md": "## Which call clears the gradients?\n\n[![][it]](https://example.org)\n\n[it]: a.svg\n",
                "a.svg": "<svg/>",
            },
            ["3:2+7 hint: a picture without a text"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
