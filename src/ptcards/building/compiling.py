"""Sources to rows: in this process, or in several where that pays."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ptcards.building.rows import Found, Row, make_row
from ptcards.collection import Collection, Source, read_source
from ptcards.config import Config
from ptcards.diagnostics import Diagnostic, Location
from ptcards.notes import Media
from ptcards.parsing.findings import Reference
from ptcards.parsing.media import MediaFolder
from ptcards.parsing.parser import parse_source
from ptcards.processes import in_processes, pieces


@dataclass(frozen=True, slots=True)
class Settings:
    """All of a collection that rows rest on, but for its media; `single` says that it has one source only."""

    root: Path
    configured: bool
    name: str
    tags: tuple[str, ...]
    single: bool


@dataclass(frozen=True, slots=True)
class Job:
    """A source to compile; `notes` is about how many it has, `before` what was rendered of it last time."""

    source: Source
    settings: Settings
    render: bool
    notes: int
    before: bytes = b""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A source read and compiled: `digest` is that of the content, the row None if it could not be read."""

    digest: str
    row: Row | None
    problems: tuple[Diagnostic, ...]


class Compiler:
    """Compiles sources one after the other; reads each media file once."""

    def __init__(self) -> None:
        self._media: dict[Path, MediaFolder] = {}

    def compile(self, job: Job) -> Compiled:
        """Read, parse and render a source."""
        read = read_source(job.source)
        if read.source is None:
            return Compiled(read.digest, None, read.problems)
        media = _Recorder(self.media(job.settings.root))
        parsed = parse_source(_collection(job.settings), read.source, media)
        row = make_row(parsed, media.found.items(), render=job.render, before=job.before)
        return Compiled(read.digest, row, read.problems)

    def media(self, root: Path) -> MediaFolder:
        """Give the media below a root, as far as they were read already."""
        return self._media.setdefault(root, MediaFolder(root))


class _Recorder(MediaFolder):
    """Passes searches on, and keeps what was found."""

    def __init__(self, folder: MediaFolder) -> None:
        self._folder = folder
        self.found: dict[str, Media | None] = {}

    def find(self, source: Path, reference: Reference) -> tuple[Media | None, list[Diagnostic]]:
        found = self._folder.find(source, reference)
        self.found[reference.address] = found[0]
        return found


def is_current(found: Iterable[Found], source: Source, media: MediaFolder) -> bool:
    """Say whether a source's addresses still lead to the same files."""
    nowhere = Location(source.path, 1)
    return all(media.find(source.file, Reference(address, nowhere, 1))[0] == was for address, was in found)


def compile_all(
    jobs: Sequence[Job], compiler: Compiler, *, processes: int, progress: Callable[[int], None]
) -> Generator[Compiled]:
    """Compile sources, in their order; `progress` is called with the number of notes that came by.

    Without other processes everything happens in this one; the rows are the same.
    """
    done = 0
    tasks = list(pieces(jobs, lambda job: job.notes))
    notes = sum(job.notes for job in jobs if job.render)
    with closing(in_processes(_compile, tasks, processes=processes, notes=notes)) as compiled:
        for task, results in compiled:
            yield from results
            done += len(task)
            progress(sum(job.notes for job in task))
    for job in jobs[done:]:
        yield compiler.compile(job)
        progress(job.notes)


def _collection(settings: Settings) -> Collection:
    """Make a collection of what a row may rest on: its sources are only counted."""
    some = Source(settings.root, "", "")
    return Collection(
        root=settings.root,
        config=Config(name=settings.name, tags=settings.tags),
        configured=settings.configured,
        sources=(some,) if settings.single else (some, some),
        selected=None,
        selection=(),
    )


@cache
def _compiler() -> Compiler:
    """Make the one compiler of a process of the pool."""
    return Compiler()


def _compile(task: Sequence[Job]) -> list[Compiled]:
    return [_compiler().compile(job) for job in task]
