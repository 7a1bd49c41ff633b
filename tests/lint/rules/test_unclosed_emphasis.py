"""The rule `unclosed-emphasis`."""

from rules import QUESTION, table

LONE = "has no partner, so it is shown as text"

test_advice = table(
    # Closed, escaped, in code or formulas, and marks that mean something else.
    (f"{QUESTION}It **clears** *them*, __all__ of ***them***.\n", []),
    (f"{QUESTION}It **clears\nthem** and ** them and \\*\\*all.\n", []),
    (f"{QUESTION}`**kwargs` and $a**b$ and [a](https://a.b/**c).\n", []),
    (f"{QUESTION}Pass **kwargs on, or **config) or f(**options).\n", []),
    (f"{QUESTION}Write {{**a, **b}} and x **2 and *args.\n", []),
    (f"{QUESTION}src/**/*.py\n", []),
    (f"{QUESTION}| a |\n| - |\n| 1** |\n\n\\**p < 0.05, **p < 0.01, ***p < 0.001\n", []),
    (f"{QUESTION}__init is a prefix, and 5 *x and *note.\n", []),
    (f"{QUESTION}```text\n**bold\n```\n", []),
    # Not closed, or closed with a space before, in another paragraph or with fewer marks.
    ("## Which **call clears them?\n\nThis.\n", [f"1:10+2 warning: `**` {LONE}"]),
    (f"{QUESTION}It **clears them.\n", [f"3:4+2 warning: `**` {LONE}"]),
    (f"{QUESTION}It **clears ** them.\n", [f"3:4+2 warning: `**` {LONE}"]),
    (f"{QUESTION}It **clears\n\nthem** all.\n", [f"3:4+2 warning: `**` {LONE}"]),
    (
        f"{QUESTION}- It **`clears` them.\n- ***All.\n",
        [f"3:6+2 warning: `**` {LONE}", f"4:3+3 warning: `***` {LONE}"],
    ),
    (f"{QUESTION}It **clears* them.\n", [f"3:4+1 warning: `*` {LONE}"]),
    (f"{QUESTION}It *clears** them.\n", [f"3:12+1 warning: `*` {LONE}"]),
    (
        f"{QUESTION}It **[clears](https://a.b) and [**them all](https://a.b).\n",
        [
            f"3:33+2 warning: `**` {LONE}",
            f"3:4+2 warning: `**` {LONE}",
        ],
    ),
    (f"{QUESTION}これは**「太字」**です。\n", [f"3:10+2 warning: `**` {LONE}"]),
)
