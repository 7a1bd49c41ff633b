"""How alike two headings are, cheaply enough to ask of thousands of pairs."""

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher

_CODE = re.compile(r"`+([^`]+)`+")
_EDGES = "`*_~.,:;!?()[]{}\"'“”‘’„«»¿¡"
_NAME = re.compile(r"[\d_]|\w[.:/]\w")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading taken to pieces: its words without case and punctuation, and those among them that name a thing.

    Names are code, words with a digit, `_` or a dot inside, and words with a capital that do not begin the heading:
    what distinguishes "What does `add` return?" from "What does `mul` return?". `bits` has a bit for each word, a word's
    second time being another word.
    """

    words: tuple[str, ...]
    names: frozenset[str]
    bits: int

    def names_another(self, other: "Heading") -> bool:
        """Say whether each heading names something of which the other does not speak."""
        return bool(self.names - set(other.words)) and bool(other.names - set(self.words))


class Headings:
    """Makes headings comparable with each other: those of one maker share their bits."""

    def __init__(self) -> None:
        self._bits: dict[tuple[str, int], int] = {}

    def read(self, text: str) -> Heading:
        """Take a heading to pieces."""
        code = {_word(part) for span in _CODE.findall(text) for part in span.split()}
        words: list[str] = []
        names: set[str] = set()
        bits = 0
        seen: Counter[str] = Counter()
        for position, written in enumerate(text.split()):
            word = _word(written)
            words.append(word)
            if word in code or _NAME.search(word) or (position and any(map(str.isupper, written))):
                names.add(word)
            bits |= 1 << self._bits.setdefault((word, seen[word]), len(self._bits))
            seen[word] += 1
        return Heading(tuple(words), frozenset(names), bits)


def most(one: Heading, other: Heading) -> float:
    """Bound the similarity of two headings of one maker from above, a hundred times faster than to compute it."""
    length = len(one.words) + len(other.words)
    return 2 * (one.bits & other.bits).bit_count() / length if length else 0.0


def similarity(one: Heading, other: Heading) -> float:
    """Measure how many words two headings share in order: 0 to 1, as `difflib` does."""
    return SequenceMatcher(None, one.words, other.words, autojunk=False).ratio()


def are_similar(one: Heading, other: Heading, at_least: float) -> bool:
    """Say whether two headings of one maker are at least so similar."""
    return most(one, other) >= at_least and similarity(one, other) >= at_least


def _word(written: str) -> str:
    return written.strip(_EDGES).casefold() or written.casefold()
