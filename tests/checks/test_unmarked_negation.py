"""The rule `unmarked-negation`."""

from collections.abc import Callable

import pytest


# Loud negations, and other kinds.
@pytest.mark.parametrize(
    "source",
    [
        "## Which is **not** a leaf?\n\n- [x] a\n- [ ] b\n",
        "## Which is NOT a leaf?\n\n- [x] a\n- [ ] b\n",
        "## Why is it not a leaf?\n\n- [x] a\n- [ ] b\n",
        "## Which is not a leaf?\n\nThis.\n",
        "## Which is a `not`?\n\n- [x] a\n- [ ] b\n",
        "## Which is set, provided you cannot pass it?\n\n- [x] a\n- [ ] b\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("## Which is not a leaf?\n\n- [x] a\n- [ ] b\n", ["1:13+3 hint: `not` is easily missed"]),
        ("## What all use, except one?\n\n- [x] a\n- [ ] b\n", ["1:18+6 hint: `except` is easily missed"]),
        (
            "## Which of these doesn't copy?\n\n- [x] a\n- [ ] b\n",
            ["1:19+7 hint: `doesn't` is easily missed"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
