"""The rule `question-in-two-decks`."""

from rules import table

test_advice = table(
    # Questions in one deck, and equal headings above different code.
    ({"a.md": "# A\n\n## What is it?\n\nOne.\n", "b.md": "# B\n\n## What is that?\n\nOne.\n"}, []),
    (
        {
            "a.md": "# A\n\n## What is it?\n\n`a`\n\n### Answer\n\n1\n",
            "b.md": "# B\n\n## What is it?\n\n`b`\n\n### Answer\n\n1\n",
        },
        [],
    ),
    (
        {
            "a.md": "# A\n\n## Which is it?\n\n- [x] a\n- [ ] b\n",
            "b.md": "# B\n\n## Which is it?\n\n- [x] c\n- [ ] b\n",
        },
        [],
    ),
    (
        {"a.md": "# A\n\n## What is it?\n\nOne.\n", "b.md": "# B\n\n## What  is it?\n\nTwo.\n"},
        ["3:4+12 hint: this question is also asked in `Deck::A`, at a.md:3:1"],
    ),
    # Clozes whose heading has the deletions are compared by their text.
    ({"a.md": "# A\n\n## {{c1::This}} is it.\n", "b.md": "# B\n\n## This is {{c1::it}}.\n"}, []),
    (
        {"a.md": "# A\n\n## {{c1::This}} is it.\n", "b.md": "# B\n\n## {{c1::This}}  is it.\n"},
        ["3:4+20 hint: this question is also asked in `Deck::A`, at a.md:3:1"],
    ),
)
