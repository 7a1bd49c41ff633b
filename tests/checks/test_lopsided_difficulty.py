"""The rule `lopsided-difficulty`."""

from collections.abc import Callable

import pytest


# Few notes, and two levels.
@pytest.mark.parametrize(
    "source",
    [
        "## Number 0?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 1?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 2?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 3?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 4?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 5?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 6?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 7?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 8?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 9?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 10?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 11?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 12?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 13?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 14?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 15?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 16?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 17?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 18?\n<!-- card: difficulty=medium -->\n\nYes.\n\n",
        "## Number 0?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 1?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 2?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 3?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 4?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 5?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 6?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 7?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 8?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 9?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 10?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 11?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 12?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 13?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 14?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 15?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 16?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 17?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 18?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 19?\n<!-- card: difficulty=hard -->\n\nYes.\n\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Number 0?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 1?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 2?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 3?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 4?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 5?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 6?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 7?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 8?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 9?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 10?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 11?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 12?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 13?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 14?\n<!-- card: difficulty=medium -->\n\nYes.\n\n## Number 15?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 16?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 17?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 18?\n<!-- card: difficulty=hard -->\n\nYes.\n\n## Number 19?\n<!-- card: difficulty=hard -->\n\nYes.\n\n",
            ["1:4+9 hint: 15 of 20 notes are `medium`"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
