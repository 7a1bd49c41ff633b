from collections import Counter
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

_ENOUGH = 20
"""Choices. With fewer, chance alone exceeds the limit."""


class LopsidedOptions(Rule, severity="hint", limits={"lopsided-options": 40}):
    """The right option is in the same place too often.

    Why: an unsure learner picks the place that was right most often. "Vary the location of the right answer",
    Haladyna, Downing and Rodriguez 2002 (https://doi.org/10.1207/S15324818AME1503_5). If a collection has at
    least 20 single choices, and the right option is in the same place in more than `lopsided-options` (40) %
    of them, that is a hint.

    For instance:

        - [ ] …
        - [x] the right one, second here and in 12 of 20 notes

    Fix: move the right option up or down in some of the notes; learners keep their reviews.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note with the right option in the most frequent place."""
        places = [(marks.index(True), note) for note in notes if sum(marks := note.correct) == 1]
        if len(places) < _ENOUGH:
            return
        place, count = Counter(place for place, _ in places).most_common(1)[0]
        if count * 100 > self.limits["lopsided-options"] * len(places):
            note = next(note for where, note in places if where == place)
            message = f"in {count} of {len(places)} choices, option {place + 1} is the right one"
            fix = "move the right option up or down in some of them"
            yield self.report_heading(note, message, fix)
