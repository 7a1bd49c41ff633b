"""The order in which learners meet the decks: `order` in `deck.toml`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from ptcards.diagnostics import Diagnostic, Location, warning
from ptcards.diagnostics.suggest import did_you_mean
from ptcards.source.config import Config


@dataclass(frozen=True, slots=True)
class DeckOrder:
    """The positions (from 0) of the decks that `order` names, by their full names."""

    places: Mapping[str, int]

    @classmethod
    def of(cls, config: Config) -> Self:
        """Return the order that a collection's settings name; if a deck is named twice, the first counts."""
        names = dict.fromkeys(f"{config.name}::{deck}" for deck in config.order)
        return cls({name: place for place, name in enumerate(names)})

    def place(self, deck: str) -> int:
        """Return the position of a deck: its own, or that of its nearest parent that is named.

        All other decks come after the named ones, in the same position, which leaves them in source order.
        """
        while deck and deck not in self.places:
            deck = deck.rpartition("::")[0]
        return self.places.get(deck, len(self.places))


def unknown_decks(config: Config, decks: Iterable[str], place: Location) -> Iterator[Diagnostic]:
    """Yield a warning for each name in `order` that is neither one of the `decks` nor a parent of one.

    `place` is the location of `order`.
    """
    root = f"{config.name}::"
    known = set()
    for deck in decks:
        levels = deck.removeprefix(root).split("::")
        known |= {"::".join(levels[:depth]) for depth in range(1, len(levels) + 1)}
    for name in dict.fromkeys(config.order):
        if name not in known:
            fix = did_you_mean(name, known, f"name a deck below `{config.name}`, or remove the name")
            yield warning(place, "no-such-deck", f"`order` names `{name}`, but no deck has this name", fix, 5)
