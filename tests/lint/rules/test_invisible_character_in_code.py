"""The rule `invisible-character-in-code`."""

from rules import QUESTION, table

test_advice = table(
    # Visible characters, and printed text.
    (f'{QUESTION}```python\nx = "é 何 ✓"\n```\n', []),
    (f"{QUESTION}```output\na\u00a0b\n```\n", []),
    (f"{QUESTION}a\u00a0b\n", []),
    (
        f"{QUESTION}```python\nx =\u00a01\n```\n",
        ["4:4+1 warning: invisible character U+00A0 (no-break space) in code"],
    ),
    (
        f"{QUESTION}```python\nif a\u202e:\n```\n",
        ["4:5+1 warning: invisible character U+202E (right-to-left override) in code"],
    ),
    (
        f"{QUESTION}```\nx\u200b\ny\u200b\n```\n",
        ["4:2+1 warning: invisible character U+200B (zero width space) in code"],
    ),
)
