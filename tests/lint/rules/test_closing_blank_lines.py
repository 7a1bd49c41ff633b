"""The rule `closing-blank-lines`."""

from rules import QUESTION, table

test_advice = table(
    # Blank lines inside, and a file that ends with its last line.
    (f"{QUESTION}```python\nx\n\ny\n```\n", []),
    (f"{QUESTION}Yes.", []),
    (f"{QUESTION}Yes.\n", []),
    (f"{QUESTION}```python\nx\n\n```\n", ["5:1+1 hint: 1 blank line at the end of the code"]),
    (f"{QUESTION}- a\n\n  ```\n  x\n\n \n  ```\n", ["7:1+1 hint: 2 blank lines at the end of the code"]),
    (f"{QUESTION}Yes.\n\n", ["4:1+1 hint: 1 blank line at the end of the file"]),
    (f"{QUESTION}Yes.\n \n\n", ["4:1+1 hint: 2 blank lines at the end of the file"]),
    (f"{QUESTION}> ```\n> x\n>\n> ```\n", ["5:2+1 hint: 1 blank line at the end of the code"]),
    (f"{QUESTION}```\n\n```\n", ["4:1+1 hint: 1 blank line at the end of the code"]),
    # How a file of another program ends is no business of ours.
    (
        {
            "a.md": "---\ndialect: qa\n---\nQ: Which call clears the gradients?\nA: The first of these two calls.\n\n\n",
        },
        [],
    ),
)
