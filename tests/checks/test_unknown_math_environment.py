"""The rule `unknown-math-environment`."""

from collections.abc import Callable

import pytest


# Environments of amsmath and mathtools.
@pytest.mark.parametrize(
    "source",
    [
        "## Which is it?\n\n$$\\begin{align*} a \\end{align*}$$ $\\begin{bmatrix} 1 \\end{bmatrix}$ `\\begin{foo}`\n"
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n$\\begin{bmatirx} 1 \\end{bmatirx}$\n",
            ["3:9+7 warning: MathJax knows no environment `bmatirx`"],
        ),
        (
            "## Which is it?\n\n> ```math\n> \\begin{tikzpicture}\n> \\end{tikzpicture}\n> ```\n",
            ["4:10+11 warning: MathJax knows no environment `tikzpicture`"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
