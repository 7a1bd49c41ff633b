"""The rule `reversed-words`."""

from rules import table

test_advice = table(
    # Twenty-five words, and a note with one card.
    ("## Which?\n<!-- card: kind=reversed -->\n\n" + "word " * 25 + "\n", []),
    ("## Which is it?\n\n" + "word " * 26 + "\n", []),
    (
        "## Which?\n<!-- card: kind=reversed -->\n\n" + "word " * 26 + "\n",
        ["4:1+1 hint: the answer of this reversed note has 26 words, more than 25"],
    ),
)
