"""The rule `short-question`."""

from rules import table

test_advice = table(
    # Three words, something below the heading, and headings that ask nothing at all.
    ("## Broadcasting rules\n\nThree.\n", []),
    ("## What is autograd?\n\nA tape.\n", []),
    ("## Why?\n\n```python\nx = 1\n```\n\n### Answer\n\nSo.\n", []),
    ("## Autograd\n\nIt {{c1::records}}.\n", []),
    ("## 何？\n\nそれ。\n", []),
    ("## Autograd?\n\nA tape.\n", ["1:4+9 hint: the question has only 1 word"]),
    ("## ???\n\nA tape.\n", ["1:4+3 hint: the question has only 0 words"]),
)
