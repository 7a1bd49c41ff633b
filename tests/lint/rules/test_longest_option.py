"""The rule `longest-option`."""

from rules import table

test_advice = table(
    # Options of similar length, short ones, and several right ones.
    (
        (
            "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n"
            "- [ ] it stops autograd from recording operatio\n"
            "- [ ] it stops autograd from recording operations a\n"
        ),
        [],
    ),
    ("## Which is it?\n\n- [x] twelve words\n- [ ] one\n- [ ] two\n", []),
    ("## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [x] a\n- [ ] b\n", []),
    ("## Which is it?\n\n- [x] it stops autograd from recording operations at all\n- [ ] b\n", []),
    ("## Which is it?\n\n- [ ] it stops autograd from recording operations at all\n- [x] b\n- [ ] c\n", []),
    (
        (
            "## Which is it?\n\n- [x] it stops autograd from recording operations at all\n"
            "- [ ] it is faster\n- [ ] it is exact\n"
        ),
        ["3:7+50 hint: the right option has 50 characters, the others 12 on average"],
    ),
)
