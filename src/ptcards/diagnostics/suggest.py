"""Did you mean …: the only place that guesses what an author intended."""

from collections.abc import Container, Iterable
from difflib import SequenceMatcher, get_close_matches
from pathlib import PurePath

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
_SHORTEST = 3
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


def slip_among(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was clearly meant by a misspelt one: the only one that is a slip away."""
    folded, spelled = word.casefold(), {each.casefold(): each for each in known}
    slips = sorted((_steps(folded, each), each) for each in spelled if slip_of(folded, (each,)))
    is_clear = slips and [steps for steps, _ in slips].count(slips[0][0]) == 1
    is_begun = is_clear and len(word) >= _SHORTEST and slips[0][1][0] == folded[0]
    return spelled[slips[0][1]] if is_begun else None


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
