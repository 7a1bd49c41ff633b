"""The rule `unexplained-choice`."""

from rules import table

test_advice = table(
    # An explanation, a comment or details.
    ("## Which is it?\n\n- [x] a\n- [ ] b\n\nBecause.\n", []),
    ("## Which is it?\n\n- [x] a\n    - Because.\n- [ ] b\n", []),
    ("## Which is it?\n\n- [x] a\n- [ ] b\n\n### Details\n\nBecause.\n", []),
    ("## Which is it?\n\nBecause.\n", []),
    (
        "## Which is it?\n\n- [x] a\n- [ ] b\n\n### Sources\n\n- x\n",
        ["1:4+12 warning: the choice does not say why its answer is right"],
    ),
)
