"""The rule `deck-notes`."""

from rules import table


def notes(count: int) -> str:
    """Return as many notes, numbered from 0."""
    return "".join(f"## Number {n}?\n\nYes.\n\n" for n in range(count))


test_advice = table(
    # Sixty notes, and a small collection.
    (notes(60), []),
    ("## One?\n\nYes.\n", []),
    (notes(61), ["1:4+9 hint: the deck `Deck::A` has 61 notes, more than 60"]),
    (
        {"a.md": "# A\n\n" + notes(20), "b.md": "# B\n\n## One?\n\nYes.\n"},
        ["3:4+4 hint: the deck `Deck::B` has 1 note, fewer than 3"],
    ),
)
