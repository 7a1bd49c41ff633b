"""The rule `no-such-note`."""

from rules import table

test_advice = table(
    (
        "## What is a leaf?\n<!-- card: unlike=root -->\n\nOne.\n\n## What?\n<!-- card: id=root -->\n\nTwo.\n",
        [],
    ),
    (
        "## What is a leaf?\n<!-- card: unlike=what-is-a-rot,x -->\n\nOne.\n\n## What is a root?\n\nTwo.\n",
        ["1:4+15 warning: there is no note `what-is-a-rot`", "1:4+15 warning: there is no note `x`"],
    ),
)
