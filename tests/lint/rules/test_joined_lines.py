"""The rule `joined-lines`."""

from rules import QUESTION, table

LINES = "Acidosis\nElectrolytes (K+)\nIngestion\nOverload\nUremia\n"

test_advice = table(
    (f"{QUESTION}{LINES}", ["3:1+8 hint: these 5 short lines become one line on the card"]),
    # The labels of a picture.
    (
        f"{QUESTION}![the organ](https://example.org/organ.png)\n1 = capsule\n2 = tube\n3 = loop\n",
        ["4:1+11 hint: these 3 short lines become one line on the card"],
    ),
    (
        f"{QUESTION}Five.\n\n### Details\n\nSee:\n\n{LINES}",
        ["9:1+8 hint: these 5 short lines become one line on the card"],
    ),
    # They are apart.
    (QUESTION + LINES.replace("\n", "\\\n"), []),
    (QUESTION + LINES.replace("\n", "  \n"), []),
    (QUESTION + LINES.replace("\n", "<br>\n"), []),
    (QUESTION + LINES.replace("\n", "\n\n"), []),
    # They belong together: two lines, prose that is wrapped, a formula, code.
    (f"{QUESTION}Acidosis\nElectrolytes\n", []),
    (f"{QUESTION}It is the loop,\nbecause it goes\nback over them.\n", []),
    (f"{QUESTION}Wrapped\nsomewhere, with one line that is long enough to be that of a\nprose.\n", []),
    (f"{QUESTION}$$\na\n=\nb\n$$\n", []),
    (f"{QUESTION}```text\na\nb\nc\n```\n", []),
)
