"""The rule `missing-difficulty`."""

from rules import table

test_advice = table(
    # A collection that mostly has none.
    ("## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n\n## C?\n\nNo.\n", []),
    (
        "## A?\n\nYes.\n\n## B?\n<!-- card: difficulty=easy -->\n\nYes.\n",
        ["1:4+2 hint: this note has no difficulty"],
    ),
)
