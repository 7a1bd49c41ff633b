"""Finds notes that are alike: those whose rare words are the same (tf-idf and the cosine of two notes)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from heapq import nlargest
from math import log, sqrt
from typing import NamedTuple

from ptcards.identity.hashes import words_of
from ptcards.notes import are_unlike
from ptcards.search import NoteText


class Twins(NamedTuple):
    """Two notes, the earlier one first, and the words of both that make them alike, the rarest first.

    `likeness` is between 0 (no word in common) and 1.
    """

    likeness: float
    notes: tuple[NoteText, NoteText]
    shared: tuple[str, ...]


MOST_PAIRS = 100
_LOOKED_UP = 20
_MOST_NOTES = 100
_IN_COMMON = 2
"""Two notes are compared if so many words are in both, among the rarest of each and in at most so many notes.

Comparing all pairs finds no other twins among the first 500 of a deck of 754 notes, in seven times the time.
"""
_SHOWN = 8
_LEAST_ALIKE = 0.2
_WORD = re.compile(r"[^\W\d_]\w*(?:\.\w+)*")
_NOT_PROSE = re.compile(
    r"^(?P<fence>```+|~~~+).*\n(?s:.*?)^(?P=fence)|\$\$(?s:.*?)\$\$|\$[^$\n]+\$", re.MULTILINE
)


def closest(notes: Sequence[NoteText], most: int, key: str = "") -> list[Twins]:
    """Return at most so many pairs of notes, the most alike first; with a `key`, only pairs with that note.

    Code and formulas do not count: much of them is the same in notes that ask for different things. Pairs
    of which one note says that they are `unlike` are left out.
    """
    counts = [Counter(_words(note)) for note in notes]
    frequency = Counter(word for count in counts for word in count)
    weight = {word: log((1 + len(notes)) / (1 + number)) + 1 for word, number in frequency.items()}
    vectors = [_vector(count, weight) for count in counts]
    with_word: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[float, int, int]] = []
    for number, vector in enumerate(vectors):
        others: Counter[int] = Counter()
        for word in nlargest(_LOOKED_UP, vector, key=vector.__getitem__):
            if frequency[word] <= _MOST_NOTES:
                others.update(with_word[word])
                with_word[word].append(number)
        for other, common in others.items():
            pair = notes[other], notes[number]
            if common < _IN_COMMON or (key and key not in (pair[0].key, pair[1].key)) or are_unlike(*pair):
                continue
            alike = _cosine(vectors[other], vector)
            if alike >= _LEAST_ALIKE:
                found.append((alike, -other, -number))
    return [
        _twins(alike, (notes[-a], notes[-b]), vectors[-a], vectors[-b])
        for alike, a, b in nlargest(most, found)
    ]


def _words(note: NoteText) -> Iterator[str]:
    for word in _WORD.findall(_NOT_PROSE.sub(" ", f"{note.question}\n{note.answer}").casefold()):
        if word.isascii():
            yield word
        else:
            yield from map(bytes.decode, words_of(word))


def _vector(count: Counter[str], weight: dict[str, float]) -> dict[str, float]:
    vector = {word: (1 + log(number)) * weight[word] for word, number in count.items()}
    length = sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    return sum(one[word] * other[word] for word in one.keys() & other.keys())


def _twins(
    alike: float, notes: tuple[NoteText, NoteText], one: dict[str, float], other: dict[str, float]
) -> Twins:
    shared = (word for word in one.keys() & other.keys() if len(word) > 1)
    rarest = nlargest(_SHOWN, shared, key=lambda word: (one[word] * other[word], word))
    return Twins(round(alike, 3), notes, tuple(rarest))
