"""The rule `undated-fact`."""

from rules import QUESTION, table

test_advice = table(
    # A version, a year, and other uses of the words.
    (f"{QUESTION}Since PyTorch 2.13 it is currently the default.\n", []),
    (f"{QUESTION}The currently selected device is used.\n", []),
    (f"{QUESTION}The latest checkpoint wins.\n", []),
    (f"{QUESTION}It shows what it is currently rendering.\n", []),
    (f"{QUESTION}It was added recently, in 2026.\n", []),
    (f'{QUESTION}`x = "as of now"`\n', []),
    (
        f"{QUESTION}Yes. Currently only CUDA does. Version 2.\n",
        ["3:6+9 hint: `Currently` will go out of date"],
    ),
    (
        f"{QUESTION}It is the default in\nrecent versions.\n",
        ["3:19+18 hint: `in recent versions` will go out of date"],
    ),
    (
        f"{QUESTION}Nowadays it is so.\n\n### Details\n\nThere is no support as of now.\n",
        ["3:1+8 hint: `Nowadays` will go out of date", "7:21+9 hint: `as of now` will go out of date"],
    ),
)
