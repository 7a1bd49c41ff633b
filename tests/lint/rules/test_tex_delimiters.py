"""The rule `tex-delimiters`."""

from rules import table

test_advice = table(
    # Dollars, escaped brackets, and code.
    ("## Which is it?\n\n$x_1$ and \\[not a link\\](x) and `\\(x\\)` and \\(half\n", []),
    (
        "## Which is it?\n\nIt is \\(x_1\\) and \\[y = 2\\] here.\n",
        [
            "3:7+7 warning: `\\(` does not begin a formula in Markdown",
            "3:19+9 warning: `\\[` does not begin a formula in Markdown",
        ],
    ),
)
