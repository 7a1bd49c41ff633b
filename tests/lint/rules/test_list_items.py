"""The rule `list-items`."""

from rules import QUESTION, table

test_advice = table(
    # Five items, nested ones counted separately, and lists in details.
    (f"{QUESTION}- a\n- b\n- c\n- d\n- e\n", []),
    (f"{QUESTION}- a\n    - b\n    - c\n    - d\n- e\n- f\n- g\n", []),
    (f"{QUESTION}Yes.\n\n### Details\n\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n", []),
    (f"{QUESTION}- a\n- a\n- a\n- a\n- a\n- a\n", ["3:1+1 hint: the list has 6 items, more than 5"]),
    (
        f"{QUESTION}Steps:\n\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n1. a\n",
        ["5:1+1 warning: the list has 8 items, more than 7"],
    ),
    (
        f"{QUESTION}- a\n    - b\n    - b\n    - b\n    - b\n    - b\n    - b\n",
        ["4:5+1 hint: the list has 6 items, more than 5"],
    ),
    # Each item of a sequence is a card.
    (f"{QUESTION}<!-- card: kind=sequence -->\n\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n- a\n", []),
)
