"""The rule `unclosed-code`."""

from rules import QUESTION, table

ONE = "a backtick without a partner in this paragraph"

test_advice = table(
    # Closed, escaped, inside code, and backticks that mean something else.
    (f"{QUESTION}`a` and ``b ` c`` and \\`d and\n`e\nf`.\n", []),
    (f"{QUESTION}``quoted'' and `quoted' in TeX, the key ` and Ctrl+` and it`s.\n", []),
    (f"{QUESTION}```text\n`a\n```\n", []),
    (f"{QUESTION}<b title='`a'>b</b> and $`x`$.\n", []),
    # Not closed, in another paragraph, or with another number.
    ("## Which call is `zero_grad?\n\nThis.\n", [f"1:18+1 warning: {ONE}"]),
    (f"{QUESTION}Call `loss.backward() now.\n", [f"3:6+1 warning: {ONE}"]),
    (f"{QUESTION}Call `a\n\nand b`.\n", [f"3:6+1 warning: {ONE}"]),
    (f"{QUESTION}It is ``a` there.\n", ["3:7+2 warning: backticks without a partner in this paragraph"]),
    (f"{QUESTION}Call `foo and `bar` here.\n", [f"3:19+1 warning: {ONE}"]),
    (f"{QUESTION}- Don't call `foo.\n- And `bar\n", [f"3:14+1 warning: {ONE}", f"4:7+1 warning: {ONE}"]),
)
