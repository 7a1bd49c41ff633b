"""How similar two headings are, and whether something in one was replaced in the other.

Similarity alone says little: "What is the default of momentum?" and "What is the default of dampening?" are
similar, but they are two cards. So the differences decide: if each heading has its own name, number or
distinctive word, they are siblings.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

LONGEST_PLACE = 3
"""The maximum number of words that siblings differ in; with more, they are just different sentences.

Two characters of Chinese or Japanese count as a word.
"""
SHORTEST_FRAME = 2
"""The minimum number of words that siblings share around the place where they differ."""
SHORT_QUESTION = 3
"""A question with at most this many words is a different one if none of them stays."""
COMMON = 5
"""A word in at most this many headings distinguishes cards with a short answer."""

# English words whose exchange does not change what is asked.
_NEUTRAL = frozenset(
    """
    a an the this that these those following some any is are was were be do does did has have had to of for
    you your we our i my it its there
    """.split()
)
_CHOOSING = {"what", "which"}
_ENDINGS = ("s", "es", "d", "ed", "ing")
_SHORTEST_STEM = 3
_SHORTEST_WORD = 4
_SAME_WORD = 0.8
_CODE = re.compile(r"(?<!`)`++([^`]+)`+")
_EDGES = "`*_~.,:;!?()[]{}\"'“”‘’„«»¿¡"
_SIGNED = re.compile(r"\d|\w[_.:/@#+]+\w|[+#=<>|&^%$@\\]")
# Differences that do not make a different word: case, spaces, punctuation, quotes, code marks and hyphens
# inside words.
_TYPOGRAPHY = re.compile(r"[\\\s`*\"'“”‘’„«»?.,;:!¿¡()\[\]{}_~]|(?<=\w)-(?=\w)")
_UNSPACED = r"[\u3040-\u30ff\u3400-\u9fff]"  # compiled when first used: its large character classes take 2 ms
_SENTENCE_END = re.compile(r"[.?!:][\"'”’)\]]?$")
_OPENERS = "`*_\"'([{“‘«"

Words = tuple[str, ...]


@dataclass(frozen=True)
class Heading:
    """A heading prepared for comparison; `text` is as written."""

    text: str

    @cached_property
    def words(self) -> Words:
        """The words in lower case, without punctuation around them.

        Each Chinese character or kana is a separate word.
        """
        spaced = re.sub(_UNSPACED, r" \g<0> ", self.text)
        return tuple(word for written in spaced.split() if squash(word := _bare(written)))

    @cached_property
    def telling(self) -> Words:
        """The words that say what is asked."""
        return self.telling_of(self.words)

    def telling_of(self, words: Words) -> Words:
        """Return those of its words that say what is asked; in code, `a` and `i` are names."""
        return tuple(word for word in words if word not in _NEUTRAL or word in self.names)

    @cached_property
    def squashed(self) -> str:
        """The text without case and typography: equal for headings that differ in nothing else."""
        return squash(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that name something: code, words with a digit or sign, and capitals within a sentence."""
        code = {_bare(part) for span in _CODE.findall(self.text) for part in span.split()}
        found = set()
        begins = True
        for written in self.text.split():
            word = _bare(written)
            # At the start of a sentence, only a capital after the first letter counts: `DataLoader`.
            letters = written.lstrip(_OPENERS)[1:] if begins else written
            if word in code or _SIGNED.search(word) or any(map(str.isupper, letters)):
                found.add(word)
            begins = bool(_SENTENCE_END.search(written))
        return frozenset(found)


def squash(text: str) -> str:
    """Return a text without case and typography."""
    return _TYPOGRAPHY.sub("", text.casefold())


