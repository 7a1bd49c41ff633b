"""Editions: parts of a collection, each with files of its own."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ptcards.files.inputs import slug
from ptcards.identity.hashes import NoteSummary
from ptcards.identity.lock import deck_key
from ptcards.source.config import EditionConfig, NoteFilter
from ptcards.source.exclude import is_excluded, valid_patterns

Chooser = Callable[[str, NoteSummary], bool]
"""Whether a note is chosen, by the name of its source and its summary."""


def matches(wanted: NoteFilter, root: str) -> Mapping[str, Chooser]:
    """Return a chooser for each key of a filter that is not empty; `root` is the name of the root deck."""
    tags, decks = set(map(deck_key, wanted.tags)), {deck_key(f"{root}::{deck}") for deck in wanted.decks}
    patterns = valid_patterns(wanted.sources)
    choosers: Mapping[str, Chooser] = {
        "tags": lambda _, note: any(_is_below(tag, tags) for tag in note.tags),
        "decks": lambda _, note: _is_below(note.fingerprint.deck, decks),
        "sources": lambda name, _: any(is_excluded(each, patterns) for each in (*_folders(name), name)),
    }
    return {key: chooser for key, chooser in choosers.items() if getattr(wanted, key)}


def chooser(edition: EditionConfig, root: str) -> Chooser:
    """Return what decides which notes of a collection are in an edition; `root` is its root deck."""
    wanted, unwanted = (tuple(matches(each, root).values()) for each in (edition, edition.without))
    return lambda *note: all(each(*note) for each in wanted) and not any(each(*note) for each in unwanted)


WHOLE = EditionConfig()
"""The complete collection."""


class EditionChoice(NamedTuple):
    """What to build: the editions with these `names` or `every` one, the notes with `tags`, or all notes.

    Translations are decks of their own among all notes.
    """

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    every: bool = False

    def among(self, editions: Sequence[EditionConfig]) -> Sequence[EditionConfig]:
        """Return what to build of a collection with these editions."""
        if self.tags:
            return (EditionConfig(name="-".join(map(slug, self.tags)), tags=self.tags),)
        if self.every or self.names:
            return [each for each in editions if self.every or each.name in self.names]
        return (WHOLE, *(each for each in editions if each.language))


ALL_NOTES = EditionChoice()


def _is_below(name: str, parents: Iterable[str]) -> bool:
    """Whether a deck or tag is one of these, or below one, as Anki compares names."""
    return any(f"{deck_key(name)}::".startswith(f"{parent}::") for parent in parents)


def _folders(name: str) -> Iterable[str]:
    """Return the folders of a source from the root down, each with `/` at its end."""
    return (name[: place + 1] for place, letter in enumerate(name) if letter == "/")
