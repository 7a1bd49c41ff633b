"""The rule `mark-syntax`."""

from rules import QUESTION, table

test_advice = table(
    (f"{QUESTION}It is ==very *fast*==.\n", ["3:7+15 warning: `==very *fast*==` is shown literally"]),
    (f"{QUESTION}`==x==`, a == b == c, a==b==c and ===x===.\n", []),
)
