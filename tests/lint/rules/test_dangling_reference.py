"""The rule `dangling-reference`."""

from rules import table

test_advice = table(
    # What is shown, named in the heading, or no reference at all.
    ("## What does this code print?\n\n```python\nprint(1)\n```\n\n### Answer\n\n1\n", []),
    ("## Which of the following is a leaf?\n\n- [x] `a`\n- [ ] `b`\n", []),
    ("## What does this code print: `print(1)`?\n\n1\n", []),
    ("## Why is this so?\n\nSo.\n", []),
    ("## Which values lie above zero?\n\nAll.\n", []),
    ("## Fill in this line.\n\n`x = ` {{c1::1}}\n", []),
    (
        "## What does this code print?\n\n```python\nprint(1)\n```\n",
        ["1:14+9 warning: the question shows nothing that `this code` could refer to"],
    ),
    (
        "## Which of the following is a leaf?\n\nThe first.\n",
        ["1:13+13 warning: the question shows nothing that `the following` could refer to"],
    ),
    (
        "## What is wrong with the snippet below?\n\nIts shape.\n",
        ["1:27+13 warning: the question shows nothing that `snippet below` could refer to"],
    ),
    (
        "## What will this print?\n\nOne.\n",
        ["1:9+15 warning: the question shows nothing that `will this print` could refer to"],
    ),
    (
        "## What do these two share?\n\n| a | b |\n| - | - |\n| 1 | 2 |\n",
        ["1:12+9 warning: the question shows nothing that `these two` could refer to"],
    ),
)
