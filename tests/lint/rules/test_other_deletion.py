"""The rule `other-deletion`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}Port {{{{443}}}} and {{1:80}}.\n",
        [
            "3:6+7 warning: `{{443}}` is a deletion in other programs, but text here",
            "3:18+6 warning: `{1:80}` is a deletion in other programs, but text here",
        ],
    ),
    (f"{QUESTION}`{{{{x}}}}`, {{x}} and {{c1::one}} of $\\frac{{{{1}}}}{{2}}$\n", []),
    (
        f"{QUESTION}I was {{{{c1 fuzzy}}}} and {{{{cloze lost}}}}.\n",
        [
            "3:7+12 warning: `{{c1 fuzzy}}` is a deletion in other programs, but text here",
            "3:24+14 warning: `{{cloze lost}}` is a deletion in other programs, but text here",
        ],
    ),
    (f"{QUESTION}It is {{{{c1::zero_grad}}}}.\n", []),
)
