"""The rule `refers-elsewhere`."""

from rules import QUESTION, table

test_advice = table(
    # Words that stay on the card.
    (f"{QUESTION}As mentioned, it is.\n", []),
    (f"{QUESTION}See the note below.\n", []),
    (f"{QUESTION}The next step follows.\n", []),
    (f"{QUESTION}`previous question`\n", []),
    (
        f"{QUESTION}As in the previous question, it is.\n",
        ["3:11+17 warning: `previous question` refers to something that is not on this card"],
    ),
    (
        f"{QUESTION}As we have mentioned earlier, it is.\n",
        ["3:1+28 warning: `As we have mentioned earlier` refers to something that is not on this card"],
    ),
    (
        f"{QUESTION}As we mentioned earlier, it is.\n",
        ["3:1+23 warning: `As we mentioned earlier` refers to something that is not on this card"],
    ),
    (
        f"{QUESTION}See question 12.\n\n### Details\n\nThe next card tells.\n",
        [
            "3:1+15 warning: `See question 12` refers to something that is not on this card",
            "7:5+9 warning: `next card` refers to something that is not on this card",
        ],
    ),
)
