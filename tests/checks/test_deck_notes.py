"""The rule `deck-notes`."""

from collections.abc import Callable

import pytest


# Sixty notes, and a small collection.
@pytest.mark.parametrize(
    "source",
    [
        "## Number 0?\n\nYes.\n\n## Number 1?\n\nYes.\n\n## Number 2?\n\nYes.\n\n## Number 3?\n\nYes.\n\n## Number 4?\n\nYes.\n\n## Number 5?\n\nYes.\n\n## Number 6?\n\nYes.\n\n## Number 7?\n\nYes.\n\n## Number 8?\n\nYes.\n\n## Number 9?\n\nYes.\n\n## Number 10?\n\nYes.\n\n## Number 11?\n\nYes.\n\n## Number 12?\n\nYes.\n\n## Number 13?\n\nYes.\n\n## Number 14?\n\nYes.\n\n## Number 15?\n\nYes.\n\n## Number 16?\n\nYes.\n\n## Number 17?\n\nYes.\n\n## Number 18?\n\nYes.\n\n## Number 19?\n\nYes.\n\n## Number 20?\n\nYes.\n\n## Number 21?\n\nYes.\n\n## Number 22?\n\nYes.\n\n## Number 23?\n\nYes.\n\n## Number 24?\n\nYes.\n\n## Number 25?\n\nYes.\n\n## Number 26?\n\nYes.\n\n## Number 27?\n\nYes.\n\n## Number 28?\n\nYes.\n\n## Number 29?\n\nYes.\n\n## Number 30?\n\nYes.\n\n## Number 31?\n\nYes.\n\n## Number 32?\n\nYes.\n\n## Number 33?\n\nYes.\n\n## Number 34?\n\nYes.\n\n## Number 35?\n\nYes.\n\n## Number 36?\n\nYes.\n\n## Number 37?\n\nYes.\n\n## Number 38?\n\nYes.\n\n## Number 39?\n\nYes.\n\n## Number 40?\n\nYes.\n\n## Number 41?\n\nYes.\n\n## Number 42?\n\nYes.\n\n## Number 43?\n\nYes.\n\n## Number 44?\n\nYes.\n\n## Number 45?\n\nYes.\n\n## Number 46?\n\nYes.\n\n## Number 47?\n\nYes.\n\n## Number 48?\n\nYes.\n\n## Number 49?\n\nYes.\n\n## Number 50?\n\nYes.\n\n## Number 51?\n\nYes.\n\n## Number 52?\n\nYes.\n\n## Number 53?\n\nYes.\n\n## Number 54?\n\nYes.\n\n## Number 55?\n\nYes.\n\n## Number 56?\n\nYes.\n\n## Number 57?\n\nYes.\n\n## Number 58?\n\nYes.\n\n## Number 59?\n\nYes.\n\n",
        "## One?\n\nYes.\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Number 0?\n\nYes.\n\n## Number 1?\n\nYes.\n\n## Number 2?\n\nYes.\n\n## Number 3?\n\nYes.\n\n## Number 4?\n\nYes.\n\n## Number 5?\n\nYes.\n\n## Number 6?\n\nYes.\n\n## Number 7?\n\nYes.\n\n## Number 8?\n\nYes.\n\n## Number 9?\n\nYes.\n\n## Number 10?\n\nYes.\n\n## Number 11?\n\nYes.\n\n## Number 12?\n\nYes.\n\n## Number 13?\n\nYes.\n\n## Number 14?\n\nYes.\n\n## Number 15?\n\nYes.\n\n## Number 16?\n\nYes.\n\n## Number 17?\n\nYes.\n\n## Number 18?\n\nYes.\n\n## Number 19?\n\nYes.\n\n## Number 20?\n\nYes.\n\n## Number 21?\n\nYes.\n\n## Number 22?\n\nYes.\n\n## Number 23?\n\nYes.\n\n## Number 24?\n\nYes.\n\n## Number 25?\n\nYes.\n\n## Number 26?\n\nYes.\n\n## Number 27?\n\nYes.\n\n## Number 28?\n\nYes.\n\n## Number 29?\n\nYes.\n\n## Number 30?\n\nYes.\n\n## Number 31?\n\nYes.\n\n## Number 32?\n\nYes.\n\n## Number 33?\n\nYes.\n\n## Number 34?\n\nYes.\n\n## Number 35?\n\nYes.\n\n## Number 36?\n\nYes.\n\n## Number 37?\n\nYes.\n\n## Number 38?\n\nYes.\n\n## Number 39?\n\nYes.\n\n## Number 40?\n\nYes.\n\n## Number 41?\n\nYes.\n\n## Number 42?\n\nYes.\n\n## Number 43?\n\nYes.\n\n## Number 44?\n\nYes.\n\n## Number 45?\n\nYes.\n\n## Number 46?\n\nYes.\n\n## Number 47?\n\nYes.\n\n## Number 48?\n\nYes.\n\n## Number 49?\n\nYes.\n\n## Number 50?\n\nYes.\n\n## Number 51?\n\nYes.\n\n## Number 52?\n\nYes.\n\n## Number 53?\n\nYes.\n\n## Number 54?\n\nYes.\n\n## Number 55?\n\nYes.\n\n## Number 56?\n\nYes.\n\n## Number 57?\n\nYes.\n\n## Number 58?\n\nYes.\n\n## Number 59?\n\nYes.\n\n## Number 60?\n\nYes.\n\n",
            ["1:4+9 hint: the deck `Deck::A` has 61 notes, more than 60"],
        ),
        (
            {
                "a.md": "# A\n\n## Number 0?\n\nYes.\n\n## Number 1?\n\nYes.\n\n## Number 2?\n\nYes.\n\n## Number 3?\n\nYes.\n\n## Number 4?\n\nYes.\n\n## Number 5?\n\nYes.\n\n## Number 6?\n\nYes.\n\n## Number 7?\n\nYes.\n\n## Number 8?\n\nYes.\n\n## Number 9?\n\nYes.\n\n## Number 10?\n\nYes.\n\n## Number 11?\n\nYes.\n\n## Number 12?\n\nYes.\n\n## Number 13?\n\nYes.\n\n## Number 14?\n\nYes.\n\n## Number 15?\n\nYes.\n\n## Number 16?\n\nYes.\n\n## Number 17?\n\nYes.\n\n## Number 18?\n\nYes.\n\n## Number 19?\n\nYes.\n\n",
                "b.md": "# B\n\n## One?\n\nYes.\n",
            },
            ["3:4+4 hint: the deck `Deck::B` has 1 note, fewer than 3"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
