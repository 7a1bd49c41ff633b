"""A sketch of an answer: 16 characters in the lock that show how similar a new answer is to it."""

import hashlib
import re
from functools import lru_cache

PLACES = 16
SHORTEST = 6
"""The minimum number of words for a sketch; shorter answers are similar by chance."""
EMPTY = "-"

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def sketch(text: str) -> str:
    """Return the sketch of an answer: in each position, the smallest hash of the words that belong there.

    A word's hash decides its position, so answers with the same words in any order have the same sketch.
    """
    smallest: dict[int, int] = {}
    for word in set(_words(text)):
        value, place = _hashed(word)
        if value < smallest.get(place, value + 1):
            smallest[place] = value
    return "".join(
        _ALPHABET[smallest[place] % len(_ALPHABET)] if place in smallest else EMPTY for place in range(PLACES)
    )


def likeness(one: str, other: str) -> float:
    """Return how similar two answers are by their sketches, 0 to 1; 0 if either has none."""
    if not one or not other:
        return 0.0
    places = [(a, b) for a, b in zip(one, other, strict=True) if (a, b) != (EMPTY, EMPTY)]
    return sum(a == b for a, b in places) / len(places) if places else 0.0


@lru_cache(maxsize=1 << 14)
def _hashed(word: str) -> tuple[int, int]:
    """Return the hash of a word and its position, cached because words repeat."""
    return divmod(int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest()), PLACES)


def _words(text: str) -> list[str]:
    """Return the words of a text, or pairs of characters where words are not separated by spaces."""
    words = _WORD.findall(text.casefold())
    if text.isascii():
        return words
    found = []
    for word in words:
        if len(word) > 1 and _UNSPACED.search(word):
            found += [word[n : n + 2] for n in range(len(word) - 1)]
        else:
            found.append(word)
    return found
