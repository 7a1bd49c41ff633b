"""The rule `tex-arguments`."""

from rules import QUESTION, table

test_advice = table(
    (f"{QUESTION}$\\frac12 \\sqrt[3]{{x}} x'^2_i \\hspace{{1em}} \\big( \\sum\\limits_i$ `x^2^3`\n", []),
    (f"{QUESTION}$\\frac{{1}}$\n", ["3:2+5 warning: `\\frac` lacks an argument"]),
    (f"{QUESTION}$x^$\n", ["3:3+1 warning: `^` has nothing that belongs to it"]),
    (f"{QUESTION}$x^2^3 + x_1_2$\n", ["3:5+1 warning: `^` is a second superscript"]),
    (f"{QUESTION}$\\hspace{{big}} x$\n", ["3:2+7 warning: `\\hspace` needs a length such as `1em`"]),
    (f"{QUESTION}$\\big{{x}}$\n", ["3:2+4 warning: `\\big` needs a delimiter such as `(` or `.`"]),
    (
        f"{QUESTION}$x\\limits_a$\n",
        ["3:3+7 warning: `\\limits` is only allowed after an operator such as `\\sum`"],
    ),
    (f"{QUESTION}$x^\\sin y$\n", ["3:4+4 warning: `^` needs braces around `\\sin`"]),
)
