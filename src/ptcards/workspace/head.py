"""What the cache keeps of a source: everything except its texts, with conversions for `marshal`."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from ptcards.diagnostics import Diagnostic, Location, as_json, from_json
from ptcards.identity.hashes import NoteSummary, plain_summary, summary_of
from ptcards.notes import LeftOutCard, Media
from ptcards.notes.marshalling import media_of, plain_media
from ptcards.source.collection import CollectionFacts
from ptcards.source.media import BY_NAME, is_remote
from ptcards.source.recipes import Recipe
from ptcards.source.source import DeckText, Evidence, Ignored, MediaUse, ParsedSource, Source, seems_foreign


class Head(NamedTuple):
    """Everything in a source except its texts.

    `media` are addresses of files as written, whether each is optional, and what was found; `uses` holds the
    media files of its notes, and `ignored` the rules that they ignore.
    """

    summaries: list[NoteSummary]
    decks: list[DeckText]
    diagnostics: list[Diagnostic]
    media: list[tuple[str, bool, Media | None]]
    uses: list[MediaUse]
    ignored: list[Ignored]
    dialect: str
    left_out: list[LeftOutCard]
    evidence: list[Evidence]
    schedules: tuple[int, int]

    @property
    def seems_foreign(self) -> bool:
        """Whether the source has no notes in our format and was clearly written for another program."""
        return seems_foreign(self.dialect, self.summaries, self.evidence)

    def shown_files(self, folder: Path) -> Iterator[tuple[tuple[str, ...], str, str] | None]:
        """Yield where to look for each media file, where it is, and its digest; None for a missing file.

        If an optional file is missing, the last two are empty. `folder` is the source's folder.
        """
        for address, optional, media in self.media:
            if address.startswith(BY_NAME):  # it may turn up elsewhere at any time
                yield None
                continue
            if media and is_remote(address):  # the list of fetched files, itself a fact, says where
                yield (str(media.file),), os.path.realpath(media.file), media.digest
                continue
            names = (address, unquote(address))  # as `MediaFolder` searches
            places = tuple(os.path.join(folder, name) for name in names)  # noqa: PTH118
            absent = (places, "", "") if optional else None
            yield (places, os.path.realpath(media.file), media.digest) if media else absent


def plain_head(parsed: ParsedSource, media: Mapping[tuple[str, bool], Media | None]) -> tuple[object, ...]:
    """Return the head of a source as values that `marshal` supports."""
    return (
        [plain_summary(summary) for summary in parsed.summaries],
        [(deck.name, tuple(deck.place), deck.description) for deck in parsed.decks],
        [as_json(diagnostic) for diagnostic in parsed.diagnostics],
        [(*address, found and plain_media(found)) for address, found in media.items()],
        [(*use[:3], tuple(use.place), use.length) for use in parsed.media],
        [(note, rule, tuple(place)) for note, rule, place in parsed.ignored],
        parsed.dialect,
        [(tuple(card.place), card.heading, card.cause) for card in parsed.left_out],
        [
            (evidence.dialect, evidence.sure, evidence.count, tuple(evidence.place), evidence.what)
            for evidence in parsed.evidence
        ],
        parsed.schedules,
    )


def head_of(plain: tuple[Any, ...]) -> Head:
    """Return the head that `plain_head` encoded."""
    summaries, decks, diagnostics, media, uses, ignored, dialect, left_out, evidence, schedules = plain
    return Head(
        [summary_of(summary) for summary in summaries],
        [DeckText(name, Location(*place), text) for name, place, text in decks],
        [from_json(diagnostic) for diagnostic in diagnostics],
        [(address, optional, found and media_of(found)) for address, optional, found in media],
        [
            MediaUse(name, digest, file, Location(*place), length)
            for name, digest, file, place, length in uses
        ],
        [Ignored(note, rule, Location(*place)) for note, rule, place in ignored],
        dialect,
        [LeftOutCard(Location(*place), heading, cause) for place, heading, cause in left_out],
        [
            Evidence(dialect, sure, count, Location(*place), what)
            for dialect, sure, count, place, what in evidence
        ],
        schedules,
    )


class SourceTask(NamedTuple):
    """A source, and what to make from it.

    `slots` are the cache slots of the recipes, `before` is what each recipe made last, still packed, and
    `notes` is the estimated number of notes.
    """

    facts: CollectionFacts
    source: Source
    recipes: tuple[Recipe, ...]
    slots: tuple[bytes, ...]
    before: tuple[bytes | None, ...] = ()
    notes: int = 0


class Known(NamedTuple):
    """The result of reading a source.

    `head` is `None` if the source could not be read. `digest` is the digest of its content; `keys` maps each
    part to the key of its entry, which depends on the head.
    """

    head: Head | None
    problems: Sequence[Diagnostic]
    digest: str
    keys: Mapping[str, bytes]


class Read(NamedTuple):
    """A source that was read; `start` is the position of its first note in the collection."""

    source: Source
    head: Head
    start: int
    known: Known
    task: SourceTask

    @property
    def span(self) -> slice:
        """The positions of its notes in the collection."""
        return slice(self.start, self.start + len(self.head.summaries))

    @property
    def place(self) -> Location:
        """The start of the source."""
        return Location(self.source.path, 1)
