"""The HTTP server of the preview, which only browsers on this computer can reach, and its watch on files."""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Sequence
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from watchfiles import Change, awatch

from ptcards.diagnostics import WrongUseError
from ptcards.extensions.preview.pages import LocationOpener, make_app
from ptcards.extensions.preview.session import Aside, Session
from ptcards.files.inputs import find_root

_STEP = 10
_LONGEST = 60
"""Milliseconds; changes are reported after one step without further changes, or after the longest time."""
_BESIDE = ("~", ".swp", ".swx", ".tmp", ".lock")


async def watch(paths: Sequence[Path], changed: Callable[[Sequence[Path] | None], Awaitable[None]]) -> None:
    """Call `changed` with `None` at first, then with the files that changed, or `None` if any may have.

    Changes during a call are collected for the next call.
    """
    folders = sorted({_folder(path) for path in paths})
    while True:
        async with contextlib.aclosing(_changes(folders)) as changes:
            async for files in changes:
                await changed(files)
                if not _are_there(folders):
                    break
        while not _are_there(folders):  # noqa: ASYNC110 - a missing folder cannot be watched
            await asyncio.sleep(0.5)


async def _changes(folders: Sequence[Path]) -> AsyncGenerator[Sequence[Path] | None]:
    """Yield `None` when watching has begun, and then the changed files."""

    def is_of_interest(_change: Change, path: str) -> bool:
        folder = next(each for each in folders if Path(path).is_relative_to(each))
        return not _is_beside(Path(path).relative_to(folder))

    def files(found: Iterable[tuple[Change, str]]) -> Sequence[Path] | None:
        is_plain = all(change is not Change.deleted and path.endswith(".md") for change, path in found)
        return [Path(path) for _, path in found] if is_plain else None

    watching = awatch(*folders, watch_filter=is_of_interest, debounce=_LONGEST, step=_STEP, recursive=True)
    # Watching begins with the first await. Files that are saved while the sources are first read must not be
    # missed.
    first = asyncio.ensure_future(anext(watching))
    try:
        await asyncio.sleep(0)
        yield None
        yield files(await first)
        async for found in watching:
            yield files(found)
    finally:
        first.cancel()
        await asyncio.wait([first])
        await watching.aclose()


def _are_there(folders: Sequence[Path]) -> bool:
    return all(folder.is_dir() for folder in folders)


def _folder(path: Path) -> Path:
    root = find_root(Path(os.path.abspath(path)))  # noqa: PTH100 - keep links as the author wrote them
    return root if root.is_dir() else root.parent


def _is_beside(path: Path) -> bool:
    """Whether a path is among the files that editors, git and builds write next to the sources."""
    hidden = any(part.startswith(".") for part in path.parts)
    return hidden or path.parts[:1] == ("build",) or path.name.endswith(_BESIDE) or path.name == "4913"


HOST = "127.0.0.1"
_TRIES = 50
_PATIENCE = 15.0
"""Seconds after which an idle connection is closed."""


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this port or, if it is taken, on one of the next ports.

    Raises WrongUseError if none is free.
    """
    for number in range(port, min(port + _TRIES, 65536)):
        listening = socket.socket(socket.AF_INET)
        # Otherwise a preview that has just ended blocks its port for a minute. On Windows, the option would
        # let two programs listen on the same port.
        if hasattr(signal, "SIGHUP"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, number))
            listening.listen()
        except OSError:
            listening.close()
            continue
        return listening
    raise WrongUseError(f"no free port from {port} on")


async def serve(
    paths: Sequence[Path],
    listening: socket.socket,
    *,
    key: str,
    editor: LocationOpener | None,
    ready: Callable[[], None],
    saved: Callable[[], Awaitable[None]] | None = None,
    dialect: str = "",
    embed: str = "",
) -> None:
    """Serve until cancelled; `ready` is called when the page can be opened.

    Writing files and running code requires the `key`. Locations open in the `editor`; without one, the page
    uses links to VS Code. `embed` is the editor that may show the page in a pane (see `EMBEDDERS`).

    `saved` is called at the start, and again whenever the page has received saved changes. If files are saved
    during a call, there is one more call.
    """
    session = Session(paths, dialect)
    app = make_app(session, Aside(paths), listening.getsockname()[1], key=key, editor=editor, embed=embed)
    for name in ("asyncio", "uvicorn.error"):
        logging.getLogger(name).addFilter(Reports())
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        http=_Connection,
        h11_max_incomplete_event_size=16_384,
        timeout_graceful_shutdown=0,
    )
    server = _Server(config, ready)
    news = asyncio.Event()

    async def changed(files: Sequence[Path] | None) -> None:
        await session.changed(files)
        news.set()

    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(watch(paths, changed))
            if saved is not None:
                tasks.create_task(_follow(news, saved))
            tasks.create_task(server.serve([listening]))
    finally:
        # Open pages are cut off, which uvicorn would report as an error.
        logging.getLogger("uvicorn.error").disabled = True
        await server.cut_off([listening])
        await session.end()


async def _follow(news: asyncio.Event, saved: Callable[[], Awaitable[None]]) -> None:
    while True:
        await news.wait()
        news.clear()
        await saved()


_MOST_CONNECTIONS = 64
"""How many connections a server keeps; a browser opens about six."""


class _Connection(H11Protocol):
    """A connection that is closed if no complete request arrives for a while."""

    # uvicorn's signature.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_again()
        if len(self.connections) > _MOST_CONNECTIONS:  # one device must not take all files of this process
            transport.abort()

    def _look_again(self) -> None:
        self._looking = self.loop.call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        """Close the connection unless a request is in progress; an incomplete one may never be completed."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        self._looking.cancel()
        super().connection_lost(exc)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether an error in the log is ours, and not caused by a client that does not speak HTTP."""
    message = record.getMessage()
    kind = record.exc_info[0] if record.exc_info else None
    # A second after there was no free file, asyncio listens again, even if the server has ended.
    if message.startswith("Cancel ") or (kind is ValueError and "._start_serving(" in message):
        return False
    # Killing a worker that has just ended takes its status away from asyncio, which then reports 255.
    if message.endswith("will report returncode 255"):
        return False
    return kind is None or not kind.__module__.startswith("h11")


_NO_FILES = (errno.EMFILE, errno.ENFILE)
_QUIET_SECONDS = 60.0


class Reports(logging.Filter):
    """Passes on errors of the server, and repeats one only after a minute without it or after another one.

    Without a free file, asyncio reports thousands of failures a second.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last = ""
        self._again = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to print a record; one about files is shortened to what the user can do."""
        if not _is_ours(record):
            return False
        failure = record.exc_info[1] if record.exc_info else None
        if isinstance(failure, OSError) and failure.errno in _NO_FILES:
            record.msg = "too many open files: close pages of the preview, or raise the limit with ulimit -n"
            record.args, record.exc_info = (), None
        last, self._last = self._last, f"{record.getMessage()} {failure!r}"
        again, self._again = self._again, time.monotonic() + _QUIET_SECONDS
        return last != self._last or time.monotonic() > again


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and leaves Ctrl-C to the caller.

    Uvicorn itself would wait for pages that keep listening.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def cut_off(self, sockets: list[socket.socket]) -> None:
        """Stop accepting requests, and cancel those in progress.

        Otherwise, a request to a worker would start another one when that worker ends.
        """
        await self.shutdown(sockets)
        if cancelled := set(self.server_state.tasks):
            await asyncio.wait(cancelled)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield
