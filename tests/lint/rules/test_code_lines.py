"""The rule `code-lines`."""

from rules import QUESTION, table

test_advice = table(
    # Fifteen lines, and more in details.
    (f"{QUESTION}```python" + "\nx" * 15 + "\n```\n", []),
    (f"{QUESTION}Yes.\n\n### Details\n\n```python" + "\nx" * 99 + "\n```\n", []),
    (f"{QUESTION}```python" + "\nx" * 16 + "\n```\n", ["3:1+9 hint: the block has 16 lines, more than 15"]),
    (
        f"{QUESTION}```python" + "\nx" * 26 + "\n```\n",
        ["3:1+9 warning: the block has 26 lines, more than 25"],
    ),
)
