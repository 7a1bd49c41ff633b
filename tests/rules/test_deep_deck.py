"""The rule `deep-deck`."""

from rules import table

NOTES = "## What is it?\n\nThis one, because it fits.\n\n## What else is it?\n\nThat one.\n"

test_advice = table(
    (f"---\ndeck: A::B::C::D::E\n---\n\n{NOTES}", []),
    # A deck is named once.
    (f"---\ndeck: A::B::C::D::E::F\n---\n\n{NOTES}", ["5:1+2 hint: `Deck::A::B::C::D::E::F` has 7 levels"]),
)
