"""Detects whether notes are in English, for advice on wording."""

import re
from collections.abc import Iterable, Sequence

from ptcards.lint.note import Reading

_ENGLISH = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "has",
        "have",
        "how",
        "if",
        "in",
        "is",
        "it",
        "its",
        "not",
        "of",
        "on",
        "only",
        "or",
        "than",
        "that",
        "the",
        "this",
        "to",
        "what",
        "when",
        "which",
        "why",
        "with",
        "you",
    ]
)
_FEWEST = 100
"""Number of words; with fewer, the language is unclear."""
_FEWEST_DIFFERENT = 30
"""Number of distinct words."""
_MOST = 1000
"""Number of words to look at."""
_PERCENT = 10
"""In English, more than 20 of 100 words are among these; in most other languages, fewer than 9."""
_WORD = re.compile(r"[^\W\d_]+")


def is_english(language: str, notes: Sequence[Reading]) -> bool:
    """Whether notes are in English, judged by `language`, or by their words if it is not set."""
    if language:
        return language.partition("-")[0] == "en"
    words = _first_words(notes)
    known = sum(word in _ENGLISH for word in words)
    is_little = len(words) < _FEWEST or len({*words}) < _FEWEST_DIFFERENT
    return is_little or known * 100 >= len(words) * _PERCENT


def _first_words(notes: Iterable[Reading]) -> list[str]:
    words: list[str] = []
    for note in notes:
        words += _WORD.findall(note.prose.casefold())
        if len(words) >= _MOST:
            break
    return words
