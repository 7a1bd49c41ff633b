"""The rule `setting-as-text`."""

from rules import QUESTION, table

test_advice = table(
    (
        f"{QUESTION}kind: cloze\n\nIt is {{{{c1::zero}}}}.\n",
        ["3:1+11 warning: `kind: cloze` is plain text here"],
    ),
    (
        "## Where does it listen?\nTags: #net/tcp ports\n\nOn 443.\n",
        ["2:1+20 warning: `Tags: #net/tcp ports` is plain text here"],
    ),
    (f"{QUESTION}difficulty: eazy\n\nThis.\n", ["3:1+16 warning: `difficulty: eazy` is plain text here"]),
    (f"{QUESTION}Dificulty: hard\n\nThis.\n", ["3:1+15 warning: `Dificulty: hard` is plain text here"]),
    (f"{QUESTION}difficulty: it is hard\n", []),
    (f"{QUESTION}kind: of a function\n", []),
    (f"{QUESTION}King: Charles\n", []),
    (f"{QUESTION}Tabs: one two\n", []),
    (f"{QUESTION}This one.\n\nTags: a b\n", []),
    (f"{QUESTION}tags: one two\nand more\n", []),
)
