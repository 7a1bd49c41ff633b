"""The rule `unexplained-choice`."""

from collections.abc import Callable

import pytest


# An explanation, a comment or details.
@pytest.mark.parametrize(
    "source",
    [
        "## Which is it?\n\n- [x] a\n- [ ] b\n\nBecause.\n",
        "## Which is it?\n\n- [x] a\n    - Because.\n- [ ] b\n",
        "## Which is it?\n\n- [x] a\n- [ ] b\n\n### Details\n\nBecause.\n",
        "## Which is it?\n\nBecause.\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n- [x] a\n- [ ] b\n\n### Sources\n\n- x\n",
            ["1:4+12 warning: a choice without a reason"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
