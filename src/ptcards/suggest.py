"""Did you mean …: the one place that guesses what an author wanted to write."""

from collections.abc import Iterable
from difflib import get_close_matches

ALIKE = 0.6
"""How alike two words must be, from 0 to 1; difflib's own default catches one slip in a word of four
letters."""


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Find the known word most like `word`, without regard to case; `None` if none is near.

    Between equally near words the one with the same case wins, then the first in alphabetical order, so that
    the answer never depends on the order of a set.
    """
    spelled: dict[str, list[str]] = {}
    for each in sorted(known):
        spelled.setdefault(each.casefold(), []).append(each)
    near = get_close_matches(word.casefold(), sorted(spelled), n=1, cutoff=ALIKE)
    return min(spelled[near[0]], key=lambda each: each[0] != word[0]) if near else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """Phrase the suggestion for a diagnostic's help: "did you mean `x`?", or `otherwise`."""
    near = suggest(word, known)
    return f"did you mean `{near}`?" if near else otherwise
