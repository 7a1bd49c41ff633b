"""The rule `undefined-reference`."""

from rules import table

test_advice = table(
    # Defined references, indexing and code.
    ("## Which is it?\n\nSee [it][x] and [y] and a[0][1] and `a[b][c]`.\n\n[x]: https://example.org\n", []),
    ("## Which is it?\n\nMath $a[b][c]$ here.\n", []),
    (
        "## Which is it?\n\nSee [the manual][docs], [it][Docs 2] and ![A][pic].\n",
        [
            "3:5+18 warning: `[docs]` is not defined",
            "3:25+12 warning: `[Docs 2]` is not defined",
            "3:42+9 warning: `[pic]` is not defined",
        ],
    ),
    ("## Which is it?\n\n| a |\n| - |\n| [b][docs] |\n", ["5:3+9 warning: `[docs]` is not defined"]),
)
