"""The rule `lopsided-difficulty`."""

from rules import table


def graded(medium: int, hard: int) -> str:
    """Return as many notes of each difficulty."""
    difficulties = ["medium"] * medium + ["hard"] * hard
    notes = enumerate(difficulties)
    return "".join(f"## Number {n}?\n<!-- card: difficulty={each} -->\n\nYes.\n\n" for n, each in notes)


test_advice = table(
    # Few notes, and two levels.
    (graded(19, 0), []),
    (graded(14, 6), []),
    (graded(15, 5), ["1:4+9 hint: 15 of 20 notes are `medium`"]),
)
