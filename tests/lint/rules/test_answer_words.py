"""The rule `answer-words`."""

from collections.abc import Callable

from rules import QUESTION, table

test_advice = table(
    # Sixty words, and words in code, tables and details.
    (QUESTION + "word " * 59 + "word\n", []),
    (
        f"{QUESTION}Yes.\n\n```text\n"
        + "word " * 199
        + "word\n```\n\n| a |\n| - |\n|"
        + " word" * 200
        + " |\n",
        [],
    ),
    (f"{QUESTION}Yes.\n\n### Details\n\n" + "word " * 199 + "word\n", []),
    (QUESTION + "word " * 60 + "word\n", ["3:1+1 hint: the answer has 61 words, more than 60"]),
    (QUESTION + "word " * 119 + "word\n", ["3:1+1 hint: the answer has 120 words, more than 60"]),
    (
        QUESTION + "word " * 99 + "word\n\n-" + " word" * 21 + "\n",
        ["3:1+1 warning: the answer has 121 words, more than 120"],
    ),
)


def test_limits_can_be_set(advice: Callable[..., list[str]]) -> None:
    source = "## Which?\n\none two three four\n"
    assert advice(source, {"answer-words": 3}) == ["3:1+1 warning: the answer has 4 words, more than 3"]
    assert advice(source, {"answer-words-hint": 3}) == ["3:1+1 hint: the answer has 4 words, more than 3"]
