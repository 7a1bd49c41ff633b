"""The starting point of every command: the collections of its SOURCEs, and the contents of their sources."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ptcards.cache import Cache
from ptcards.cache.facts import Facts, listing
from ptcards.diagnostics import Diagnostic
from ptcards.files import cache_file
from ptcards.files.git import ignore_files
from ptcards.files.inputs import file_digest
from ptcards.files.toml import read_toml
from ptcards.source.collection import Collection, find_collections
from ptcards.source.config import names_html
from ptcards.source.media import LIST, note_type_files
from ptcards.source.recipes import Recipe
from ptcards.workspace.contents import Contents
from ptcards.workspace.entries import NOTES, Progress, Read, read_all, source_task

__all__ = ["Contents", "Read", "ReadOptions", "Workspace"]


def _unkept() -> Cache:
    return Cache(None)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read sources; a `with` block closes the cache at its end.

    Results are kept in `cache`, by default only for this process. Up to `processes` processes run at the same
    time. A `dialect` given here applies to all files. `progress` is called repeatedly; an exception that it
    raises ends the reading.
    """

    cache: Cache = field(default_factory=_unkept)
    processes: int = 1
    dialect: str = ""
    progress: Progress = lambda *_: None

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


class Workspace:
    """The collections of the given SOURCEs, with their contents."""

    def __init__(
        self,
        paths: Sequence[Path],
        contents: tuple[Contents, ...],
        problems: Sequence[Diagnostic],
        options: ReadOptions,
    ) -> None:
        self.contents = contents
        self._options = options
        self._paths = paths
        self._problems = problems

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Diagnostics from finding, reading and parsing the requested sources."""
        return [*self._problems, *(found for each in self.contents for found in each.diagnostics)]

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
        tasks = [
            source_task(collection, source, (NOTES, *recipes(collection)) if asked_for else (NOTES,))
            for collection in collections
            for source in collection.sources
            for asked_for in (collection.is_selected(source.path),)
        ]
        found = read_all(options.cache, tasks, processes=options.processes, progress=options.progress)
        contents = tuple(
            Contents(each, [next(found) for _ in each.sources], options.cache) for each in collections
        )
        return cls(paths, contents, problems, options)

    def remember(self, question: Sequence[object], facts: Facts, answer: object) -> None:
        """Keep the answer to a question for as long as these facts hold."""
        self._options.cache.remember(question, facts, answer)

    def facts(self, *outputs: Path) -> Facts | None:
        """Return everything that these collections and `outputs` depend on, or None if that is uncertain."""
        files: dict[str, str] = {}
        media = [
            shown
            for each in self.contents
            for source in each.sources
            for shown in source.head.shown_files(source.source.file.parent)
        ]
        collections = tuple(each.collection for each in self.contents)
        if not all(each.configured for each in collections) or None in media:
            return None
        if any(each.history().is_ignored for each in self.contents):
            return None  # git may stop tracking the lock although no file changes
        try:
            for each in self.contents:
                files |= {str(source.source.file): source.known.digest for source in each.sources}
            others = [file for each in collections for file in (*_settings(each.root), *each.plugins)]
            others += [file for each in collections for file in ignore_files(each.root)]
            for here in collections:
                others += note_type_files(here.root, here.config.note_types)
            files |= {str(file.absolute()): file_digest(file) for file in (*others, *outputs)}
            roots = [str(each.root) for each in collections]
            listings = {root: listing(root) for root in roots}
        except OSError:
            return None
        if any(str(source.file) not in files for each in collections for source in each.sources):
            return None
        # Compare what was found earlier with the current state: a change in between must not go unnoticed.
        if find_collections(self._paths, read=False, dialect=self._options.dialect)[0] != collections:
            return None
        repositories = {str(each.collection.root): each.refs for each in self.contents}
        folders = {*roots, *(str(output.absolute().parent) for output in outputs)}
        return Facts(
            files, listings, [each for each in dict.fromkeys(media) if each], sorted(folders), repositories
        )


def _settings(root: Path) -> Iterator[Path]:
    """Yield the other files that a collection depends on: settings, lock, fetched files, CSS and HTML."""
    yield root / "deck.toml"
    yield root / "deck.lock"
    yield root / LIST
    _, document, _ = read_toml(root / "deck.toml", "")
    if document and document.get("css"):
        yield root / document["css"]
    if document and names_html(document.get("description")):
        yield root / document["description"]
