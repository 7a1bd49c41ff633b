"""The rule `back-link`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}This one.\n\n[to the top](#top)\n",
        ["5:1+18 warning: the answer ends with a link to a heading of the file"],
    ),
    (
        f"{QUESTION}This one.\n\n**[![up](https://x.org/a.png)](#top)**\n",
        ["5:1+38 warning: the answer ends with a link to a heading of the file"],
    ),
    (f"{QUESTION}[this](#top)\n", []),
    (f"{QUESTION}This one.\n\nSee [this](#top).\n\n[that](https://x.org/#a)\n", []),
)
