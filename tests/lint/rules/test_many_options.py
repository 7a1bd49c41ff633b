"""The rule `many-options`."""

from rules import table

test_advice = table(
    # Five options.
    ("## Which is it?\n\n- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n", []),
    (
        "## Which is it?\n\n- [x] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n- [ ] f\n- [ ] g\n",
        ["8:7+1 warning: the choice has 7 options, more than 5"],
    ),
)
