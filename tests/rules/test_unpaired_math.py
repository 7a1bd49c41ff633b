"""The rule `unpaired-math`."""

from rules import table

test_advice = table(
    # Partners, line ends, and code.
    (
        (
            "## Which is it?\n\n"
            "$\\left( x \\right.$ and "
            "$$\\begin{cases} 1 \\\\ 2 \\end{cases}$$ and `\\left(` and $\\leftarrow$\n"
        ),
        [],
    ),
    ("## Which is it?\n\n```math\n\\begin{aligned}\na\n\\end{aligned}\n```\n", []),
    ("## Which is it?\n\n$\\left( x )$\n", ["3:2+5 warning: `\\left` without `\\right` in a formula"]),
    (
        "## Which is it?\n\nA $\\begin{matrix} 1 \\\\ 2 \\end{cases}$\n",
        [
            "3:26+11 warning: `\\end{cases}` without `\\begin{cases}` in a formula",
            "3:4+14 warning: `\\begin{matrix}` without `\\end{matrix}` in a formula",
        ],
    ),
    (
        "## Which is it?\n\n```math\n\\begin{aligned}\na \\right)\n```\n",
        [
            "5:3+6 warning: `\\right` without `\\left` in a formula",
            "4:1+15 warning: `\\begin{aligned}` without `\\end{aligned}` in a formula",
        ],
    ),
)
