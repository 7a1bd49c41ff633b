"""The rule `tab-in-code`."""

from rules import QUESTION, table

test_advice = table(
    # Spaces, tabs inside a line, and languages that want tabs.
    (f"{QUESTION}```python\nif x:\n    y\n```\n", []),
    (f"{QUESTION}```python\nx = 1\t# one\n```\n", []),
    (f"{QUESTION}```make\nall:\n\techo\n```\n", []),
    (f"{QUESTION}```output\n\tx\n```\n", []),
    (f"{QUESTION}```python\nif x:\n\ty\n\tz\n```\n", ["5:1+1 warning: the indentation contains a tab"]),
    (f"{QUESTION}```\n  \tx\n```\n", ["4:3+1 warning: the indentation contains a tab"]),
)
