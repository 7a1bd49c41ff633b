"""The rule `block-id`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}This one. ^37066d\n\n- that one ^my-id\n\n^alone-1\n",
        [
            "3:11+7 warning: `^37066d` is shown literally",
            "5:12+6 warning: `^my-id` is shown literally",
            "7:1+8 warning: `^alone-1` is shown literally",
        ],
    ),
    (f"{QUESTION}`x ^abc`\n\n2 ^10\n\nx^abc\n\n^abc is above.\n", []),
)
