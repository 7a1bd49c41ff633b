"""The rule `answer-in-question`."""

from rules import table

test_advice = table(
    # Alternatives, longer answers, and terms in other words.
    ("## Which is faster, `a.add` or `b.add`?\n\n`a.add`\n", []),
    ("## How do you clear gradients?\n\n`optimizer.zero_grad()`\n", []),
    (
        (
            "## What does `torch.cat` do?\n\n"
            "`torch.cat` joins tensors along a dimension that they already have.\n"
        ),
        [],
    ),
    ("## What is `x`?\n\n`x`\n", []),
    ("## What does autograd record?\n\nIt records {{c1::operations}}.\n", []),
    ("## What about `torch.add_n`?\n<!-- card: kind=typed -->\n\n`torch.add`\n", []),
    (
        "## How does `optimizer.zero_grad()` clear them?\n\n`optimizer.zero_grad()`\n",
        ["1:14+21 warning: the question contains the answer `optimizer.zero_grad()`"],
    ),
    (
        "## What is called `torch.cat` in PyTorch?\n<!-- card: kind=typed -->\n\n`torch.cat`\n",
        ["1:20+9 warning: the question contains the answer `torch.cat`"],
    ),
    (
        "## What do operations do in autograd?\n\nIt records {{c1::operations}} on {{c2::tensors}}.\n",
        ["1:12+10 warning: the question contains the answer `operations`"],
    ),
)
