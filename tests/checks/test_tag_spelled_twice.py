"""The rule `tag-spelled-twice`."""

from collections.abc import Callable

import pytest


# One spelling.
@pytest.mark.parametrize(
    "source", ["## A?\n<!-- card: tags=one -->\n\nYes.\n\n## B?\n<!-- card: tags=one,onetwo -->\n\nYes.\n"]
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## A?\n<!-- card: tags=Memory -->\n\nYes.\n\n## B?\n<!-- card: tags=memory -->\n\nYes.\n\n## C?\n<!-- card: tags=memory -->\n\nYes.\n",
            ["6:4+2 hint: the tag `memory` is `Memory` at a.md:1:1"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
