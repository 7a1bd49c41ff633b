"""The rule `cloze-in-code`."""

from rules import table

test_advice = table(
    # A cloze, a deletion in text, and a code span.
    ("## Which?\n<!-- card: kind=cloze -->\n\n```python\n{{c1::x}}\n```\n", []),
    ("## Which?\n<!-- card: kind=cloze -->\n\n{{c1::a}}\n\n```python\nx = {{c2::x\n```\n", []),
    # A cloze only because of its text, or its heading.
    (
        "## Which is it?\n\n{{c1::a}}\n\n```\n{{c2::x}}\n```\n",
        ["6:1+6 warning: a deletion in code is shown literally"],
    ),
    (
        '## A {{c1::leaf}} has no parents.\n\n```python\nopt.{{c3::step()::method}}\nprint("loss:" loss)\n```\n',
        ["4:5+6 warning: a deletion in code is shown literally"],
    ),
    ("## Which is it?\n\n```jinja\n{{ name }}\n```\n", []),
    (
        "## Which is it?\n\n```python\nloss.{{c1::backward}}()\n{{c2::x}}\n```\n",
        ["4:6+6 warning: a deletion in code is shown literally"],
    ),
)
