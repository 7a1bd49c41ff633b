"""The rule `code-columns`."""

from rules import QUESTION, table

test_advice = table(
    # Sixty columns, without the marks of deletions.
    (f"{QUESTION}```python\n" + "x" * 60 + "\n```\n", []),
    (QUESTION + "```python\n{{c1::" + "x" * 60 + "}}\n```\n", []),
    (QUESTION + "x" * 90 + "\n", []),
    # A diagram, and one that is shown as text.
    (f"{QUESTION}```dot\n" + "x" * 61 + "\n```\n", []),
    (
        f'{QUESTION}```dot no-run="the syntax"\n' + "x" * 61 + "\n```\n",
        ["4:61+1 warning: the line has 61 columns, more than 60"],
    ),
    (
        f"{QUESTION}```python\n" + "x" * 61 + "\n```\n",
        ["4:61+1 warning: the line has 61 columns, more than 60"],
    ),
    (
        f"{QUESTION}```python\n" + "x" * 70 + "\ny\n" + "x" * 75 + "\n```\n",
        ["6:61+15 warning: the line has 75 columns, more than 60 (1 more like it)"],
    ),
    (
        f"{QUESTION}- a\n\n  ```text\n  " + "x" * 61 + "\n  ```\n",
        ["6:63+1 warning: the line has 61 columns, more than 60"],
    ),
    (
        f"{QUESTION}```text\n\t\t" + "x" * 54 + "\n```\n",
        ["4:56+1 warning: the line has 62 columns, more than 60"],
    ),
)
