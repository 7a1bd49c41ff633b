"""Did you mean …: the only place that guesses what an author intended."""

from collections.abc import Container, Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from pathlib import PurePath

CERTAIN = 0.8
"""How similar two words must be, from 0 to 1, for one to replace the other."""
ALIKE = 0.6
"""How similar two words must be, from 0 to 1, for one to be suggested for the other.

The default of `difflib`, which catches one slip in a word of four letters.
"""

_TRIED = 10
"""How many of the most similar words are considered."""
_SHARED = 4
"""How many letters in a row a word shares with one that begins with another letter."""
_LONG = 8
"""A word with at least this many letters may have two slips."""
_MOST_STEPS = 2
_SHORTEST = 4
"""The minimum length of a word to correct; too many shorter ones differ in only one letter."""


def suggest(word: str, known: Iterable[str], common: Container[str] = ()) -> str | None:
    """Return the known word most similar to `word`, ignoring case, or `None` if none is close.

    A word that begins with another letter must share four letters in a row, or be a slip away; if one of the
    two is at least twice as long, it must begin with the other. Fewest slips win, then the words in `common`.
    Among equally close words, the one with the same case wins, then the first in alphabetical order, so that
    the result never depends on the order of a set.
    """
    spelled: dict[str, list[str]] = {}
    for each in sorted(known):
        spelled.setdefault(each.casefold(), []).append(each)
    folded = word.casefold()
    alike = get_close_matches(folded, sorted(spelled), n=_TRIED, cutoff=ALIKE)
    near = [each for each in alike if _may_be_meant(folded, each)]
    if not near:
        return None
    best = min(near, key=lambda each: (min(_steps(folded, each), _MOST_STEPS + 1), each not in common))
    return min(spelled[best], key=lambda each: each[0] != word[0])


def suggest_file(name: str, known: Iterable[str]) -> str | None:
    """Return the file name most similar to `name`: its suffix does not make it similar."""
    stems: dict[str, list[str]] = {}
    for each in sorted(known):
        stems.setdefault(PurePath(each).stem, []).append(each)
    near = suggest(PurePath(name).stem, stems)
    return min(stems[near], key=lambda each: _steps(name, each)) if near else None


def _may_be_meant(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    if len(longer) >= 2 * len(shorter):
        return longer.startswith(shorter)
    return other[0] == word[0] or _has_much_of(word, other)


def _has_much_of(word: str, other: str) -> bool:
    shared = SequenceMatcher(None, word, other, autojunk=False).find_longest_match().size
    return shared >= _SHARED or slip_of(word, (other,)) is not None


def surely(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was clearly intended: the only close one, with the same first letter."""
    spelled = {each.casefold(): each for each in known}
    near = get_close_matches(word.casefold(), sorted(spelled), n=2, cutoff=ALIKE)
    if len(near) != 1 or not get_close_matches(word.casefold(), near, cutoff=CERTAIN):
        return None
    return spelled[near[0]] if near[0][:1] == word[:1].casefold() else None


def slip_among(word: str, known: Iterable[str]) -> str | None:
    """Return the one of few known words that was clearly intended; one slip in a short word is enough."""
    known = [*known]
    if (sure := surely(word, known)) or len(word) < _SHORTEST:
        return sure
    slips = sorted((_steps(word.casefold(), each), each) for each in known if slip_of(word, (each,)))
    is_clear = slips and [steps for steps, _ in slips].count(slips[0][0]) == 1
    return slips[0][1] if is_clear and slips[0][1][0] == word[0].casefold() else None


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return the names that share most words with a name of words with hyphens, else one very like it."""
    words = set(name.casefold().split("-"))
    shared = {each: _shared_words(words, each.split("-")) for each in sorted(known)}
    most = max(shared.values(), default=(0, 0))
    near = suggest(name, shared)
    if most < (min(len(words), 2), 0):
        return [near] if near and get_close_matches(name.casefold(), [near], cutoff=CERTAIN) else []
    return sorted((each for each in shared if shared[each] == most), key=lambda each: each != near)


def _shared_words(words: Iterable[str], others: Sequence[str]) -> tuple[int, int]:
    """Return how many words are among the others, and how many exactly; only longer words may be misspelt."""
    exact = sum(word in others for word in words)
    slips = (word for word in words if word not in others and len(word) > _SHORTEST)
    return exact + sum(slip_among(word, others) is not None for word in slips), exact


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return the suggestion for a diagnostic's help: "did you mean `x`?", or `otherwise`."""
    near = suggest(word, known)
    return f"did you mean `{near}`?" if near else otherwise


def one_of(word: str, known: Iterable[str]) -> str:
    """Return the help for a word that is none of these: the nearest one, or all of them."""
    known = tuple(known)
    return did_you_mean(word, known, f"use one of {', '.join(f'`{each}`' for each in known)}")


def slip_of(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is misspelt here: by one letter, or by two if it has at least eight."""
    return next((each for each in known if _steps(word.casefold(), each) <= 1 + (len(each) >= _LONG)), None)


def _steps(word: str, other: str) -> int:
    """Return the number of letters to add, drop, change or swap (optimal string alignment)."""
    if abs(len(word) - len(other)) > _MOST_STEPS or len({*word} ^ {*other}) > 2 * _MOST_STEPS:
        return _MOST_STEPS + 1  # a step changes at most two of the letters that only one of them has
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, each in enumerate(other, 1):
            least = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (letter != each))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == each:
                least = min(least, rows[-2][j - 2] + 1)
            row.append(least)
        rows.append(row)
    return rows[-1][-1]
