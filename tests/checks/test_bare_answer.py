"""The rule `bare-answer`."""

from collections.abc import Callable

import pytest


# A reason, details, code, a list, or another kind.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n`zero_grad()`, because they add up.\n",
        "## Which call clears the gradients?\n\n`zero_grad()`\n\n### Details\n\nThey add up.\n",
        "## Which call clears the gradients?\n\n```python\nx.zero_grad()\n```\n",
        "## Which call clears the gradients?\n\n- `a`\n- `b`\n",
        "## Which?\n\n- [x] `a`\n- [ ] `b`\n",
        "## Which?\n<!-- card: kind=typed -->\n\n`a`\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n`zero_grad()`\n",
            ["3:1+1 hint: an answer without a reason"],
        ),
        (
            "## Which call clears the gradients?\n\nThe optimizer does.\n",
            ["3:1+1 hint: an answer without a reason"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
