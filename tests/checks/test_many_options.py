"""The rule `many-options`."""

from collections.abc import Callable

import pytest


# Five options.
@pytest.mark.parametrize("source", ["## Which is it?\n\n- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n"])
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n- [ ] f\n- [ ] g\n",
            ["8:7+1 warning: 7 options, more than 5"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
