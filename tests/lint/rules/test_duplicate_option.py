"""The rule `duplicate-option`."""

from rules import table

test_advice = table(
    # Options that differ in case.
    ("## Which is it?\n\n- [x] `A`\n- [ ] `a`\n", []),
    (
        "## Which is it?\n\n- [x] an  `A`\n- [ ] b\n- [ ] an `A`\n- [ ] b\n",
        [
            "5:7+6 error: this option is the same as option 1",
            "6:7+1 error: this option is the same as option 2",
        ],
    ),
)
