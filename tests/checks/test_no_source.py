"""The rule `no-source`."""

from collections.abc import Callable

import pytest


# A section or a link.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\nYes.\n\n### Sources\n\n- The manual\n",
        "## Which call clears the gradients?\n\nSee <https://example.org>.\n",
        "## Which call clears the gradients?\n\nSee [it].\n\n[it]: https://example.org\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [("## Which call clears the gradients?\n\nYes.\n", ["1:4+32 hint: a note without a source"])],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
