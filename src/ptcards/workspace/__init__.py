"""The starting point of every command: the collections of its SOURCEs, and the contents of their sources.

Only the heads of sources are in memory: summaries of notes, decks and diagnostics. Texts and fields stay in
the cache until they are needed.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from ptcards.anki.built_in_notetypes import note_types
from ptcards.cache import Cache, Entry, Facts, digest_of, listing
from ptcards.diagnostics import Diagnostic
from ptcards.files import CacheError, cache_file
from ptcards.files.git import GitError, Repository, ignore_files
from ptcards.files.inputs import MAX_SOURCE_BYTES, file_digest, shown
from ptcards.identity.hashes import NoteSummary, content_hash
from ptcards.notes import LeftOutCard, Note
from ptcards.notes.notetypes import NoteType
from ptcards.notes.rendered import Deck
from ptcards.packing import CachePart
from ptcards.source.assembly import DeckOrder, describe, find_keys, silence
from ptcards.source.collection import Collection, find_collections
from ptcards.source.config import EditionConfig
from ptcards.source.dialects import OWN
from ptcards.source.editions import WHOLE, chooser
from ptcards.source.media import LIST, look_files
from ptcards.source.own_notetypes import FOLDER
from ptcards.source.recipes import ByNote, Recipe
from ptcards.workspace.cached_source import CachedSource, ReadResult
from ptcards.workspace.entries import DRAFTS, NOTES, Progress, make_again, notes_in, read_all, source_task
from ptcards.workspace.problems import problems_in
from ptcards.workspace.published import PublishedNotes

T = TypeVar("T")

_COMMITTED = CachePart("committed", tuple[NoteSummary, ...])


class Contents:
    """All contents of one collection, because identity depends on all its notes.

    `collection` knows which sources were requested. `keys` are the keys of the notes, in the order of
    `summaries`. Both leave out drafts, which are in `draft_summaries` and `draft_keys`.
    """

    def __init__(self, collection: Collection, results: Sequence[ReadResult], cache: Cache) -> None:
        self.collection = collection
        self.sources: list[CachedSource] = []
        self.summaries: list[NoteSummary] = []
        self.draft_summaries: list[NoteSummary] = []
        self._problems = [
            problem
            for source, result in zip(collection.sources, results, strict=True)
            if collection.is_selected(source.path)
            for problem in result.problems
        ]
        for cached in (result.cached for result in results if result.cached):
            self.sources.append(cached._replace(start=len(self.summaries)))
            self.summaries += cached.parsed.summaries
            self.draft_summaries += cached.parsed.draft_summaries
        self.keys = find_keys(self.summaries)
        self.draft_keys = find_keys(self.draft_summaries, self.keys)
        self._deck_texts = [deck for source in self.sources for deck in source.parsed.decks]
        self._cache = cache
        self.published = PublishedNotes(
            collection,
            self.summaries,
            self.draft_summaries,
            types=lambda: self.note_types,
            broken=lambda: {card.place for card in self.left_out},
            cache=cache,
        )
        self._parts: dict[str, list[tuple[CachedSource, Any]]] = {}
        self._hashed: tuple[CachedSource, Sequence[Note]] | None = None
        """the source whose notes were hashed last, with its notes"""

    @cached_property
    def foreign(self) -> Mapping[str, str]:
        """The dialects of sources written for other programs, by path; they may repeat a question."""
        return {
            source.source.path: source.parsed.dialect
            for source in self.sources
            if source.parsed.dialect != OWN
        }

    @property
    def selected(self) -> list[CachedSource]:
        """The requested sources."""
        return [source for source in self.sources if self.collection.is_selected(source.source.path)]

    @cached_property
    def order(self) -> DeckOrder:
        """The order of the decks."""
        return DeckOrder.of(self.collection.config)

    def in_edition(self, source: CachedSource, edition: EditionConfig | None) -> list[bool]:
        """Return which notes of a source are in an edition, or in any."""
        notes, name = source.parsed.summaries, source.source.name
        is_other = edition is not None and source.source.settings.translation != edition.language
        if edition is None or edition is WHOLE or is_other:
            return [not is_other] * len(notes)
        is_in = chooser(edition, self.collection.config.name)
        return [is_in(name, summary) for summary in notes]

    def in_order(self, edition: EditionConfig | None = None) -> Iterator[tuple[CachedSource, Sequence[bool]]]:
        """Yield the requested sources in the order of their decks, each with which of its notes come now.

        A source whose decks have several positions comes several times.
        """
        sources: dict[int, list[tuple[CachedSource, Sequence[bool]]]] = {}
        for each in self.selected:
            decks = [summary.fingerprint.deck for summary in each.parsed.summaries]
            place_of = {deck: self.order.place(deck) for deck in set(decks)}
            chosen = self.in_edition(each, edition)
            places = [place_of[deck] if now else -1 for deck, now in zip(decks, chosen, strict=True)]
            for place in {*places} - {-1}:
                sources.setdefault(place, []).append((each, [other == place for other in places]))
        return (source for place in sorted(sources) for source in sources[place])

    @property
    def left_out(self) -> Iterator[LeftOutCard]:
        """The cards in the requested sources that are left out."""
        return (card for source in self.selected for card in source.parsed.left_out)

    def count(self, edition: EditionConfig | None = None) -> int:
        """Return the number of requested notes in an edition, or in any."""
        return sum(sum(self.in_edition(each, edition)) for each in self.selected)

    @property
    def all_summaries(self) -> list[NoteSummary]:
        """The summaries of all notes, followed by those of all drafts."""
        return [*self.summaries, *self.draft_summaries]

    @property
    def selected_drafts(self) -> list[Note]:
        """The drafts in the requested sources, with their texts and keys."""
        drafts = (draft for source in self.sources for draft in self.drafts_of(source))
        return [draft for draft in drafts if self.collection.is_selected(draft.location.path)]

    @property
    def draft_count(self) -> int:
        """The number of drafts in the requested sources, without notes of ours that are left out."""
        return sum(
            len(each.parsed.draft_summaries) - (each.parsed.dialect == OWN) * len(each.parsed.left_out)
            for each in self.selected
        )

    @property
    def decks(self) -> tuple[Deck, ...]:
        """All named decks, with their descriptions."""
        return describe(self.collection.config if self.collection.configured else None, self._deck_texts)

    @cached_property
    def note_types(self) -> tuple[NoteType, ...]:
        """The built-in note types that it may need and the collection's own, as learners have them."""
        config = self.collection.config
        return note_types(
            config.id,
            config.name,
            config.css,
            config.report,
            config.language,
            own=config.note_types,
            decks={summary.fingerprint.deck for summary in self.summaries},
            occlusions="occlusion" in {each.fingerprint.note_type for each in self.all_summaries},
        )

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """All notes, with their texts."""
        return tuple(note for source in self.sources for note in self.notes_of(source))

    @property
    def selected_notes(self) -> tuple[Note, ...]:
        """The requested notes, with their texts."""
        return tuple(note for note in self.notes if self.collection.is_selected(note.location.path))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics from reading and parsing the requested sources."""
        return problems_in(self.collection, self.sources, self.keys, self._problems, self.published.ids)

    def notes_of(self, source: CachedSource) -> Iterator[Note]:
        """Yield the notes of one source, with their texts."""
        notes = zip(self.by_note(source, NOTES), self.keys[source.span], strict=True)
        return (note if note.key == key else note._replace(key=key) for note, key in notes)

    def drafts_of(self, source: CachedSource) -> Iterator[Note]:
        """Yield the drafts of one source, with their texts and keys; they have no GUIDs."""
        keys = self.draft_keys_of(source)
        if keys:  # most sources have none
            drafts = self.part(source, DRAFTS)
            yield from (note._replace(key=key) for note, key in zip(drafts, keys, strict=True))

    def draft_keys_of(self, source: CachedSource) -> Sequence[str]:
        """Return the keys of the drafts of one source."""
        summaries = source.parsed.draft_summaries
        start = self.draft_summaries.index(summaries[0]) if summaries else 0
        return self.draft_keys[start : start + len(summaries)]

    def by_note(self, source: CachedSource, part: CachePart[ByNote[T]]) -> Iterator[T]:
        """Yield the value of each note of a source in one of its parts.

        Raises CacheError if the part belongs to other notes; the caller must not write anything then.
        """
        values = self.part(source, part)
        hashes = [summary.fingerprint.content for summary in source.parsed.summaries]
        if [content for content, _ in values] != hashes:
            where = shown(self._cache.file) if self._cache.file else "the cache"
            message = f"`{where}` has other notes for `{source.source.path}`: delete it, then run this again"
            raise CacheError(message)
        return (value for _, value in values)

    def source_of(self, position: int) -> CachedSource:
        """Return the source of the note at a position."""
        return self.sources[bisect_right(self.sources, position, key=lambda each: each.start) - 1]

    def content_in(self, position: int, deck: str) -> str:
        """Return the content hash that the note at a position would have in a deck."""
        source = self.source_of(position)
        if self._hashed is None or self._hashed[0] is not source:
            self._hashed = source, tuple(self.notes_of(source))
        return content_hash(self._hashed[1][position - source.start], deck)

    def parts(self, part: CachePart[T]) -> Sequence[tuple[CachedSource, T]]:
        """Return a small part of each requested source, which is read only once."""
        if part.name not in self._parts:
            self._parts[part.name] = [(each, self.part(each, part)) for each in self.selected]
        return self._parts[part.name]

    def part(self, source: CachedSource, part: CachePart[T]) -> T:
        """Return a part of a source, remaking it if it has vanished.

        Raises SourceChangedError if that is not possible.
        """
        value = self._cache.get(source.keys[part.name], part)
        return make_again(self._cache, source, part) if value is None else value

    def made_of_notes(self, source: CachedSource, part: CachePart[T], make: Callable[[], T]) -> T:
        """Return what a command makes of the notes and drafts of a source, from the cache if it is there."""
        key = digest_of(part.name, source.keys[NOTES.name])
        value = self._cache.get(key, part)
        if value is None:
            value = make()
            self._cache.put([Entry.of(key, part, source.task.slots[0], value)])
        return value

    def committed(self, path: str) -> Sequence[NoteSummary]:
        """Return the notes that a source had when `deck.lock` was last committed, in order.

        There are none if git cannot tell.
        """
        source = next(each for each in self.sources if each.source.path == path)
        commit, name = self.published.history.commit, source.source.name
        try:
            repository = Repository(self.collection.root)
            found = repository.content(commit, name, MAX_SOURCE_BYTES) if commit else None
        except GitError:
            found = None
        if found is None:
            return ()
        key, slot = (digest_of("committed", source.task.slots[0], text) for text in (found, b""))
        if (known := self._cache.get(key, _COMMITTED)) is not None:
            return known
        notes, may_be_kept = notes_in(source.task, found)
        if may_be_kept:
            self._cache.put([Entry.of(key, _COMMITTED, slot, tuple(notes))])
        return notes


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read sources; a `with` block closes the cache at its end.

    Results are kept in `cache`, by default only for this process. Up to `processes` processes run at the same
    time. A `dialect` given here applies to all files. With `skip_broken`, notes of ours with an error are
    left out. Without `texts`, the texts of notes are only made on demand, because most builds need none.
    `progress` is called repeatedly; an exception that it raises ends the reading.
    """

    cache: Cache = field(default_factory=lambda: Cache(None))
    processes: int = 1
    dialect: str = ""
    progress: Progress = lambda *_: None
    skip_broken: bool = False
    texts: bool = True

    @classmethod
    def of_user(
        cls,
        tell: Callable[[str], None] = lambda _: None,
        *,
        processes: int = 1,
        dialect: str = "",
        progress: Progress = lambda *_: None,
    ) -> Self:
        """Return options with the user's cache; if it cannot be used, `tell` is called with the reason."""
        return cls(Cache(cache_file(os.environ), tell), processes, dialect, progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cache.close()


@dataclass(frozen=True, eq=False)
class Workspace:
    """The collections of the given SOURCEs, with their contents."""

    _paths: Sequence[Path]
    contents: tuple[Contents, ...]
    _problems: Sequence[Diagnostic]
    _options: ReadOptions
    _found: tuple[Collection, ...]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics from finding, reading and parsing the requested sources."""
        return [
            *self._problems,
            *(diagnostic for contents in self.contents for diagnostic in contents.diagnostics),
        ]

    @classmethod
    def read(
        cls,
        paths: Sequence[Path],
        options: ReadOptions | None = None,
        recipes: Callable[[Collection], Sequence[Recipe]] = lambda _: (),
    ) -> Self:
        """Return the collections of SOURCEs, with everything that `recipes` make from the requested sources.

        Raises NoSuchSourceError for a path that does not exist or contains no sources.
        """
        options = options or ReadOptions()
        collections, problems = find_collections(paths, read=False, dialect=options.dialect)

        contents = []
        for each in collections:
            needed = tuple(recipes(each))
            tasks = [
                source_task(
                    each,
                    source.skipping(broken=options.skip_broken),
                    needed if each.is_selected(source.path) else (),
                    texts=options.texts,
                )
                for source in each.sources
            ]
            results = read_all(options.cache, tasks, processes=options.processes, progress=options.progress)
            contents.append(Contents(each, list(results), options.cache))
        return cls(paths, tuple(contents), problems, options, collections)

    def heeded(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """Return the diagnostics that neither these collections nor their notes ignore."""
        for contents in self.contents:
            diagnostics, _ = silence(contents.collection, contents.all_summaries, diagnostics)
        return diagnostics

    def remember(self, question: Sequence[object], facts: Facts, answer: T, kind: type[T]) -> None:
        """Keep the answer to a question, of this type, for as long as these facts hold."""
        self._options.cache.remember(question, facts, answer, kind)

    def files(self) -> set[Path]:
        """Return the files that these collections are read from: sources, settings, locks and media."""
        found: set[Path] = set()
        for contents in self.contents:
            found |= {source.source.file for source in contents.sources}
            found |= {*_other_files(contents.collection)}
            found |= {
                Path(media.file)
                for source in contents.sources
                for _, _, media in source.shown
                if media is not None
            }
        return {file for file in found if file.is_file()}

    def facts(self, *outputs: Path) -> Facts | None:
        """Return everything that these collections and `outputs` depend on, or None if that is uncertain."""
        files: dict[str, str] = {}
        media = [
            shown
            for contents in self.contents
            for source in contents.sources
            for shown in source.shown_files()
        ]
        collections = tuple(contents.collection for contents in self.contents)
        if not all(collection.configured for collection in collections) or None in media:
            return None
        if any(contents.published.history.is_ignored for contents in self.contents):
            return None  # git may stop tracking the lock although no file changes
        try:
            for contents in self.contents:
                files |= {str(source.source.file): source.digest for source in contents.sources}
            others: list[Path] = []
            for here in collections:
                others += (*_other_files(here), *here.not_read.deciding, *ignore_files(here.root))
            files |= {str(file.absolute()): file_digest(file) for file in (*others, *outputs)}
            roots = [str(collection.root) for collection in collections]
            shared = {str(file.parent / FOLDER) for here in collections for file in here.config.files[:1]}
            listings = {folder: listing(folder) for folder in (*roots, *filter(os.path.isdir, shared))}
        except OSError:
            return None
        if any(str(source.file) not in files for collection in collections for source in collection.sources):
            return None
        # Compare what was found earlier with the current state: a change in between must not go unnoticed.
        if find_collections(self._paths, read=False, dialect=self._options.dialect)[0] != self._found:
            return None
        repositories = {str(contents.collection.root): contents.published.refs for contents in self.contents}
        folders = {*roots, *(str(output.absolute().parent) for output in outputs)}
        return Facts(
            files, listings, [each for each in dict.fromkeys(media) if each], sorted(folders), repositories
        )


def _other_files(collection: Collection) -> Iterator[Path]:
    """Yield the other files that a collection depends on: settings, lock, fetched files, CSS and so on."""
    root, config = collection.root, collection.config
    yield from (root / name for name in ("deck.toml", "deck.lock", LIST))
    yield from (*config.files, *collection.plugins)
    yield from look_files(root, config.css, config.note_types)
