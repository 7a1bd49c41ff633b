"""The rule `unmarked-negation`."""

from rules import table

test_advice = table(
    # Loud negations, and other kinds.
    ("## Which is **not** a leaf?\n\n- [x] a\n- [ ] b\n", []),
    ("## Which is NOT a leaf?\n\n- [x] a\n- [ ] b\n", []),
    ("## Why is it not a leaf?\n\n- [x] a\n- [ ] b\n", []),
    ("## Which is not a leaf?\n\nThis.\n", []),
    ("## Which is a `not`?\n\n- [x] a\n- [ ] b\n", []),
    ("## Which is set, provided you cannot pass it?\n\n- [x] a\n- [ ] b\n", []),
    ("## Which is not a leaf?\n\n- [x] a\n- [ ] b\n", ["1:13+3 hint: `not` is easy to miss"]),
    ("## What all use, except one?\n\n- [x] a\n- [ ] b\n", ["1:18+6 hint: `except` is easy to miss"]),
    ("## Which of these doesn't copy?\n\n- [x] a\n- [ ] b\n", ["1:19+7 hint: `doesn't` is easy to miss"]),
)
