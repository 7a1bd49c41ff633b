"""The rule `all-of-the-above`."""

from rules import table

test_advice = table(
    # Options that stand alone.
    ("## Which is it?\n\n- [x] all of its inputs\n- [ ] none\n- [ ] `a` and `b` above\n", []),
    (
        (
            "## Which is it?\n\n- [ ] a\n- [ ] b\n- [x] All of the above\n"
            "- [ ] None of these\n- [ ] Both A and B\n- [ ] a and b\n"
        ),
        [
            "5:7+16 warning: `All of the above` refers to other options",
            "6:7+13 warning: `None of these` refers to other options",
            "7:7+12 warning: `Both A and B` refers to other options",
            "8:7+7 warning: `a and b` refers to other options",
        ],
    ),
)
