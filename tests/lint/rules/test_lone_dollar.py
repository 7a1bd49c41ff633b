"""The rule `lone-dollar`."""

from rules import QUESTION, table

ALONE = "a `$` without a partner is shown as text"
SPACED = "a formula with spaces inside its dollar signs is shown as text"

test_advice = table(
    # Formulas, escaped signs, code, prices, variables, prompts and patterns.
    (f"{QUESTION}$x^2$ and $\\alpha$ and \\$x^2 and `$ x $` and $`x_1`$.\n", []),
    (f"{QUESTION}It costs $5 or $6, US$ 7 or 8 $ and 9 $. The square is x^2.\n", []),
    (f"{QUESTION}Set $HOME, $HOME_DIR, $my_var, $x and ${{A}}. Type $ ls -l and then $ cd.\n", []),
    (f"{QUESTION}The pattern ^abc$ or ^a+$ or \\d$, for 5 $ = 6 $ and more.\n", []),
    # One half is missing, is in another paragraph or is followed by a digit.
    ("## What is $x^2 here?\n\nThis.\n", [f"1:12+1 warning: {ALONE}"]),
    (f"{QUESTION}It is $x + y = \\frac{{1}}{{2}}.\n", [f"3:7+1 warning: {ALONE}"]),
    (f"{QUESTION}It is $h_t\n\nand y$.\n", [f"3:7+1 warning: {ALONE}"]),
    (f"{QUESTION}It is x^2$ and $y$.\n", [f"3:10+1 warning: {ALONE}"]),
    (f"{QUESTION}It is $x^2$3.\n", [f"3:7+1 warning: {ALONE}"]),
    # Spaces inside.
    (
        f"{QUESTION}It is $ x $ or $\\frac{{1}}{{2}} $.\n",
        [f"3:7+5 warning: {SPACED}", f"3:16+14 warning: {SPACED}"],
    ),
    (f"{QUESTION}It is $ x +\ny$.\n", [f"3:7+8 warning: {SPACED}"]),
)
