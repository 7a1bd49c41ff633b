"""The rule `questions-below`."""

from rules import table

test_advice = table(
    (
        "## Cells\n\n### What is a cell?\n\nThe smallest.\n\n### What is a nucleus? ⭐️\n\nIts core.\n",
        ["1:1+2 warning: 2 question headings are part of this answer"],
    ),
    (
        "## Cells\n\n**What is a cell?**\n\nA.\n\n**2. Why?** ⭐️\n\nB.\n\n**What else?**\n\nC.\n",
        ["1:1+2 warning: 3 questions in bold are part of this answer"],
    ),
    # A single one may be intended.
    (
        "## Cells\n\nMany.\n\n### Why so many?\n\nThey divide.\n\n### Growth\n\nSlow.\n\n**Really?**\n\nYes.\n",
        [],
    ),
)
