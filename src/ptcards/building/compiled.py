"""Collections compiled: what identity and the writers need of them, the texts packed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from ptcards.building.cache import Cache
from ptcards.building.compiling import (
    Compiled,
    Compiler,
    Job,
    Settings,
    compile_all,
    is_current,
)
from ptcards.building.rows import Found, Outline, Row, read_cells, read_outline, read_rendered
from ptcards.building.shelf import Place, Shelf
from ptcards.collection import Collection, Source, read_source
from ptcards.diagnostics import Diagnostic, has_errors
from ptcards.identity.hashes import Gist
from ptcards.identity.resolve import Identities
from ptcards.notes import Deck, RenderedNote
from ptcards.parsing.assembly import (
    DeckText,
    MediaUse,
    check_decks,
    check_media_names,
    check_twins,
    describe,
    find_keys,
)
from ptcards.processes import guess_notes

Progress = Callable[[int, int], None]

FLEETING = frozenset({"code-too-slow"})
"""Warnings that another run may not give, on a machine less busy."""


_AT_ONCE = 100
"""Rows that are kept together."""


@dataclass(frozen=True, slots=True)
class CompiledSource:
    """A source that could be read; `digest` is that of its content, `notes` and `cards` count.

    `rendered` and `cells` are where these parts of its row lie.
    """

    source: Source
    digest: str
    rendered: Place
    cells: Place
    notes: int
    cards: int
    media: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class CompiledCollection:
    """A collection compiled: `gists` and `keys` are of its notes in turn, `decks` what was found to describe."""

    collection: Collection
    sources: tuple[CompiledSource, ...]
    gists: tuple[Gist, ...]
    keys: tuple[str, ...]
    decks: tuple[Deck, ...]
    shelf: Shelf

    def rendered(self, identities: Identities) -> Iterator[RenderedNote]:
        """Unpack the notes that were asked for, one source at a time."""
        for source, start in self._selected():
            end = start + source.notes
            packed = self.shelf.get(source.rendered)
            yield from read_rendered(packed, identities.guids[start:end], identities.mods[start:end])

    def cells(self, identities: Identities) -> Iterator[tuple[str, str, str]]:
        """Unpack GUID, key and `csv_rest` of the notes that were asked for, one source at a time."""
        for source, start in self._selected():
            for position, rest in enumerate(read_cells(self.shelf.get(source.cells)), start):
                yield identities.guids[position], self.keys[position], rest

    def count(self) -> tuple[int, int]:
        """Count the notes and cards that were asked for."""
        chosen = [source for source, _ in self._selected()]
        return sum(source.notes for source in chosen), sum(source.cards for source in chosen)

    def newest(self, identities: Identities) -> int:
        """Give the latest time of a note that was asked for (Unix seconds)."""
        return max(
            (
                mod
                for source, start in self._selected()
                for mod in identities.mods[start : start + source.notes]
            ),
            default=1,
        )

    def _selected(self) -> Iterator[tuple[CompiledSource, int]]:
        """Give the sources that were asked for, and how many notes come before each."""
        start = 0
        for source in self.sources:
            if self.collection.is_selected(source.source.path):
                yield source, start
            start += source.notes


def compile_collections(
    collections: Sequence[Collection], cache: Cache, shelf: Shelf, *, processes: int, progress: Progress
) -> tuple[tuple[CompiledCollection, ...], list[Diagnostic], list[Diagnostic]]:
    """Compile the sources of collections, rendering those that were asked for; gives what parsing says, and rendering.

    What was rendered is put on the `shelf`. `progress` is called with notes compiled and notes in all.
    """
    jobs = [list(_jobs(collection)) for collection in collections]
    rows = _Rows(cache, shelf, [job for some in jobs for job in some])
    found = iter(list(rows.compile(processes, progress)))
    compiled = []
    parsing: list[Diagnostic] = []
    rendering: list[Diagnostic] = []
    for collection, some in zip(collections, jobs, strict=True):
        one, said = _put_together(collection, [(job.source, next(found)) for job in some], shelf, rendering)
        others = {job.source.path for job in some if not job.render}
        parsing = [each for each in (*parsing, *said) if each.location.path not in others]
        compiled.append(one)
    rows.keep()
    return tuple(compiled), parsing, rendering


def _jobs(collection: Collection) -> Iterator[Job]:
    config = collection.config
    settings = Settings(
        collection.root, collection.configured, config.name, config.tags, len(collection.sources) == 1
    )
    for source in collection.sources:
        yield Job(source, settings, collection.is_selected(source.path), 0)


def _put_together(
    collection: Collection,
    found: Sequence[tuple[Source, "_Shelved"]],
    shelf: Shelf,
    rendering: list[Diagnostic],
) -> tuple[CompiledCollection, list[Diagnostic]]:
    sources: list[CompiledSource] = []
    gists: list[Gist] = []
    decks: list[DeckText] = []
    uses: list[MediaUse] = []
    said: list[Diagnostic] = []
    for source, shelved in found:
        said += shelved.problems
        outline = shelved.outline
        if outline is None:
            continue
        gists += outline.gists
        decks += outline.decks
        uses += outline.uses
        said += outline.parsing
        rendering += outline.rendering
        count = len(outline.gists)
        sources.append(
            CompiledSource(
                source,
                shelved.digest,
                shelved.rendered,
                shelved.cells,
                count,
                outline.cards,
                outline.media,
            )
        )
    said += [*check_decks(decks), *check_twins(gists), *check_media_names(uses)]
    described = describe(collection.config if collection.configured else None, decks)
    keys = tuple(find_keys(gists))
    one = CompiledCollection(collection, tuple(sources), tuple(gists), keys, described, shelf)
    return one, said


@dataclass(frozen=True, slots=True)
class _Shelved:
    """A source compiled, its texts put aside; the outline is None if it could not be read."""

    digest: str
    problems: tuple[Diagnostic, ...]
    outline: Outline | None = None
    rendered: Place = b""
    cells: Place = b""


class _Rows:
    """The rows of all jobs: remembered ones where there are, the others made."""

    def __init__(self, cache: Cache, shelf: Shelf, jobs: Sequence[Job]) -> None:
        self._cache = cache
        self._shelf = shelf
        self._compiler = Compiler()
        self._new: list[tuple[str, str, Row]] = []
        self._jobs: list[Job] = []
        self._known: list[_Shelved | None] = []
        for job in jobs:
            read = read_source(job.source)
            notes = guess_notes(read.source.text) if read.source else 0
            self._known.append(None)
            slot = self._cache.slot(job)
            row = self._cache.get(slot, read.digest) if read.source else None
            if row is not None:
                outline = read_outline(row)
                if is_current(outline.media, job.source, self._compiler.media(job.settings.root)):
                    self._known[-1] = self._shelve(read.digest, read.problems, row, outline)
            last = self._cache.last(slot) if self._known[-1] is None else None
            before = last.rendered if last else b""
            self._jobs.append(Job(job.source, job.settings, job.render, notes, before))

    def compile(self, processes: int, progress: Progress) -> Iterator[_Shelved]:
        """Give all rows in turn."""
        missing = [job for job, known in zip(self._jobs, self._known, strict=True) if known is None]
        total = sum(job.notes for job in missing)
        done = 0

        def count(notes: int) -> None:
            nonlocal done
            done += notes
            progress(done, total)

        # Closed at once, for behind it are processes.
        with closing(compile_all(missing, self._compiler, processes=processes, progress=count)) as fresh:
            for job, known in zip(self._jobs, self._known, strict=True):
                yield known or self._outlined(job, next(fresh))

    def keep(self) -> None:
        """Keep what was made for other builds."""
        self._cache.put(self._new)
        self._new = []

    def _outlined(self, job: Job, compiled: Compiled) -> _Shelved:
        if compiled.row is None:
            return _Shelved(compiled.digest, compiled.problems)
        outline = read_outline(compiled.row)
        said = (*outline.parsing, *outline.rendering)
        if not has_errors(said) and not any(each.rule in FLEETING for each in said):
            self._new.append((self._cache.slot(job), compiled.digest, compiled.row))
        if len(self._new) >= _AT_ONCE:
            self.keep()
        return self._shelve(compiled.digest, compiled.problems, compiled.row, outline)

    def _shelve(self, digest: str, problems: tuple[Diagnostic, ...], row: Row, outline: Outline) -> _Shelved:
        rendered, cells = self._shelf.put(row.rendered), self._shelf.put(row.cells)
        return _Shelved(digest, problems, outline, rendered, cells)
