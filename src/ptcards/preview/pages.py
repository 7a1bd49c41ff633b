"""The responses of the preview and their routes: pages, assets, pictures and state."""

import asyncio
import html
import json
import mimetypes
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from importlib import resources
from types import MappingProxyType

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

from ptcards.files.inputs import MAX_MEDIA_BYTES, MAX_SOURCE_BYTES, InputError, read_input
from ptcards.notes.labels import interface
from ptcards.preview.actions import Actions, Editor
from ptcards.preview.guard import Guard
from ptcards.preview.process import Aside
from ptcards.preview.session import Session

_WORD = re.compile(r"\{\{(\w+)\}\}")
"""A word of the interface; `notes/labels/interface.json` contains all of them."""
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
# Cards may contain a stranger's text. They have an origin of their own (`sandbox`), run only the frame's
# script, and cannot fetch anything; the page passes them their pictures as blobs. Authors may write `style=`,
# as in Anki.
_CARD_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src blob: data:; "
    "media-src blob: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)


def make_app(session: Session, aside: Aside, port: int, key: str, editor: Editor | None) -> ASGIApp:
    """Return the application: its routes, protected by the guard."""
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
        """Return the lines of the file that contains a note."""
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
            # The file is read with the same checks as before, because a link may have replaced it since.
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
