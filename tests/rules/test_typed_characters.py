"""The rule `typed-characters`."""

from rules import table

test_advice = table(
    # Thirty characters.
    ("## Which?\n<!-- card: kind=typed -->\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n", []),
    ("## Which is it?\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n", []),
    (
        "## Which?\n<!-- card: kind=typed -->\n\n`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`\n",
        ["1:4+6 hint: the answer to type has 31 characters, more than 30"],
    ),
)
