"""Recognises reworded notes by answer, or by heading and answer, unless part of the heading was replaced."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence

from ptcards.identity.hashes import SHORTEST, Summary, likeness
from ptcards.identity.headings import Headings
from ptcards.identity.lock import Record, place, place_and_answer
from ptcards.identity.remaining import Pair, Remaining, equal, unique

REWORDED = 0.5
"""The minimum similarity of headings with the same short answer."""
SAME_ANSWER = 0.3
"""The minimum similarity of edited answers."""
SAME_NOTE = 1.2
"""The minimum sum of the headings' likeness and the answers' likeness."""
MARGIN = 0.2
"""How much more similar a pair must be than any other pair that contains its note or its record."""
TYPOGRAPHY = 3.0
"""The likeness of headings that differ only in typography; it is higher than any other."""
MOST_PAIRS = 40_000
"""The maximum number of pairs to compare in one deck, to limit the time."""


def same_answer(remaining: Remaining, headings: Headings, notes: Sequence[Summary]) -> Iterator[Pair]:
    """Yield notes and live records of a deck with the same answer, unless part of the heading was replaced.

    A short answer only counts if the headings are similar too.
    """
    left, records = remaining.left(remaining.live, place_and_answer, with_id=False)
    for position, record in equal(remaining.without_id(left), records):
        if _is_reworded(notes[position], record, headings, is_short=notes[position].answer_words < SHORTEST):
            yield position, record


def grown_answer(remaining: Remaining, headings: Headings, notes: Sequence[Summary]) -> Iterator[Pair]:
    """Yield notes and live records of a deck whose short answer only grew, as if it were the same."""
    short = [record for record in remaining.live if not record.fingerprint.sketch]
    left, records = remaining.left(short, place_and_answer, with_id=False)
    by_answer = unique(records)
    found = [
        (position, record)
        for _, position in remaining.without_id(left)
        for answer in notes[position].shorter_answers()
        if (record := by_answer.get((place(notes[position].fingerprint), answer))) is not None
    ]
    positions = Counter(position for position, _ in found)
    guids = Counter(record.guid for _, record in found)
    for position, record in found:
        is_unique = positions[position] == guids[record.guid] == 1
        if is_unique and _is_reworded(notes[position], record, headings, is_short=True):
            yield position, record


def _is_reworded(note: Summary, record: Record, headings: Headings, *, is_short: bool) -> bool:
    """Whether a note with a record's answer asks what the record asked."""
    old, new = record.fingerprint.heading, note.fingerprint.heading
    if is_short and headings.likeness(old, new) < REWORDED:
        return False
    return not headings.is_exchanged(old, new, short_answer=is_short)


def alike(remaining: Remaining, headings: Headings) -> Iterator[Pair]:
    """Yield notes and live records of a deck with nearly the same heading and answer."""
    notes, records = remaining.left(remaining.live, place, with_id=False)
    decks: dict[Hashable, tuple[list[int], list[Record]]] = defaultdict(lambda: ([], []))
    for key, position in remaining.without_id(notes):
        decks[key][0].append(position)
    for key, record in records:
        decks[key][1].append(record)
    comparison = _Comparison(remaining, headings)
    for positions, gone in decks.values():
        if len(positions) * len(gone) <= MOST_PAIRS:
            yield from comparison.best(positions, gone)


class _Comparison:
    """Compares notes and records by heading and answer."""

    def __init__(self, remaining: Remaining, headings: Headings) -> None:
        self._notes = remaining.notes
        self._headings = headings

    def best(self, positions: Iterable[int], records: Sequence[Record]) -> list[Pair]:
        """Return the similar pairs, unless another pair comes close or something was replaced."""
        found = [
            (score, position, record)
            for position in positions
            for record in records
            if (score := self._likeness(position, record))
        ]
        scores: dict[int | str, list[float]] = defaultdict(list)
        for score, position, record in found:
            scores[position].append(score)
            scores[record.guid].append(score)
        return [
            (position, record)
            for score, position, record in found
            if _stands_out(score, scores[position]) and _stands_out(score, scores[record.guid])
            if not self._headings.is_exchanged(record.fingerprint.heading, self._notes[position].heading)
        ]

    def _likeness(self, position: int, record: Record) -> float:
        """Return how similar a note and a record are in heading and answer; 0 if not similar enough."""
        old, new = record.fingerprint, self._notes[position]
        answers = likeness(old.sketch, new.sketch)
        if self._headings.differ_in_typography_only(old.heading, new.heading):
            return TYPOGRAPHY + answers
        if answers < SAME_ANSWER:
            return 0.0
        together = self._headings.likeness(old.heading, new.heading) + answers
        return together if together >= SAME_NOTE else 0.0


def _stands_out(score: float, scores: Iterable[float]) -> bool:
    """Whether a score is the best by the required margin."""
    best, *others = sorted(scores, reverse=True)
    return score == best and (not others or others[0] <= best - MARGIN)
