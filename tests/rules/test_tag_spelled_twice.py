"""The rule `tag-spelled-twice`."""

from rules import table

test_advice = table(
    # One spelling.
    ("## A?\n<!-- card: tags=one -->\n\nYes.\n\n## B?\n<!-- card: tags=one,onetwo -->\n\nYes.\n", []),
    (
        (
            "## A?\n<!-- card: tags=Memory -->\n\nYes.\n\n## B?\n"
            "<!-- card: tags=memory -->\n\nYes.\n\n## C?\n<!-- card: tags=memory -->\n\nYes.\n"
        ),
        ["6:4+2 hint: the tag `memory` is spelt `Memory` at a.md:1:1"],
    ),
)
