"""The rule `unknown-math-environment`."""

from rules import table

test_advice = table(
    # Environments of amsmath and mathtools.
    (
        (
            "## Which is it?\n\n"
            "$$\\begin{align*} a \\end{align*}$$ $\\begin{bmatrix} 1 \\end{bmatrix}$ `\\begin{foo}`\n"
        ),
        [],
    ),
    (
        "## Which is it?\n\n$\\begin{bmatirx} 1 \\end{bmatirx}$\n",
        ["3:9+7 warning: MathJax does not know the environment `bmatirx`"],
    ),
    (
        "## Which is it?\n\n> ```math\n> \\begin{tikzpicture}\n> \\end{tikzpicture}\n> ```\n",
        ["4:10+11 warning: MathJax does not know the environment `tikzpicture`"],
    ),
)
