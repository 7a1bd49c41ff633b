from collections import Counter
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

_ENOUGH = 20


class LopsidedDifficulty(Rule, severity="hint", limits={"lopsided-difficulty": 70}):
    """Nearly all notes have the same difficulty.

    Why: a label that every note has says nothing, and a learner who wants to begin with the easy ones finds
    none. If more than `lopsided-difficulty` (70) % of at least 20 notes have the same level, that is a hint.

    For instance:

        18 of 20 notes with difficulty=medium

    Fix: grade the notes relative to each other: easy ones are known to everyone who has studied the topic,
    hard ones only to a few.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note of the most frequent level."""
        graded = [note for note in notes if note.difficulty]
        if len(graded) < _ENOUGH:
            return
        level, count = Counter(note.difficulty for note in graded).most_common(1)[0]
        if count * 100 > self.limits["lopsided-difficulty"] * len(graded):
            first = next(note for note in graded if note.difficulty == level)
            message = f"{count} of {len(graded)} notes are `{level}`"
            yield self.report_heading(first, message, "grade them relative to each other")
