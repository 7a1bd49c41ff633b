"""The rule `missing-id`."""

from rules import QUESTION, table

test_advice = table(
    # An id.
    ("## Which call clears the gradients?\n<!-- card: id=a -->\n\nYes.\n", []),
    (f"{QUESTION}Yes.\n", ["1:4+32 hint: this note has no id"]),
)
