"""The rule `several-questions`."""

from rules import table

test_advice = table(
    # One question, however it is joined.
    ("## What is a view?\n\nNo copy.\n", []),
    ("## What do `a` and `b` have in common?\n\nAll.\n", []),
    ("## When and where is it used?\n\nHere.\n", []),
    ("## Which of `a?` and `b?` is it?\n\n`a?`\n", []),
    ("## What is the difference between how it was and what remains?\n\nMuch.\n", []),
    (
        "## What is autograd? How does it record?\n\nA tape.\n",
        ["1:22+19 warning: this heading asks a second question"],
    ),
    (
        "## What is autograd, and how does it record?\n\nA tape.\n",
        ["1:22+23 warning: this heading asks a second question"],
    ),
    (
        "## What is autograd and why do we need it?\n\nA tape.\n",
        ["1:21+22 warning: this heading asks a second question"],
    ),
)
