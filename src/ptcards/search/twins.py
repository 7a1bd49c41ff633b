"""Finds notes that are alike: those whose rare words are the same (tf-idf and the cosine of two notes)."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from heapq import nlargest
from itertools import chain
from math import fsum, log, sqrt
from operator import mul
from sys import intern
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
_LOOKED_UP = 16
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


def closest(
    notes: Mapping[NoteText, Mapping[str, int]], most: int, of: Collection[NoteText] = ()
) -> list[Twins]:
    """Return at most so many pairs of notes, the most alike first; with `of`, only pairs with one of these.

    The notes come with their words. Code and formulas do not count: much of them is the same in notes that
    ask for different things. Pairs of which one note says that they are `unlike` are left out.
    """
    texts, counts = [*notes], [*notes.values()]
    frequency = Counter(chain.from_iterable(counts))
    weight = {word: log((1 + len(notes)) / (1 + number)) + 1 for word, number in frequency.items()}
    rare = {word for word, number in frequency.items() if number <= _MOST_NOTES}
    wanted = {number for number, text in enumerate(texts) if text in of}
    near = rare.intersection(chain.from_iterable(counts[number] for number in wanted))
    vectors: dict[int, Mapping[str, float]] = {}
    with_word: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[float, int, int]] = []
    for number, count in enumerate(counts):
        if wanted and len(near & count.keys()) < _IN_COMMON:
            continue
        here = {word: _value(count[word], weight[word]) for word in count if word in rare}
        rarest = nlargest(_LOOKED_UP, here, key=here.__getitem__)
        common = Counter(chain.from_iterable(with_word[word] for word in rarest))
        for word in rarest:
            with_word[word].append(number)
        for other in [other for other, words in common.items() if words >= _IN_COMMON]:
            if wanted and wanted.isdisjoint((other, number)):
                continue
            for each in (other, number):
                if each not in vectors:
                    vectors[each] = _vector(counts[each], weight)
            alike = _cosine(vectors[other], vectors[number])
            if alike >= _LEAST_ALIKE and not are_unlike(texts[other], texts[number]):
                found.append((alike, -other, -number))
    return [
        _twins(alike, (texts[-a], texts[-b]), vectors[-a], vectors[-b], rare)
        for alike, a, b in nlargest(most, found)
    ]


@lru_cache(maxsize=1 << 14)
def words_in(question: str, answer: str) -> dict[str, int]:
    """Return how often a note has each of its words; cached because a preview asks again after each save."""
    text = _NOT_PROSE.sub(" ", f"{question}\n{answer}").casefold()
    words: Iterable[str] = _WORD.findall(text)
    if not text.isascii():
        words = chain.from_iterable(
            (word,) if word.isascii() else map(bytes.decode, words_of(word)) for word in words
        )
    return dict(Counter(map(intern, words)))


def _value(number: int, weight: float) -> float:
    return weight if number == 1 else weight * (1 + log(number))


def _vector(count: Mapping[str, int], weight: Mapping[str, float]) -> Mapping[str, float]:
    """Return the weight of each word of a note, of a vector whose length is 1."""
    values = {word: _value(number, weight[word]) for word, number in count.items()}
    length = sqrt(fsum(map(mul, values.values(), values.values())))
    return {word: value / length for word, value in values.items()}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    common = one.keys() & other.keys()
    return fsum(map(mul, map(one.__getitem__, common), map(other.__getitem__, common)))


def _twins(
    alike: float,
    notes: tuple[NoteText, NoteText],
    one: Mapping[str, float],
    other: Mapping[str, float],
    rare: set[str],
) -> Twins:
    shared = (word for word in rare & one.keys() & other.keys() if len(word) > 1)
    rarest = nlargest(_SHOWN, shared, key=lambda word: (one[word] * other[word], word))
    return Twins(round(alike, 3), notes, tuple(rarest))
