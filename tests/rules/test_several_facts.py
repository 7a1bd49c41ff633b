"""The rule `several-facts`."""

from rules import QUESTION, table

test_advice = table(
    # Two additions, and words inside a sentence.
    (f"{QUESTION}It is. Also, it was. Moreover, it will be.\n", []),
    (f"{QUESTION}It also is, and besides it was, and additionally will be.\n", []),
    (f"{QUESTION}### One\n\na\n\n### Two\n\nb\n", []),
    (
        f"{QUESTION}It is. Also, it was. Moreover, it will be. Furthermore, it could.\n",
        ["3:44+1 hint: the answer contains several facts"],
    ),
    (
        f"{QUESTION}### One\n\na\n\n### Two\n\nb\n\n### Three\n\nc\n",
        ["11:1+1 hint: the answer contains several facts"],
    ),
)
