"""The rule `yes-no-question`."""

from rules import table

test_advice = table(
    # Questions with an alternative, a request, or another form.
    ("## Is `view` a copy or not?\n\nNot.\n", []),
    ("## Can you name an optimizer?\n\nAdam.\n", []),
    ("## What is a view?\n\nNo copy.\n", []),
    ("## Is it a view?\n\n- [x] yes\n- [ ] no\n", []),
    ("## Is it?\n\nIt is a {{c1::view}}.\n", []),
    ("## Issues with views: which are there?\n\nAliasing.\n", []),
    ("## Is `view` a copy?\n\nNo.\n", ["1:4+2 warning: this is a yes-or-no question"]),
    (
        "## Does `eval()` stop autograd?\n\nIt only switches modules such as dropout.\n",
        ["1:4+4 hint: this is a yes-or-no question"],
    ),
    (
        "## Does `eval()` stop autograd?\n\nNo, it only switches modules such as dropout.\n",
        ["1:4+4 warning: this is a yes-or-no question"],
    ),
    (
        "## Can you return a reference to a local variable?\n\n*No*! The variable is gone by then.\n",
        ["1:4+3 warning: this is a yes-or-no question"],
    ),
    (
        "## Will this run?\n\n```python\nx = 1\n```\n\n### Answer\n\nYes, and it binds a name to a number.\n",
        ["1:4+4 hint: this is a yes-or-no question"],
    ),
    ("## Can you name a rule?\n\nNo one needs more than one rule.\n", []),
    (
        "## Does `eval()` stop autograd?\n\nNever.\n\n### Details\n\nIt only switches modules.\n",
        ["1:4+4 hint: this is a yes-or-no question"],
    ),
)
