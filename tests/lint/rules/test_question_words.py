"""The rule `question-words`."""

from collections.abc import Callable

from rules import table

test_advice = table(
    # A heading of 25 words.
    ("##" + " word" * 25 + "\n\nYes.\n", []),
    ("##" + " word" * 26 + "\n\nYes.\n", ["1:4+129 warning: the question has 26 words, more than 25"]),
    ("## " + "w" * 201 + "\n\nYes.\n", ["1:4+201 warning: the question has 201 characters, more than 200"]),
)


def test_limits_can_be_set(advice: Callable[..., list[str]]) -> None:
    source = "## Which call clears gradients?\n\nThis.\n"
    assert advice(source, {"question-words": 4}) == []
    assert advice(source, {"question-words": 3}) == ["1:4+28 warning: the question has 4 words, more than 3"]
