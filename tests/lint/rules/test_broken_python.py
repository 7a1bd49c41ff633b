"""The rule `broken-python`."""

import sys

from rules import QUESTION, table

_NOT = f"this is not valid Python {sys.version_info.major}.{sys.version_info.minor}"

test_advice = table(
    # Python, other languages, and what is meant to be wrong.
    (f"{QUESTION}```python\nx = 1\nreturn x\nawait y\n```\n", []),
    (f"{QUESTION}```text\nx = = 1\n```\n", []),
    (f'{QUESTION}```python no-run="wrong on purpose"\nx = = 1\n```\n', []),
    (f"{QUESTION}```python raises=SyntaxError\nx = = 1\n```\n", []),
    (f"{QUESTION}```python\n%timeit f(x)\n```\n", []),
    (f"{QUESTION}```python\n!pip install torch\n```\n", []),
    (QUESTION + "```python\nx.{{c1::backward}}()\n```\n", []),
    (f"{QUESTION}```pycon\n>>> def f():\n...     return 1\n...\n>>> f()\n1 2 3\n```\n", []),
    ("## Which?\n<!-- card: kind=cloze -->\n\n```python\nx.{{c1::backward}}()\n```\n", []),
    (f'{QUESTION}```python\nprint("\\d")\n```\n', []),
    (
        f'{QUESTION}```python\nx = 1\nprint("loss:" x)\n```\n',
        [f"5:7+1 warning: {_NOT}: invalid syntax. Perhaps you forgot a comma?"],
    ),
    (
        f"{QUESTION}```py\nif x:\ny\n```\n",
        [f"5:1+1 warning: {_NOT}: expected an indented block after 'if' statement on line 4"],
    ),
    (
        f"{QUESTION}```pycon\n>>> x = 1\n>>> print(x\n... y)\n```\n",
        [f"5:11+1 warning: {_NOT}: invalid syntax. Perhaps you forgot a comma?"],
    ),
    (f"{QUESTION}> ```python\n> x = = 1\n> ```\n", [f"4:7+1 warning: {_NOT}: invalid syntax"]),
    (
        f'{QUESTION}```python\nx = "\n```\n',
        [f"4:5+1 warning: {_NOT}: unterminated string literal (detected at line 4)"],
    ),
    (
        f"{QUESTION}```python\n" + "(" * 300 + ")" * 300 + "\n```\n",
        [f"4:201+1 warning: {_NOT}: too many nested parentheses"],
    ),
)
