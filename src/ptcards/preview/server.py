"""The HTTP server of the preview, which only browsers on this computer can reach."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Generator, Sequence
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ptcards.preview.actions import Editor
from ptcards.preview.pages import make_app
from ptcards.preview.process import Aside
from ptcards.preview.session import Session
from ptcards.preview.watching import watch

HOST = "127.0.0.1"
_TRIES = 50
_PATIENCE = 15.0
"""Seconds after which an idle connection is closed."""


class PortError(Exception):
    """No port is free."""


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this port or, if it is taken, on one of the next ports.

    Raises PortError if none is free.
    """
    for number in range(port, min(port + _TRIES, 65536)):
        listening = socket.socket()
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
    message = f"no free port from {port} on"
    raise PortError(message)


async def serve(
    paths: Sequence[Path],
    listening: socket.socket,
    *,
    key: str,
    editor: Editor | None,
    ready: Callable[[], None],
    saved: Callable[[], Awaitable[None]] | None = None,
    dialect: str = "",
) -> None:
    """Serve until cancelled; `ready` is called when the page can be opened.

    Writing files and running code requires the `key`. Locations open in the `editor`; without one, the page
    uses links to VS Code.

    `saved` is called at the start, and again whenever the page has received saved changes. If files are saved
    during a call, there is one more call.
    """
    session = Session(paths, dialect)
    config = uvicorn.Config(
        make_app(session, Aside(paths), listening.getsockname()[1], key, editor),
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
    logging.getLogger("uvicorn.error").addFilter(_is_ours)
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


class _Connection(H11Protocol):
    """A connection that is closed if no complete request arrives for a while."""

    # uvicorn's signature.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look_again()

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
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not kind.__module__.startswith("h11")


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
