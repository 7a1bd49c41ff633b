"""The rule `question-in-two-decks`."""

from collections.abc import Callable

import pytest


# Questions of one deck, and equal headings over other code.
@pytest.mark.parametrize(
    "source",
    [
        {"a.md": "# A\n\n## What is it?\n\nOne.\n", "b.md": "# B\n\n## What is that?\n\nOne.\n"},
        {
            "a.md": "# A\n\n## What is it?\n\n`a`\n\n### Answer\n\n1\n",
            "b.md": "# B\n\n## What is it?\n\n`b`\n\n### Answer\n\n1\n",
        },
        {
            "a.md": "# A\n\n## Which is it?\n\n- [x] a\n- [ ] b\n",
            "b.md": "# B\n\n## Which is it?\n\n- [x] c\n- [ ] b\n",
        },
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            {"a.md": "# A\n\n## What is it?\n\nOne.\n", "b.md": "# B\n\n## What  is it?\n\nTwo.\n"},
            ["3:4+12 hint: this question is asked in `Deck::A` too, at a.md:3:1"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
