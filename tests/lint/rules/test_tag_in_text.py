"""The rule `tag-in-text`."""

from rules import table

test_advice = table(
    (
        "## What is TCP? #net/tcp\n\nA protocol. #todo\n",
        ["1:17+8 hint: `#net/tcp` is plain text here", "3:13+5 hint: `#todo` is plain text here"],
    ),
    ("## What is C#?\n\nIssue #12 of `x #y`\n\nThe #tag in the middle, number #1\n", []),
)
