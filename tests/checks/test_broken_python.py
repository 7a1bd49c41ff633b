"""The rule `broken-python`."""

from collections.abc import Callable

import pytest


# Python, other languages, and what is meant to be wrong.
@pytest.mark.parametrize(
    "source",
    [
        "## Which call clears the gradients?\n\n```python\nx = 1\nreturn x\nawait y\n```\n",
        "## Which call clears the gradients?\n\n```text\nx = = 1\n```\n",
        '## Which call clears the gradients?\n\n```python no-run="wrong on purpose"\nx = = 1\n```\n',
        "## Which call clears the gradients?\n\n```python raises=SyntaxError\nx = = 1\n```\n",
        "## Which call clears the gradients?\n\n```python\n%timeit f(x)\n```\n",
        "## Which call clears the gradients?\n\n```python\n!pip install torch\n```\n",
        "## Which call clears the gradients?\n\n```python\nx.{{c1::backward}}()\n```\n",
        "## Which call clears the gradients?\n\n```pycon\n>>> def f():\n...     return 1\n...\n>>> f()\n1 2 3\n```\n",
        "## Which?\n<!-- card: kind=cloze -->\n\n```python\nx.{{c1::backward}}()\n```\n",
        '## Which call clears the gradients?\n\n```python\nprint("\\d")\n```\n',
    ],
)
def test_what_is_fine_is_left_alone(advice: Callable[..., list[str]], source: str | dict[str, str]) -> None:
    assert advice(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            '## Which call clears the gradients?\n\n```python\nx = 1\nprint("loss:" x)\n```\n',
            ["5:7+1 error: this is not Python: invalid syntax. Perhaps you forgot a comma?"],
        ),
        (
            "## Which call clears the gradients?\n\n```py\nif x:\ny\n```\n",
            ["5:1+1 error: this is not Python: expected an indented block after 'if' statement on line 4"],
        ),
        (
            "## Which call clears the gradients?\n\n```pycon\n>>> x = 1\n>>> print(x\n... y)\n```\n",
            ["5:11+1 error: this is not Python: invalid syntax. Perhaps you forgot a comma?"],
        ),
        (
            "## Which call clears the gradients?\n\n> ```python\n> x = = 1\n> ```\n",
            ["4:7+1 error: this is not Python: invalid syntax"],
        ),
        (
            '## Which call clears the gradients?\n\n```python\nx = "\n```\n',
            ["4:5+1 error: this is not Python: unterminated string literal (detected at line 4)"],
        ),
        (
            "## Which call clears the gradients?\n\n```python\n(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((())))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))\n```\n",
            ["4:201+1 error: this is not Python: too many nested parentheses"],
        ),
    ],
)
def test_the_mistake_is_named(
    advice: Callable[..., list[str]], source: str | dict[str, str], expected: list[str]
) -> None:
    assert advice(source) == expected
