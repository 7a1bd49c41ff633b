"""The rule `broken-table`."""

from rules import QUESTION, table

NO_ROW = "not a table: it has no row such as `|---|---|` below its header"

test_advice = table(
    # Tables, and lines with `|` that are none.
    (f"{QUESTION}| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n", []),
    (f"{QUESTION}a | b\n--|--\n1 | 2\n", []),
    (f"{QUESTION}| a |\n|---|\n", []),
    (f"{QUESTION}|x|\n|y|\n\n|x| + |y|\n|z|\n\na | b\nc | d\n", []),
    (f"{QUESTION}$|x| + |y|$\n$|a| + |b|$\n\n`| a | b |`\n`| c | d |`\n", []),
    (f"{QUESTION}```text\n| a | b |\n|---|\n```\n", []),
    (f"{QUESTION}| a | b |\n\n| c | d |\n", []),
    (f"{QUESTION}One\n|---|---|\n", []),
    # A delimiter row that does not fit, and none.
    (
        f"{QUESTION}| a | b |\n|---|\n| 1 | 2 |\n",
        ["4:1+5 warning: not a table: 2 columns in its header, 1 in its delimiter row"],
    ),
    (
        f"{QUESTION}- a|b\n  -|-|-\n",
        ["4:3+5 warning: not a table: 2 columns in its header, 3 in its delimiter row"],
    ),
    (
        f"{QUESTION}| a | b |\n|---+---|\n| 1 | 2 |\n",
        ["4:1+9 warning: not a table: its delimiter row has `+` instead of `|`"],
    ),
    (f"{QUESTION}It is:\n| a | b |\n| 1 | 2 |\n", [f"4:1+9 warning: {NO_ROW}"]),
    (f"{QUESTION}> | a | b |\n> | 1 | 2 |\n", [f"3:3+9 warning: {NO_ROW}"]),
)
