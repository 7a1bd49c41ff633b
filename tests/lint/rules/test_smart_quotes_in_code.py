"""The rule `smart-quotes-in-code`."""

from rules import QUESTION, table

test_advice = table(
    # Strings, comments, prose and Python that parses.
    (f'{QUESTION}```python\nprint("it’s “fine”")  # “fine”\n```\n', []),
    (f"{QUESTION}```text\n“fine”\n```\n", []),
    (f'{QUESTION}```bash\necho "it’s" # ‘fine’\n```\n', []),
    (f"{QUESTION}“fine” and `“fine”`\n", []),
    (f"{QUESTION}```js\n/**\n * You’re “fine”\n */\nx() /* ‘so’ */ // it’s\n```\n", []),
    # An error where Python stops, and one finding.
    (f"{QUESTION}```python\nprint(“done”)\n```\n", ["4:7+1 error: `“` is not a quotation mark in code"]),
    (
        f"{QUESTION}```python\nx = 'a' + “b”\nprint(“c”)\n```\n",
        ["4:11+1 error: `“` is not a quotation mark in code"],
    ),
    (
        f'{QUESTION}```python no-run="why"\nprint(“done”)\n```\n',
        ["4:7+1 warning: `“` is not a quotation mark in code"],
    ),
    (
        f"{QUESTION}```python\nif x\n    print(“done”)\n```\n",
        ["5:11+1 error: `“` is not a quotation mark in code"],
    ),
    (f"{QUESTION}```bash\necho ‘a b’\n```\n", ["4:6+1 warning: `‘` is not a quotation mark in code"]),
)
