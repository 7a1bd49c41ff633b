"""The rule `cloze-in-code`."""

from collections.abc import Callable

import pytest


# A cloze, a deletion in text, and a code span.
@pytest.mark.parametrize(
    "source",
    [
        "## Which?\n<!-- card: kind=cloze -->\n\n```python\n{{c1::x}}\n```\n",
        "## Which is it?\n\n{{c1::a}}\n\n```\n{{c2::x}}\n```\n",
        "## Which is it?\n\n```jinja\n{{ name }}\n```\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which is it?\n\n```python\nloss.{{c1::backward}}()\n{{c2::x}}\n```\n",
            ["4:6+6 warning: a deletion in code is shown as it is written"],
        )
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
