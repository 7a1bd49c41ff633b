"""The preview over HTTP, for browsers on this computer only."""

import asyncio
import contextlib
import html
import json
import logging
import mimetypes
import re
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from types import MappingProxyType

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ptcards.files.inputs import MAX_MEDIA_BYTES, MAX_SOURCE_BYTES, InputError, read_input
from ptcards.notes.labels import interface
from ptcards.preview.actions import Actions, Editor
from ptcards.preview.asking import Aside
from ptcards.preview.guard import Guard
from ptcards.preview.session import Session
from ptcards.preview.watching import watch

HOST = "127.0.0.1"
_TRIES = 50
_PATIENCE = 15.0
"""Seconds after which an idle connection is closed."""
_WORD = re.compile(r"\{\{(\w+)\}\}")
"""A word of the interface; all of them are in `notes/labels/interface.json`."""
_MEDIA_TYPES = ("image/", "audio/", "video/")

_ASSETS: Mapping[str, str] = MappingProxyType(
    {
        "app.css": "text/css",
        "app.js": "text/javascript",
        "findings.js": "text/javascript",
        "formula.js": "text/javascript",
        "health.js": "text/javascript",
        "list.js": "text/javascript",
        "source.js": "text/javascript",
        "stage.js": "text/javascript",
        "words.js": "text/javascript",
    }
)
_PAGE_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
    "frame-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Cards may be strangers' text. They get an origin of their own (sandbox), only run the frame's script, and
# cannot fetch anything: the page passes their pictures as blobs. Authors may write `style=`, as in Anki.
_CARD_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src blob: data:; "
    "media-src blob: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)


class PortError(Exception):
    """No port is available."""


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this port of the computer or, if it is taken, on one of the next.

    Raises PortError if none is free.
    """
    for number in range(port, min(port + _TRIES, 65536)):
        listening = socket.socket()
        # Otherwise a preview that just ended blocks its port for a minute. On other systems, the option would
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

    Writing files and running code requires the `key`. Locations are opened in the `editor`, or without one by
    a VS Code link.

    `saved` is called at the start, and after the page has received what was saved; files saved in the
    meantime cause one more call.
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

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._look_again()

    def _look_again(self) -> None:
        self._looking = self.loop.call_later(_PATIENCE, self._look)

    def _look(self) -> None:
        """Close a connection without a request in progress: half a request may be all that ever arrives."""
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()
        else:
            self._look_again()

    def connection_lost(self, exc: Exception | None) -> None:
        self._looking.cancel()
        super().connection_lost(exc)


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a logged error is ours, rather than caused by a client that does not speak HTTP."""
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
        """Accept no more requests and cancel the open ones.

        A request to a worker would otherwise start another one when that worker ends.
        """
        await self.shutdown(sockets)
        if cancelled := set(self.server_state.tasks):
            await asyncio.wait(cancelled)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def make_app(session: Session, aside: Aside, port: int, key: str, editor: Editor | None) -> ASGIApp:
    """Return the application: its routes behind the guard."""
    pages = _Pages(session, editor)
    actions = Actions(session, aside, editor)
    app = Starlette(
        routes=[
            Route(path, endpoint, methods=["GET"])
            for path, endpoint in (
                ("/", pages.index),
                ("/card", pages.card),
                ("/assets/{name}", pages.asset),
                ("/state", pages.state),
                ("/sides/{card}", pages.sides),
                ("/media/{name}", pages.media),
                ("/explain/{rule}", pages.explain),
                ("/source/{card}", pages.source),
                ("/events", pages.events),
            )
        ]
        + [
            Route(path, endpoint, methods=["POST"])
            for path, endpoint in (
                ("/do/open", actions.open),
                ("/do/fix", actions.fix),
                ("/do/ignore", actions.ignore),
                ("/do/run", actions.run),
                ("/do/changed", actions.changed),
                ("/do/verified", actions.verified),
            )
        ]
    )
    app.router.redirect_slashes = False
    return Guard(app, port=port, key=key)


class _Pages:
    """The responses to `GET` requests."""

    def __init__(self, session: Session, editor: Editor | None) -> None:
        self._session = session
        self._editor = editor.name if editor else ""
        self._folder = resources.files("ptcards.preview") / "page"

    async def index(self, _request: Request) -> Response:
        return self._html("index.html", _PAGE_POLICY)

    async def card(self, _request: Request) -> Response:
        return self._html("card.html", _CARD_POLICY)

    def _html(self, name: str, policy: str) -> HTMLResponse:
        nonce = secrets.token_urlsafe(16)
        text = (self._folder / name).read_text("utf-8").replace("{nonce}", nonce)
        # A frame with an origin of its own could not load its script from here.
        text = text.replace("{script}", (self._folder / "card.js").read_text("utf-8"))
        words = interface("preview")
        text = _WORD.sub(lambda found: html.escape(words[found[1]]), text)
        text = text.replace("{words}", json.dumps(dict(words), ensure_ascii=False))
        return HTMLResponse(text, headers={"Content-Security-Policy": policy.replace("{nonce}", nonce)})

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _ASSETS:
            return PlainTextResponse("not found\n", 404)
        return Response((self._folder / name).read_text("utf-8"), media_type=_ASSETS[name])

    async def state(self, _request: Request) -> Response:
        return JSONResponse(self._session.state | {"editor": self._editor})

    async def sides(self, request: Request) -> Response:
        return JSONResponse(await self._session.sides(request.path_params["card"]))

    async def source(self, request: Request) -> Response:
        """Return the lines of the file that holds a note."""
        found = self._session.source(request.path_params["card"])
        if found is None:
            return PlainTextResponse("not found\n", 404)
        try:
            content = await asyncio.to_thread(read_input, *found, MAX_SOURCE_BYTES)
        except InputError:
            return PlainTextResponse("not found\n", 404)
        return JSONResponse(content.decode("utf-8-sig", "replace").splitlines())

    async def explain(self, request: Request) -> Response:
        return JSONResponse(await self._session.ask(do="explain", rule=request.path_params["rule"]))

    async def media(self, request: Request) -> Response:
        found = self._session.media(request.path_params["name"])
        if found is None:
            return PlainTextResponse("not found\n", 404)
        file, root = found
        try:
            # Read by the same rule as before: a link may have replaced it since.
            content = await asyncio.to_thread(read_input, file, root, MAX_MEDIA_BYTES)
        except InputError:
            return PlainTextResponse("not found\n", 404)
        kind = mimetypes.guess_type(file.name)[0] or ""
        if not kind.startswith(_MEDIA_TYPES):
            kind = "application/octet-stream"
        # Opened on its own, an SVG file would be a page with scripts.
        headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
        return Response(content, media_type=kind, headers=headers)

    async def events(self, _request: Request) -> Response:
        return StreamingResponse(_events(self._session), media_type="text/event-stream")


async def _events(session: Session) -> AsyncIterator[str]:
    async for message in session.listen():
        yield f"data: {json.dumps(message)}\n\n" if message else ": still here\n\n"
