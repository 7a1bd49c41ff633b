"""The rule `question-number`."""

from rules import table

test_advice = table(
    ("## Q. What is it?\n\nThis.\n", ["1:4+2 warning: the card shows `Q.` before the question"]),
    ("## Q12: What is it?\n\nThis.\n", ["1:4+4 warning: the card shows `Q12:` before the question"]),
    ("## 7) What is it?\n\nThis.\n", ["1:4+2 warning: the card shows `7)` before the question"]),
    ("## Q is what?\n\nThis.\n\n## 3 of what?\n\nIt.\n\n## What is Q1?\n\nA quarter.\n", []),
)
