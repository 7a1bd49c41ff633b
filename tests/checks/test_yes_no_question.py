"""The rule `yes-no-question`."""

from collections.abc import Callable

import pytest


# Questions with an alternative, a request, or another form.
@pytest.mark.parametrize(
    "source",
    [
        "## Is `view` a copy or not?\n\nNot.\n",
        "## Can you name an optimizer?\n\nAdam.\n",
        "## What is a view?\n\nNo copy.\n",
        "## Is it a view?\n\n- [x] yes\n- [ ] no\n",
        "## Is it?\n\nIt is a {{c1::view}}.\n",
        "## Issues with views: which are there?\n\nAliasing.\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("## Is `view` a copy?\n\nNo.\n", ["1:4+2 warning: a question for yes or no"]),
        (
            "## Does `eval()` stop autograd?\n\nNo, it only switches modules such as dropout.\n",
            ["1:4+4 hint: a question for yes or no"],
        ),
        (
            "## Does `eval()` stop autograd?\n\nNo.\n\n### Details\n\nIt only switches modules.\n",
            ["1:4+4 hint: a question for yes or no"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
