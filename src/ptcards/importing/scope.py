"""Decides which notes of a package are imported, and the name of their collection."""

from collections import Counter
from dataclasses import dataclass

from ptcards.diagnostics import counted
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.importing.package import Package
from ptcards.importing.problems import quoted, refuse
from ptcards.source.anki_names import is_deck_level

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Scope:
    """A deck of a package with all decks below it; `name` replaces its first level."""

    deck: str
    name: str

    def __contains__(self, deck: str) -> bool:
        """Whether a deck is imported."""
        return deck == self.deck or deck.startswith(f"{self.deck}::")

    def renamed(self, deck: str) -> str:
        """Return the name of a deck in the new collection."""
        return self.name + deck[len(deck.partition("::")[0]) :]


def scope_of(package: Package, deck: str, name: str) -> Scope:
    """Return what to import; raises NotImportableError if it is unclear which deck."""
    decks: Counter[str] = Counter()
    for (each, _), count in package.database.counts.items():
        decks[each] += count
    del decks[""]
    tops: Counter[str] = Counter()
    for each, count in decks.items():
        tops[each.partition("::")[0]] += count
    listed = ", ".join(f"{quoted(each)} ({count:,})" for each, count in tops.most_common(_MOST_SHOWN))
    if not decks:
        raise refuse(package.path, "no-package", "the package has no cards", "export a deck that has some")
    if deck and not any(each == deck or each.startswith(f"{deck}::") for each in decks):
        fix = did_you_mean(deck, [*tops, *decks], f"the decks are {listed}")
        raise refuse(package.path, "unknown-deck", f"no deck {quoted(deck)} with notes", fix)
    if not deck and (len(tops) > 1 or package.path.endswith(".colpkg")):
        message = f"the package contains {counted(len(tops), 'deck')}: {listed}"
        raise refuse(package.path, "several-decks", message, "choose one with `--deck NAME`")
    deck = deck or next(iter(tops))
    name = name or deck.partition("::")[0]
    if not is_deck_level(name):
        message = f"{quoted(name)} cannot be the name of a collection"
        raise refuse(package.path, "bad-deck-name", message, "choose another name with `--name NAME`")
    return Scope(deck, name)
