"""The rule `smart-quotes-in-code`."""

from collections.abc import Callable

import pytest


# Strings, comments, prose and Python that parses.
@pytest.mark.parametrize(
    "source",
    [
        '## Which call clears the gradients?\n\n```python\nprint("it’s “fine”")  # “fine”\n```\n',
        "## Which call clears the gradients?\n\n```text\n“fine”\n```\n",
        '## Which call clears the gradients?\n\n```bash\necho "it’s" # ‘fine’\n```\n',
        "## Which call clears the gradients?\n\n“fine” and `“fine”`\n",
        "## Which call clears the gradients?\n\n```js\n/**\n * You’re “fine”\n */\nx() /* ‘so’ */ // it’s\n```\n",
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "## Which call clears the gradients?\n\n```python\nprint(“done”)\n```\n",
            ["4:7+1 warning: `“` is no quotation mark in code"],
        ),
        (
            "## Which call clears the gradients?\n\n```bash\necho ‘a b’\n```\n",
            ["4:6+1 warning: `‘` is no quotation mark in code"],
        ),
        (
            "## Which call clears the gradients?\n\n```python\nx = 'a' + “b”\nprint(“c”)\n```\n",
            ["4:11+1 warning: `“` is no quotation mark in code"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
