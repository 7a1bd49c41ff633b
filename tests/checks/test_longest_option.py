"""The rule `longest-option`."""

from collections.abc import Callable

import pytest


# Options of like length, short ones, and several right ones.
@pytest.mark.parametrize(
    "source",
    [
        "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [ ] it stops autograd from recording operatio\n- [ ] it stops autograd from recording operations a\n",
        "## Which is it?\n\n- [x] twelve words\n- [ ] one\n- [ ] two\n",
        "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [x] a\n- [ ] b\n",
        "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [ ] b\n",
        "## Which is it?\n\n- [ ] it stops autograd from recording operations at all\n- [x] b\n- [ ] c\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [ ] it is faster\n- [ ] it is exact\n",
            ["3:7+50 hint: the right option has 50 characters, the others 12 on average"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
