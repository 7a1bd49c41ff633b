from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

_COLLECTION = 20
"""Notes. A smaller collection has only just begun."""


class DeckNotes(Rule, severity="hint", limits={"deck-notes": 60, "deck-notes-few": 3}):
    """A deck has very many notes, or very few.

    Why: learners add decks one at a time. A deck of a hundred notes never gets finished, and a deck of two
    clutters the deck list. More than `deck-notes` (60) notes, or fewer than `deck-notes-few` (3) in a
    collection of more than 20, is a hint.

    For instance:

        cards/pytorch.md with 140 notes

    Fix: split the file by topic, or merge it with a related one. Cards that learners already have stay where
    they are: Anki does not move cards on an update.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note of the deck."""
        decks: dict[str, list[Overview]] = {}
        for note in notes:
            decks.setdefault(note.deck, []).append(note)
        for name, members in decks.items():
            few = len(notes) > _COLLECTION and len(members) < self.limits["deck-notes-few"]
            if few or len(members) > self.limits["deck-notes"]:
                count = f"{len(members)} note{'s' * (len(members) > 1)}"
                limit = self.limits["deck-notes-few" if few else "deck-notes"]
                size = f"{count}, {'fewer' if few else 'more'} than {limit}"
                fix = "merge it with another" if few else "split it by topic"
                yield self.report_heading(members[0], f"the deck `{name}` has {size}", fix)
