"""The rule `nothing-asked`."""

from rules import table

test_advice = table(
    ("## Gradient\n<!-- card: kind=reversed -->\n\nThe vector of the partial derivatives.\n", []),
    # Questions, instructions, sentences to complete, clozes and choices.
    ("## What is it?\n\nIt.\n", []),
    ("## Name three optimizers.\n\nSGD, Adam, RMSprop.\n", []),
    ("## In PyTorch, compare a view and a copy.\n\nMemory.\n", []),
    ("## The default dtype is …\n\n`float32`\n", []),
    ("## Gradient accumulation\n\nIt {{c1::sums}}.\n", []),
    ("## The default dtype\n\n- [x] `float32`\n- [ ] `int64`\n", []),
    ("## `x.view(-1)`\n\nWhat does it give?\n\n### Answer\n\nA flat view.\n", []),
    ("## 何ですか？\n\nそれ。\n", []),
    ("## Write `relu` by hand\n\n`x.clamp(min=0)`\n", []),
    ("## Gradient accumulation\n\nIt sums.\n", ["1:4+21 hint: this heading asks nothing"]),
    ("## `torch.no_grad()`\n\nIt stops autograd.\n", ["1:4+17 hint: this heading asks nothing"]),
    ("## The optimizer and the scheduler\n\nOne steps.\n", ["1:4+31 hint: this heading asks nothing"]),
    (
        "## Benefits of views\n\nThey have several:\n\n- no copy\n- less memory\n",
        ["1:4+17 warning: this heading asks nothing"],
    ),
)
