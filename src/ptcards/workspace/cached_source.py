"""A source that was read: everything except its notes, which stay in the cache."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location
from ptcards.markdown.links import FROM_ROOT
from ptcards.notes.rendered import Media
from ptcards.source.collection import CollectionFacts
from ptcards.source.media import BY_NAME, is_remote, possible_names
from ptcards.source.recipes import Recipe
from ptcards.source.source import ParsedSource, Source

Shown = tuple[tuple[str, bool, Media | None], ...]
"""The addresses of files in a source as written, whether each is optional, and what was found."""


class SourceTask(NamedTuple):
    """A source, and what to make from it.

    `slots` are the cache slots of the recipes, `before` is what each recipe made last, still packed, and
    `notes` is the estimated number of notes. Without `texts`, the first recipe, for notes, waits for demand.
    """

    facts: CollectionFacts
    source: Source
    recipes: tuple[Recipe, ...]
    slots: tuple[bytes, ...]
    before: tuple[bytes | None, ...] = ()
    notes: int = 0
    texts: bool = True


class CachedSource(NamedTuple):
    """A source that was read: everything except its notes, which stay in the cache.

    `parsed` has no notes. `digest` is the digest of the source's content; `keys` maps each part to the key of
    its entry. `start` is the position of its first note in the collection.
    """

    task: SourceTask
    parsed: ParsedSource
    shown: Shown
    digest: str
    keys: Mapping[str, bytes]
    start: int = 0

    @property
    def source(self) -> Source:
        """The source, without its text."""
        return self.task.source

    @property
    def span(self) -> slice:
        """The positions of its notes in the collection."""
        return slice(self.start, self.start + len(self.parsed.summaries))

    @property
    def place(self) -> Location:
        """The start of the source."""
        return Location(self.source.path, 1)

    def shown_files(self) -> Iterator[tuple[tuple[str, ...], str, str] | None]:
        """Yield where to look for each media file, where it is, and its digest; None for a missing file.

        If an optional file is missing, the last two are empty.
        """
        folder = self.source.file.parent
        for address, optional, media in self.shown:
            if address.startswith(BY_NAME):  # it may turn up elsewhere at any time
                yield None
                continue
            if media and is_remote(address):  # the list of fetched files, itself a fact, says where
                yield (str(media.file),), os.path.realpath(media.file), media.digest
                continue
            places = tuple(os.path.join(folder, name) for name in possible_names(address))  # noqa: PTH118
            if address.startswith(FROM_ROOT):
                places = (*places, os.path.join(self.task.facts.root, address[len(FROM_ROOT) :]))  # noqa: PTH118
            absent = (places, "", "") if optional else None
            yield (places, os.path.realpath(media.file), media.digest) if media else absent


class ReadResult(NamedTuple):
    """The result of reading a source: problems with its file, and the source if it is readable."""

    problems: Sequence[Diagnostic]
    cached: CachedSource | None
