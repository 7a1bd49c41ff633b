"""The rule `refers-elsewhere`."""

from collections.abc import Callable

import pytest


# Words that stay on the card.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\nAs mentioned, it is.\n",
        "## Which call clears the gradients?\n\nSee the note below.\n",
        "## Which call clears the gradients?\n\nThe next step follows.\n",
        "## Which call clears the gradients?\n\n`previous question`\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\nAs in the previous question, it is.\n",
            ["3:11+17 warning: `previous question` is not on this card"],
        ),
        (
            "## Which call clears the gradients?\n\nAs we have mentioned earlier, it is.\n",
            ["3:1+28 warning: `As we have mentioned earlier` is not on this card"],
        ),
        (
            "## Which call clears the gradients?\n\nAs we mentioned earlier, it is.\n",
            ["3:1+23 warning: `As we mentioned earlier` is not on this card"],
        ),
        (
            "## Which call clears the gradients?\n\nSee question 12.\n\n### Details\n\nThe next card tells.\n",
            [
                "3:1+15 warning: `See question 12` is not on this card",
                "7:5+9 warning: `next card` is not on this card",
            ],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
