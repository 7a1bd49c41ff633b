"""The rule `cloze-count`."""

from rules import table

test_advice = table(
    # Five cards.
    ("## Which is it?\n\n{{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c5::f}}\n", []),
    (
        "## Which is it?\n\n{{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c6::f}}\n",
        ["1:4+12 hint: the cloze makes 6 cards, more than 5"],
    ),
    # A cloze that is its own heading.
    (
        "## {{c1::a}} {{c2::b}} {{c3::c}} {{c4::d}} {{c5::e}} {{c6::f}}\n",
        ["1:4+59 hint: the cloze makes 6 cards, more than 5"],
    ),
)
