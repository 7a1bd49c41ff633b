"""The rule `lopsided-options`."""

from collections.abc import Iterable

from rules import table


def choices(right: Iterable[int]) -> str:
    """Return a choice for each number of a right option, from 0."""
    notes = []
    for number, place in enumerate(right):
        options = "".join(f"- [{'x' if n == place else ' '}] option {n}\n" for n in range(4))
        notes.append(f"## Which of these is number {number}?\n\n{options}\n")
    return "".join(notes)


test_advice = table(
    # Few choices, and evenly distributed ones.
    (choices([1] * 19), []),
    (choices([0, 1, 2, 3] * 5), []),
    (
        choices([1] * 10 + [2, 3] + [0, 1, 2, 3] * 2),
        ["1:4+27 hint: in 12 of 20 choices, option 2 is the right one"],
    ),
)
