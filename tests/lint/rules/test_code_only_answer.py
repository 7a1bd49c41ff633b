"""The rule `code-only-answer`."""

from rules import QUESTION, table

test_advice = table(
    # A sentence, comments, a table or details beside the code.
    (f"{QUESTION}```python\nx.zero_grad()\n```\n\nIt sets them to `None` now.\n", []),
    (f"{QUESTION}```python\nx.zero_grad()  # because they would add up\n```\n", []),
    (f"{QUESTION}```python\nx.zero_grad()\n```\n\n### Details\n\nIt sets them to `None` now.\n", []),
    (f"{QUESTION}`x.zero_grad()`\n", []),
    # A formula is no code.
    (f"{QUESTION}$$x = 1$$\n\n```math\ny = 2\n```\n", []),
    (f"{QUESTION}```text\na\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |\n", []),
    (
        f"{QUESTION}```python\nx.zero_grad()\n```\n",
        ["3:1+9 warning: the answer is code with no explanation"],
    ),
    (
        f"{QUESTION}```math\ny = 2\n```\n\n```python\nx.zero_grad()\n```\n",
        ["7:1+9 warning: the answer is code with no explanation"],
    ),
    (
        "## What?\n\n```python\nprint(1)\n```\n\n### Answer\n\n```output\n1\n```\n\nSo it is.\n",
        ["9:1+9 warning: the answer is code with no explanation"],
    ),
)
