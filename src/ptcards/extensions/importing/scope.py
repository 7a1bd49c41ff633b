"""Which notes of a package belong to the deck to import."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ptcards.diagnostics import counted
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.extensions.importing.drafts import deck_below
from ptcards.extensions.importing.package import Package
from ptcards.extensions.importing.problems import quoted, refuse

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Scope:
    """Decks of a package with their subdecks.

    `name` is the name of the collection. It replaces the first level of the decks' names or, if `is_above`,
    becomes a level above it.
    """

    decks: tuple[str, ...]
    name: str
    is_above: bool = False

    def __contains__(self, deck: str) -> bool:
        """Whether a deck is imported."""
        return any(deck == each or deck.startswith(f"{each}::") for each in self.decks)

    def is_parent(self, deck: str) -> bool:
        """Whether a deck is above one that is imported."""
        return any(each.startswith(f"{deck}::") for each in self.decks)

    def renamed(self, deck: str) -> str:
        """Return the name of a deck in the new collection."""
        return deck_below(self.name, deck, shares_top=not self.is_above)


def _top(deck: str) -> str:
    return deck.partition("::")[0]


def scope_of(package: Package, decks: Sequence[str], name: str) -> Scope:
    """Return the scope of an import; raises NotImportableError if it is unclear which decks are meant.

    Decks without a common first level need a `name`, which becomes the level above them.
    """
    tops: Counter[str] = Counter()
    for (deck, _), count in package.database.counts.items():
        tops[_top(deck)] += count
    del tops[""]
    known = dict.fromkeys(deck for deck, _ in package.database.counts if deck)
    listed = ", ".join(f"{quoted(each)} ({count:,})" for each, count in tops.most_common(_MOST_SHOWN))
    if not known:
        raise refuse(
            package.path, "no-package", "the package has no cards", "export a deck that contains cards"
        )
    for deck in decks:
        if not any(each == deck or each.startswith(f"{deck}::") for each in known):
            fix = did_you_mean(deck, [*tops, *known], f"the decks are {listed}")
            raise refuse(package.path, "unknown-deck", f"no deck {quoted(deck)} with notes", fix)
    chosen = tuple(dict.fromkeys(decks or tops))
    is_above = len({_top(deck) for deck in chosen}) > 1
    if is_above and not name:
        if decks:
            message, fix = "the decks have no common first level", "add `--name NAME` for the deck above them"
        else:
            message = f"the package contains {counted(len(tops), 'deck')}: {listed}"
            fix = "choose some with `--deck NAME`, or take all below a new one with `--name NAME`"
        raise refuse(package.path, "several-decks", message, fix)
    return Scope(chosen, name or _top(chosen[0]), is_above)
