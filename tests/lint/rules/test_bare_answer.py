"""The rule `bare-answer`."""

from rules import QUESTION, table

test_advice = table(
    ("## How does it sound?\n\n![](word.wav)\n", []),
    # A reason, details, code, a list, or another kind.
    (f"{QUESTION}`zero_grad()`, because they add up.\n", []),
    (f"{QUESTION}`zero_grad()`\n\n### Details\n\nThey add up.\n", []),
    (f"{QUESTION}```python\nx.zero_grad()\n```\n", []),
    (f"{QUESTION}- `a`\n- `b`\n", []),
    ("## Which?\n\n- [x] `a`\n- [ ] `b`\n", []),
    ("## Which?\n<!-- card: kind=typed -->\n\n`a`\n", []),
    (f"{QUESTION}`zero_grad()`\n", ["3:1+13 hint: the answer gives no reason"]),
    (f"{QUESTION}The optimizer does.\n", ["3:1+19 hint: the answer gives no reason"]),
)