class Headings:
    """All headings of the last release and this one; only these can be siblings."""

    def __init__(self, headings: Iterable[str]) -> None:
        self.headings = headings
        self._read: dict[str, Heading] = {}

    def read(self, text: str) -> Heading:
        """Return a heading prepared for comparison, cached."""
        if text not in self._read:
            self._read[text] = Heading(text)
        return self._read[text]

    def differ_in_typography_only(self, one: str, other: str) -> bool:
        """Whether two headings have the same words, written differently."""
        before, after = self.read(one).squashed, self.read(other).squashed
        return before == after and bool(before)

    def likeness(self, one: str, other: str) -> float:
        """Return the share of words that two headings have in common, in order, from 0 to 1 (see `difflib`).

        It is 1 if they differ only in typography.
        """
        before, after = self.read(one), self.read(other)
        if self.differ_in_typography_only(one, other):
            return 1.0
        if set(before.words).isdisjoint(after.words):
            return 0.0
        return SequenceMatcher(None, before.words, after.words, autojunk=False).ratio()

    def shared(self, one: str, other: str) -> float:
        """Return the share of words that two headings have in common, in any order, from 0 to 1."""
        if self.differ_in_typography_only(one, other):
            return 1.0
        before, after = Counter(self.read(one).words), Counter(self.read(other).words)
        return 2 * (before & after).total() / max(1, before.total() + after.total())

    def names_another(self, old: str, new: str) -> bool:
        """Whether each heading names something that the other does not mention."""
        before, after = self.read(old), self.read(new)
        gone, came = _unshared(before.words, after.words)
        return bool(_names_of(gone, before, after) and _names_of(came, after, before))

    def is_exchanged(self, old: str, new: str, *, short_answer: bool = False) -> bool:
        """Whether something in the old heading was replaced with something else in the new one.

        If the answer is short, every word in at most `COMMON` headings is distinctive, because many cards
        share an answer such as `True`.
        """
        if self.differ_in_typography_only(old, new):
            return False
        before, after = self.read(old), self.read(new)
        gone, came = _unshared(before.words, after.words)
        if squash("".join(gone)) == squash("".join(came)):
            return False
        gone, came = before.telling_of(gone), after.telling_of(came)
        if not gone or not came:
            return False
        keeps_nothing = len(gone) == len(before.telling) and len(came) == len(after.telling)
        if keeps_nothing and min(_count(gone), _count(came)) <= SHORT_QUESTION:
            return True
        if self.names_another(old, new):
            return True
        if short_answer and self._tells(gone, COMMON) and self._tells(came, COMMON):
            return True
        place = _Place.between(before.words, after.words)
        return place is not None and (self._has_siblings(place) or self._is_lone(place, gone, came))

    def _tells(self, words: Iterable[str], at_most: int) -> bool:
        return any(any(map(str.isalpha, word)) and self._counts[word] <= at_most for word in words)

    def _has_siblings(self, place: "_Place") -> bool:
        """Whether another heading has different words in this place."""
        before, after = place.before, place.after
        if len(before) + len(after) < SHORTEST_FRAME:
            return False
        frame = len(before) + len(after)
        for length in range(frame + 1, frame + 2 * LONGEST_PLACE + 1):
            for words in self._by_frame(length, len(before), len(after)).get((before, after), ()):
                if words not in (place.old, place.new):
                    return True
        return False

    def _is_lone(self, place: "_Place", gone: Words, came: Words) -> bool:
        """Whether each heading has a word in this place that is in no other heading."""
        if not place.before and not place.after:
            return False
        if re.search(_UNSPACED, "".join(place.old + place.new)):
            return all(self._count_run(words) <= 1 for words in (place.old, place.new))
        # A count of 1 is the heading itself.
        return any(self._counts[word] <= 1 for word in gone) and any(self._counts[word] <= 1 for word in came)

    @cached_property
    def _all(self) -> list[Heading]:
        return [self.read(text) for text in dict.fromkeys(self.headings)]

    @cached_property
    def _counts(self) -> Counter[str]:
        """The number of headings that contain each word."""
        return Counter(word for heading in self._all for word in set(heading.words))

    @cached_property
    def _runs(self) -> list[str]:
        return [f" {' '.join(heading.words)} " for heading in self._all]

    def _count_run(self, words: Words) -> int:
        run = f" {' '.join(words)} "
        return sum(run in each for each in self._runs)

    @cached_property
    def _frames(self) -> dict[tuple[int, int, int], dict[tuple[Words, Words], list[Words]]]:
        return {}

    @cached_property
    def _by_length(self) -> dict[int, list[Words]]:
        found: dict[int, list[Words]] = defaultdict(list)
        for heading in self._all:
            found[len(heading.words)].append(heading.words)
        return found

    def _by_frame(self, length: int, before: int, after: int) -> dict[tuple[Words, Words], list[Words]]:
        """Return the words that headings of one length have in one place, by the words around it; cached."""
        key = (length, before, after)
        if key not in self._frames:
            frames: dict[tuple[Words, Words], list[Words]] = defaultdict(list)
            for words in self._by_length.get(length, ()):
                frames[words[:before], words[length - after :]].append(words[before : length - after])
            self._frames[key] = frames
        return self._frames[key]


class _Place(NamedTuple):
    """The only place where two headings differ: the words around it, and each heading's words in it."""

    before: Words
    after: Words
    old: Words
    new: Words

    @classmethod
    def between(cls, one: Words, other: Words) -> "_Place | None":
        """Return the place, or `None` if it is too long or empty on one side."""
        shortest = min(len(one), len(other))
        start = next((n for n in range(shortest) if one[n] != other[n]), shortest)
        rest = shortest - start
        end = next((n for n in range(rest) if one[-1 - n] != other[-1 - n]), rest)
        old, new = one[start : len(one) - end], other[start : len(other) - end]
        if 0 < _count(old) <= LONGEST_PLACE and 0 < _count(new) <= LONGEST_PLACE:
            return cls(one[:start], one[len(one) - end :], old, new)
        return None


def _unshared(one: Words, other: Words) -> tuple[Words, Words]:
    """Return the words of each heading that the other lacks.

    Words that differ only in spelling or inflection count as the same.
    """
    gone, came = Counter(one) - Counter(other), Counter(other) - Counter(one)
    left = list(came.elements())
    kept = []
    for word in gone.elements():
        twin = next((each for each in left if _is_same_word(word, each)), None)
        if twin is None:
            kept.append(word)
        else:
            left.remove(twin)
    return tuple(kept), tuple(left)


def _count(words: Words) -> int:
    """Return the number of words; two characters of Chinese or Japanese count as one."""
    characters = sum(re.fullmatch(_UNSPACED, word) is not None for word in words)
    return len(words) - characters // 2


def _is_same_word(one: str, other: str) -> bool:
    if squash(one) == squash(other) or {one, other} == _CHOOSING:
        return True
    if one[0] != other[0] or re.search(r"\d|[^\w'’-]", one + other):
        return False
    shorter, longer = sorted((one, other), key=len)
    return _is_inflected(shorter, longer) or (
        len(shorter) >= _SHORTEST_WORD
        and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_WORD
    )


def _is_inflected(word: str, longer: str) -> bool:
    """Whether an English word got an ending: `use` became `used`, or `property` `properties`."""
    if len(word) < _SHORTEST_STEM:
        return False
    return longer in {word + ending for ending in _ENDINGS} | {word.removesuffix("y") + "ies"}


def _names_of(words: Sequence[str], mine: Heading, other: Heading) -> list[str]:
    """Return the words that name something that the other heading does not mention."""
    return [word for word in words if word in mine.names and squash(word) not in other.squashed]


def _bare(written: str) -> str:
    return written.strip(_EDGES).casefold() or written.casefold()
