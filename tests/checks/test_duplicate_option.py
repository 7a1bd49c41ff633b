"""The rule `duplicate-option`."""

from collections.abc import Callable

import pytest


# Options that differ in case.
@pytest.mark.parametrize("source", ["## Which is it?\n\n- [x] `A`\n- [ ] `a`\n"])
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n- [x] an  `A`\n- [ ] b\n- [ ] an `A`\n- [ ] b\n",
            [
                "5:7+6 error: this option is the same as option 1",
                "6:7+1 error: this option is the same as option 2",
            ],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
