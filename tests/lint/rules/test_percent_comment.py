"""The rule `percent-comment`."""

from rules import QUESTION, table

test_advice = table(
    (f"{QUESTION}Zero. %%check this%%\n", ["3:7+14 warning: `%%check this%%` is shown literally"]),
    (f"{QUESTION}`%%x%%`, 50 %% and %.\n", []),
)
