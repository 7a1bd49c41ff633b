"""The rule `lone-separator`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}What is left?\n?\nNothing.\n\n%\n\n. . .\n",
        [
            "4:1+1 warning: `?` on a line of its own is plain text here",
            "7:1+1 warning: `%` on a line of its own is plain text here",
            "9:1+5 warning: `. . .` on a line of its own is plain text here",
        ],
    ),
    (f"{QUESTION}50 %\n\n```text\n?\n```\n", []),
)
