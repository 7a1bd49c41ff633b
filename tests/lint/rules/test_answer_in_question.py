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
    # What one deletion hides is shown by the rest of its card, or by another deletion.
    (
        "## Casts\n\nTo cast with static_cast: {{c1::`static_cast<float>`}}, a float.\n",
        ["3:33+20 warning: the rest of the text shows what this deletion hides"],
    ),
    (
        "## Pointers\n\nThe keyword {{c1::nullptr}}: {{c2::`int* p = nullptr;`}}\n",
        ["3:19+7 warning: the rest of the text shows what this deletion hides"],
    ),
    (
        "## Friends\n\nFriend function:\n\n- {{c1::friend}} Cents add()\n",
        ["5:9+6 warning: the rest of the text shows what this deletion hides"],
    ),
    # A card hides all deletions of its number; short and common words and other numbers give nothing away.
    ("## Shape\n\nA {{c1::parent}} is a {{c1::parent}} of an {{c2::int}}, the int.\n", []),
    ("## Rules\n\nIt comes {{c1::with them}}, with all of them.\n", []),
    ("## GPUs\n\nThey are {{c1::`cuda:0` and `cuda:1`}} in CUDA and here.\n", []),
    ("## Words\n\nThe {{c1::tensor view}} of a tensor.\n", []),
)
