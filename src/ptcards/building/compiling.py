"""Sources to rows: in this process, or in several where that pays."""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ptcards.building.rows import Found, Row, make_row
from ptcards.collection import Collection, Source, read_source
from ptcards.config import Config
from ptcards.diagnostics import Diagnostic, Location
from ptcards.notes import Media
from ptcards.parsing.findings import Reference
from ptcards.parsing.media import MediaFolder
from ptcards.parsing.parser import parse_source

if TYPE_CHECKING:
    from concurrent.futures import Future

POOL_NOTES = 1000
"""Notes to render from which on starting processes pays: that costs 0.3 s (measured)."""
TASK_NOTES = 250
_WAITING = 3
"""Tasks for each process that are handed out ahead."""
_MOST_PROCESSES = 16


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
    """A source to compile; `notes` is about how many it has."""

    source: Source
    settings: Settings
    render: bool
    notes: int


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
        row = make_row(parsed, media.found.items(), render=job.render)
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


def count_notes(text: str) -> int:
    """Guess how many notes a source has, without parsing it."""
    return text.count("\n## ") + text.startswith("## ")


def is_current(found: Iterable[Found], source: Source, media: MediaFolder) -> bool:
    """Say whether a source's addresses still lead to the same files."""
    nowhere = Location(source.path, 1)
    return all(media.find(source.file, Reference(address, nowhere, 1))[0] == was for address, was in found)


def compile_all(
    jobs: Sequence[Job], compiler: Compiler, *, processes: int, progress: Callable[[int], None]
) -> Generator[Compiled]:
    """Compile sources, in their order; `progress` is called with the number of notes that came by.

    With fewer than `POOL_NOTES` notes, or one process, everything happens in this one. The rows are the same.
    """
    done = 0
    tasks = list(_tasks(jobs))
    processes = min(processes, len(tasks), _MOST_PROCESSES)
    several = processes > 1 and sum(job.notes for job in jobs if job.render) > POOL_NOTES
    for task, results in _in_processes(tasks, processes) if several else ():
        yield from results
        done += len(task)
        progress(sum(job.notes for job in task))
    for job in jobs[done:]:
        yield compiler.compile(job)
        progress(job.notes)


def usable_processors() -> int:
    """Count the processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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


def _tasks(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """Cut the work into pieces that are worth sending."""
    task: list[Job] = []
    notes = 0
    for job in jobs:
        task.append(job)
        notes += job.notes
        if notes >= TASK_NOTES:
            yield task
            task, notes = [], 0
    if task:
        yield task


def _in_processes(tasks: Sequence[list[Job]], processes: int) -> Iterator[tuple[list[Job], list[Compiled]]]:
    """Give tasks with their results, in order; ends early where processes cannot be had or are killed."""
    import multiprocessing  # noqa: PLC0415 - 50 ms with what it brings, and small builds do without
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    try:
        pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), begin_process)
    except (OSError, ImportError, NotImplementedError):  # no semaphores: some containers, some systems
        return
    running: deque[tuple[list[Job], Future[list[Compiled]]]] = deque()
    try:
        for number, task in enumerate(tasks):
            running.append((task, pool.submit(_compile, task)))
            if number >= processes * _WAITING:
                oldest, future = running.popleft()
                yield oldest, future.result()
        while running:
            oldest, future = running.popleft()
            yield oldest, future.result()
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def begin_process() -> None:
    """Leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def _compiler() -> Compiler:
    """Make the one compiler of a process of the pool."""
    return Compiler()


def _compile(task: Sequence[Job]) -> list[Compiled]:
    return [_compiler().compile(job) for job in task]
