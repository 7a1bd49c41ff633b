"""The rule `same-answer`."""

from rules import table

LONG = "A tensor that no recorded operation produced."

test_advice = table(
    # Short answers, other answers, and the same question twice, which is an error of its own.
    ("## Is a leaf a tensor?\n\nTrue.\n\n## Is a node one?\n\nTrue.\n", []),
    (f"## What is a leaf?\n\n{LONG}\n\n## What is a root?\n\n{LONG} Or not.\n", []),
    (
        f"## What is a leaf?\n\n{LONG}\n\n## What is a node?\n<!-- card: unlike=what-is-a-leaf -->\n\n{LONG}\n",
        [],
    ),
    # White space and case do not count.
    (
        f"## What is a leaf?\n\n{LONG}\n\n## What do you call it?\n\n{LONG.replace(' ', chr(10)).upper()}\n",
        [
            "5:4+20 warning: the answer is the same as that of the note at a.md:1:1",
        ],
    ),
    (
        {"a.md": f"# A\n\n## What is a leaf?\n\n{LONG}\n", "b.md": f"# B\n\n## Define it.\n\n{LONG}\n"},
        ["3:4+10 warning: the answer is the same as that of the note at a.md:3:1"],
    ),
    (
        (
            "## What does it print?\n\nThis:\n\n```python\nf(1)\n```\n\n```output\n1 2 3\n4 5 6\n```\n\n"
            "## What is on the screen?\n\nThat:\n\n```python\nf(2)\n```\n\n```output\n1 2 3\n4 5 6\n```\n"
        ),
        ["14:4+22 warning: the output is the same as that of the note at a.md:1:1"],
    ),
)
