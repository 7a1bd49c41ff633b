"""The rule `fence-without-language`."""

from rules import QUESTION, table

test_advice = table(
    # A language, indented code and code spans.
    (f"{QUESTION}```python\nx\n```\n", []),
    (f"{QUESTION}    x\n", []),
    (f"{QUESTION}`x`\n", []),
    (f"{QUESTION}```\nx\n```\n", ["3:1+3 warning: this code block has no language"]),
    (f"{QUESTION}- a\n\n  ~~~~\n  x\n  ~~~~\n", ["5:3+4 warning: this code block has no language"]),
    (f'{QUESTION}``` hl_lines="1"\nx\n```\n', ["3:1+3 warning: this code block has no language"]),
)
