"""Runs large amounts of work in several processes."""

import atexit
import gc
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

POOL_NOTES = 1000
"""Starting processes takes 0.3 s without a fork, so it is only worth it above this number of notes."""
TASK_NOTES = 100
"""The fewest notes in a task, unless it is the last. With 250, a build of 10,000 takes 2% longer, because the
processes wait for the one with the last task."""
_WAITING = 3
"""How many tasks are sent to each process in advance."""
_MOST_PROCESSES = 16
_SAFE_PATH = "PYTHONSAFEPATH"
_PATIENCE = 0.1
"""Seconds between two calls of `waiting`."""

Item = TypeVar("Item")
Task = TypeVar("Task")
Result = TypeVar("Result")


def usable_processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def collect_seldom() -> None:
    """Collect garbage less often, because nearly everything stays in use (saves a tenth of the time).

    At the end of the process, collect none at all: its memory is freed anyway.
    """
    gc.set_threshold(50_000, 20, 100)
    atexit.register(gc.freeze)


def pieces(items: Iterable[Item], notes: Callable[[Item], int]) -> Iterator[list[Item]]:
    """Yield the items in tasks that are large enough to send; `notes` estimates an item's number of notes."""
    task: list[Item] = []
    waiting = 0
    for item in items:
        task.append(item)
        waiting += notes(item)
        if waiting >= TASK_NOTES:
            yield task
            task, waiting = [], 0
    if task:
        yield task


def in_processes(
    work: Callable[[Task], Result],
    tasks: Iterable[Task],
    *,
    processes: int,
    notes: int,
    waiting: Callable[[], None] = lambda: None,
) -> Generator[tuple[Task, Result]]:
    """Yield tasks with their results, in order; end early if processes are unavailable or killed.

    Close the generator if you stop early: otherwise, Ctrl-C is lost while it waits for its processes.

    It yields nothing if processes are not worthwhile: for one process or task, or up to `POOL_NOTES` notes.
    Tasks and results are pickled; Python 3.11 hangs on a task that cannot be pickled. `waiting` is called
    repeatedly while waiting for a result.
    """
    processes = min(processes, _MOST_PROCESSES)
    if processes < 2 or notes <= POOL_NOTES:
        return
    rest = iter(tasks)
    begin = tuple(islice(rest, 2))
    if len(begin) < 2:
        return
    import multiprocessing  # noqa: PLC0415 - 50 ms with its imports, and small builds do not need it
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    # A fork needs no imports (0.5 s less CPU time each), but loses threads.
    method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    try:
        with safe_path():
            pool = ProcessPoolExecutor(processes, multiprocessing.get_context(method), begin_process)
    except (OSError, ImportError, NotImplementedError):  # some containers and systems have no semaphores
        return
    running: deque[tuple[Task, Future[Result]]] = deque()
    try:
        for number, task in enumerate(chain(begin, rest)):
            with _ctrl_c_held_back(), safe_path():
                running.append((task, pool.submit(work, task)))
            if number >= processes * _WAITING:
                yield _oldest(running, waiting)
        while running:
            yield _oldest(running, waiting)
    except BrokenProcessPool:
        return
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def safe_path() -> Iterator[None]:
    """Keep Pythons that start in the block from importing anything from the current folder.

    The folder may be a clone, and multiprocessing starts them as `python -c`, which searches it first.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_SAFE_PATH, None)
        else:
            os.environ[_SAFE_PATH] = before


def _oldest(
    running: "deque[tuple[Task, Future[Result]]]", waiting: Callable[[], None]
) -> tuple[Task, Result]:
    """Remove the oldest task and return it with its result, calling `waiting` until that arrives."""
    from concurrent.futures import wait  # noqa: PLC0415 - see above

    task, future = running.popleft()
    while not wait([future], timeout=_PATIENCE).done:
        waiting()
    return task, future.result()


@contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Delay Ctrl-C until after the block.

    A process that is started in the block ignores Ctrl-C instead of printing a traceback.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Make SIGTERM end the block like Ctrl-C, so that nothing temporary is left."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def begin_process() -> None:
    """Leave Ctrl-C to the parent process, and end when it ends, however that happens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    collect_seldom()


def _end_with_parent() -> None:
    from multiprocessing import connection, parent_process  # noqa: PLC0415 - see above

    parent = parent_process()
    assert parent is not None  # noqa: S101 - only processes of a pool begin like this
    connection.wait([parent.sentinel])
    os._exit(1)
