"""The rule `near-duplicate`."""

from collections.abc import Callable
from random import Random

import pytest

from rules import table

test_advice = table(
    # Short questions that differ in a word, and equal ones, which are errors of the parser.
    ("## What does `cat` do?\n\nJoins.\n\n## What does `stack` do?\n\nStacks.\n", []),
    ("## What is it?\n\nOne.\n\n## What is it?\n\nTwo.\n", []),
    ("", []),
    (
        (
            "## What does `torch.cat` do with two tensors of shape (2, 3) along dimension 0?\n\nIt joins.\n\n"
            "## What does `torch.cat` do with two tensors of shape (2, 3) along dimension 1?\n\nIt joins.\n\n"
        ),
        ["5:4+76 hint: 91% of the words are the same as in the question at a.md:1:1"],
    ),
    (
        "## What is it, really?\n\nOne.\n\n## Really, what is it?\n\nTwo.\n",
        ["5:4+19 hint: 100% of the words are the same as in the question at a.md:1:1"],
    ),
)


def test_the_most_alike_of_all_is_named(advice: Callable[..., list[str]]) -> None:
    words = [f"w{n}" for n in range(40)]
    questions = [words, [*words[:-2], "other", "words"], [*words[:-1], "changed"]]
    source = "\n".join(f"## {' '.join(each)}\n\nYes.\n" for each in questions)
    found = [line.partition("hint: ")[2] for line in advice(source)]
    assert found == [
        "90% of the words are the same as in the question at a.md:1:1",
        "95% of the words are the same as in the question at a.md:1:1",
    ]


@pytest.mark.parametrize("limit", [40, 55, 70, 80, 85, 90])
def test_the_index_finds_the_pairs_that_comparing_all_finds(
    advice: Callable[..., list[str]], limit: int
) -> None:
    random = Random(limit)
    bags = [frozenset(random.choices("abcdefghijkl", k=random.randint(3, 14))) for _ in range(80)]
    source = "\n".join(f"# {n}\n\n## {' '.join(sorted(bag))} {{}}\n\n{n}\n" for n, bag in enumerate(bags))
    found = [line for line in advice(source, {"near-duplicate": limit}) if "hint" in line]
    alike = [
        n
        for n, bag in enumerate(bags)
        if any(
            bag != other and 100 * len(bag & other | {"{", "}"}) >= limit * len(bag | other | {"{", "}"})
            for other in bags[:n]
        )
    ]
    assert alike
    assert [int(line.partition(":")[0]) // 6 for line in found] == alike
