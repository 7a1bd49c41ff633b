"""Difficulties that are missing, or almost all the same."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ptcards.diagnostics import Diagnostic
from ptcards.lint.overview import Overview
from ptcards.lint.registry import Rule

_ENOUGH_NOTES = 20


class LopsidedDifficulty(Rule, severity="hint", limits={"lopsided-difficulty": 70}):
    """Nearly all notes have the same difficulty.

    Why: a label that every note has says nothing, and a learner who wants to begin with the easy notes finds
    none. A hint appears if at least 20 notes have a difficulty, and more than `lopsided-difficulty` (70) per
    cent of them have the same one.

    For instance:

        18 of 20 notes with difficulty=medium

    Fix: grade the notes relative to each other. A note is easy if everyone who has studied the topic knows
    the answer, and hard if only a few do.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the first note with the most frequent difficulty."""
        graded = [note for note in notes if note.difficulty]
        if len(graded) < _ENOUGH_NOTES:
            return
        level, count = Counter(note.difficulty for note in graded).most_common(1)[0]
        if count * 100 > self.limits["lopsided-difficulty"] * len(graded):
            first = next(note for note in graded if note.difficulty == level)
            message = f"{count} of {len(graded)} notes are `{level}`"
            yield self.report_heading(first, message, "grade them relative to each other")


_FIX = "add `difficulty=easy`, `medium` or `hard` to the card comment, or `difficulty:` to the front matter"


class MissingDifficulty(Rule, severity="hint"):
    """A note has no difficulty, though most others have one.

    Why: learners filter by tags such as `difficulty::easy`, and would never find a note without one. The rule
    applies only if at least half of the notes have a difficulty.

    For instance:

        ## Why does evaluation run under `torch.no_grad()`?
        <!-- card: id=eval-no-grad -->

    Fix: add `difficulty=easy`, `medium` or `hard` to the card comment, or a default to the front matter.
    """

    def check_all(self, notes: Sequence[Overview]) -> Iterator[Diagnostic]:
        """Report the heading of each note without a difficulty."""
        without = [note for note in notes if not note.difficulty]
        if len(without) * 2 > len(notes):
            return
        for note in without:
            yield self.report_heading(note, "this note has no difficulty", _FIX)
