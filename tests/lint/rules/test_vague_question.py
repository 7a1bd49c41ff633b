"""The rule `vague-question`."""

from rules import table

test_advice = table(
    # A precise question, and one with a vague verb but a precise object.
    ("## What does autograd record?\n\nOperations.\n", []),
    ("## Explain why autograd records operations.\n\nFor the backward pass.\n", []),
    ("## Describe the difference between a view and a copy.\n\nMemory.\n", []),
    ("## How is the explain mode used?\n\nSo.\n", []),
    ("## Explain\n\nA {{c1::cloze}} asks by itself.\n", []),
    ("## Explain the optimizer.\n\nIt steps.\n", ["1:4+7 warning: `Explain` does not say what to answer"]),
    (
        "## Tell me about autograd\n\nIt records.\n",
        ["1:4+13 warning: `Tell me about` does not say what to answer"],
    ),
    (
        "## What do you know about `vmap`?\n\nIt maps.\n",
        ["1:4+22 warning: `What do you know about` does not say what to answer"],
    ),
    (
        "## Can you describe batch norm?\n\nIt norms.\n",
        ["1:4+16 warning: `Can you describe` does not say what to answer"],
    ),
    (
        "## Discuss dropout in training.\n\nIt drops.\n",
        ["1:4+7 warning: `Discuss` does not say what to answer"],
    ),
)
