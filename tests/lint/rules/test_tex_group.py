"""The rule `tex-group`."""

from rules import QUESTION, table

test_advice = table(
    # Partners, line ends, visible braces, and code.
    (
        f"{QUESTION}$\\left( x \\right.$ and $$\\begin{{cases}} 1 \\\\ 2 \\end{{cases}}$$ and `\\left(` and $\\leftarrow \\{{ 1$\n",
        [],
    ),
    (f"{QUESTION}```math\n\\begin{{aligned}}\na &= b\n\\end{{aligned}}\n```\n", []),
    (f"{QUESTION}$\\left( x )$\n", ["3:2+5 warning: `\\left` without `\\right` in a formula"]),
    (
        f"{QUESTION}A $\\frac{{1}}{{n$ or $$x}}$$\n",
        ["3:12+1 warning: `{` is not closed in the formula", "3:22+1 warning: `}` without `{` in a formula"],
    ),
    (
        f"{QUESTION}A $\\begin{{matrix}} 1 \\\\ 2 \\end{{cases}}$\n",
        ["3:26+11 warning: `\\end{cases}` without `\\begin{cases}` in a formula"],
    ),
    (
        f"{QUESTION}```math\n\\begin{{aligned}}\na \\right)\n```\n",
        ["5:3+6 warning: `\\right` without `\\left` in a formula"],
    ),
    (f"{QUESTION}$a & b$\n", ["3:4+1 warning: `&` is only allowed in an environment such as `aligned`"]),
    (
        f"{QUESTION}$$\\begin{{aligned}} a \\tag{{1}} \\end{{aligned}}$$\n",
        ["3:21+4 warning: `\\tag` is not allowed in `aligned`"],
    ),
    (
        f"{QUESTION}${{50%}}$\n",
        ["3:5+1 warning: `%` begins a comment, which hides the `}}` after it".replace("}}", "}")],
    ),
    # The marks of a deletion are not a group.
    (
        "## What is it?\n<!-- card: kind=cloze -->\n\n$$\\begin{aligned} a {{c1::&= b::a sum}} \\end{aligned}$$\n",
        [],
    ),
    (
        "## What is it?\n<!-- card: kind=cloze -->\n\n$a + {{c1::\\left( b}}$\n",
        ["4:12+5 warning: `\\left` without `\\right` in a formula"],
    ),
)
