"""The responses of the preview and their routes: pages, assets, pictures, state, and actions of the page.

Any web page can make a browser send requests to a server on this computer and, through DNS rebinding, even
read the responses. Therefore every request is checked before routing. It is refused unless it can only come
from the preview's own page or from the address bar. Requests that write a file or start a program use `POST`
below `/do/` and need the key that the terminal printed. Neither the pages of other sites nor other users of
this computer have the key.
"""

import asyncio
import html
import json
import mimetypes
import re
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ptcards.extensions.preview.session import Aside, Session
from ptcards.files.inputs import MAX_MEDIA_BYTES, MAX_SOURCE_BYTES, InputError, read_input
from ptcards.notes.labels import interface
from ptcards.writers.card_frame import card_frame
from ptcards.writers.html import ICON

_NUMBER = re.compile("[0-9]{1,10}")
_NO_VALUES: Mapping[str, str] = {}


class LocationOpener(Protocol):
    """A program that can show a location in a file."""

    @property
    def name(self) -> str:
        """The name by which people know it."""

    def open(self, file: Path, line: int, column: int) -> None:
        """Show a location; raises OSError if the program cannot be started."""


def _number(request: Request, name: str) -> int:
    """Return a line or column of a request, by default 1.

    Raises HTTPException if it is not a number, or longer than those of the page.
    """
    text = request.query_params.get(name, "1")
    if not _NUMBER.fullmatch(text):
        raise HTTPException(400, f"not a {name}\n")
    return int(text)


def _said(name: str, *, is_done: bool, **values: str) -> Response:
    """Return a sentence of the interface: its name in `notes/labels/interface.json`, and its values."""
    return JSONResponse({"said": name, "values": values, "done": is_done})


HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    # Otherwise, browsers look up the hosts of links before anybody follows them.
    "X-DNS-Prefetch-Control": "off",
}
"""The headers of every response; no response has a CORS header."""

KEY_HEADER = "x-ptcards-key"
_ACTIONS = b"/do/"
_LONGEST_TARGET = 4096
EMBEDDERS: Mapping[str, str] = {
    "obsidian": "app://obsidian.md",
    "vscode": "vscode-webview://* vscode-file://vscode-app",
}
"""Each editor that may show the page in a pane, with the origins of the pages around it as sources of CSP."""


class Guard:
    """Refuses requests for another host or port, from another site, or without the key they need."""

    def __init__(self, app: ASGIApp, *, hosts: Sequence[str], key: str, is_embedded: bool) -> None:
        self._app = app
        self._key = key.encode()
        self._hosts = hosts
        self._is_embedded = is_embedded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, which is HTTP: the server has neither websockets nor events of its own.

        Every response has our headers.
        """

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        status, reason = self._refusal(scope)
        app = PlainTextResponse(f"{reason}\n", status) if status else self._app
        await app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if not hosts:
            return 400, "no Host"
        if len(hosts) > 1 or hosts[0] not in self._hosts:
            return 403, "not the host of this preview"
        is_action = scope["method"] == "POST" and scope["raw_path"].startswith(_ACTIONS)
        if scope["method"] != "GET" and not is_action:
            return 405, "only GET"
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return 400, "no body"
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return 403, "not from another origin"
        is_own = all(site in ("same-origin", "none") for site in headers.getlist("sec-fetch-site"))
        if not is_own and not self._may_frame(scope, headers):
            return 403, "not from another site"
        referer = headers.get("referer")
        if referer is not None and urlsplit(referer).netloc not in ("", hosts[0]):
            return 403, "not from another site"
        if scope["method"] == "POST" and not self._may_act(headers):
            return 403, "not without the key that the terminal shows"
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_TARGET:
            return 414, "too long"
        return 0, ""

    def _may_frame(self, scope: Scope, headers: Headers) -> bool:
        """Whether a page may load in a frame; its policy then says in whose frames the browser shows it."""
        return self._is_embedded and scope["path"] == "/" and headers.getlist("sec-fetch-dest") == ["iframe"]

    def _may_act(self, headers: Headers) -> bool:
        """Whether a request has the key, and names its origin, as every browser does."""
        keys = headers.getlist(KEY_HEADER)
        is_known = len(keys) == 1 and secrets.compare_digest(keys[0].encode(), self._key)
        return is_known and len(headers.getlist("origin")) == 1


_WORD = re.compile(r"\{\{(\w+)\}\}")
"""A word of the interface; `notes/labels/interface.json` contains all of them."""
_MEDIA_TYPES = ("image/", "audio/", "video/")

_ASSETS = ("app", "boxes", "findings", "formula", "health", "list", "source", "stage", "words")
"""The scripts of the page, without their suffix."""
_PAGE_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
    "frame-src 'self'; "
    "img-src data: 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {around}"
)


def make_app(
    session: Session, aside: Aside, port: int, *, key: str, editor: LocationOpener | None, embed: str
) -> ASGIApp:
    """Return the application: its routes, protected by the guard; `embed` is one of `EMBEDDERS`, or empty."""
    pages = PreviewPages(session, aside, editor, EMBEDDERS.get(embed, ""))
    shown = {
        "/": pages.index,
        "/card": pages.card,
        "/assets/{name}": pages.asset,
        "/state": pages.state,
        "/sides/{card}": pages.sides,
        "/media/{name}": pages.media,
        "/find": pages.find,
        "/closest/{card}": pages.closest,
        "/explain/{rule}": pages.explain,
        "/source/{card}": pages.source,
        "/events": pages.events,
    }
    done = (pages.open, pages.fix, pages.undo, pages.accept, pages.reject, pages.box)
    slow = (pages.run, pages.changed, pages.verified)
    routes = [Route(path, endpoint, methods=["GET"]) for path, endpoint in shown.items()]
    routes += [Route(f"/do/{each.__name__}", each, methods=["POST"]) for each in (*done, *slow)]
    app = Starlette(routes=routes)
    app.router.redirect_slashes = False
    hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
    return Guard(app, hosts=hosts, key=key, is_embedded=bool(embed))


class PreviewPages:
    """Answers requests that have passed the guard; actions can only name files that the page shows."""

    def __init__(self, session: Session, aside: Aside, editor: LocationOpener | None, around: str) -> None:
        self._session = session
        self._aside = aside
        self._editor = editor
        self._around = around
        self._folder = resources.files("ptcards.extensions.preview") / "page"

    async def index(self, _request: Request) -> Response:
        """Return the page."""
        nonce = secrets.token_urlsafe(16)
        text = self._file("index.html").replace("{nonce}", nonce).replace("{icon}", ICON)
        words = interface("preview")
        text = _WORD.sub(lambda found: html.escape(words[found[1]]), text)
        text = text.replace("{words}", json.dumps(dict(words), ensure_ascii=False))
        policy = _PAGE_POLICY.replace("{nonce}", nonce).replace("{around}", self._around or "'none'")
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    async def card(self, _request: Request) -> Response:
        """Return the frame that shows a side of a card, or all cards."""
        text, policy = card_frame(self._file("wall.js"), self._file("wall.css"), self._around)
        return HTMLResponse(text, headers={"Content-Security-Policy": policy})

    def _file(self, name: str) -> str:
        return (self._folder / name).read_text("utf-8")

    async def asset(self, request: Request) -> Response:
        """Return a script or style sheet of the page."""
        name = request.path_params["name"]
        if name not in ("app.css", *(f"{script}.js" for script in _ASSETS)):
            raise HTTPException(404, "not found\n")
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response(self._file(name), media_type=kind)

    async def state(self, _request: Request) -> Response:
        """Return everything that the page needs to start."""
        return JSONResponse(self._session.state | {"editor": self._editor.name if self._editor else ""})

    async def sides(self, request: Request) -> Response:
        """Return both sides of a note's cards; none if the note is not shown or cannot be rendered."""
        answer = await self._session.ask(do="sides", card=request.path_params["card"])
        return JSONResponse(answer.get("sides", []))

    async def source(self, request: Request) -> Response:
        """Return the lines of the file that contains a note."""
        content = await _content(self._session.source(request.path_params["card"]), MAX_SOURCE_BYTES)
        return JSONResponse(content.decode("utf-8-sig", "replace").splitlines())

    async def find(self, request: Request) -> Response:
        """Return the notes with the words of a search, best first."""
        return JSONResponse(self._session.find(request.query_params.get("q", "").split()))

    async def closest(self, request: Request) -> Response:
        """Return the other note that is the most like a note, and why."""
        return JSONResponse(await self._session.closest(request.path_params["card"]))

    async def explain(self, request: Request) -> Response:
        """Return the explanation of a rule."""
        return JSONResponse(await self._session.ask(do="explain", rule=request.path_params["rule"]))

    async def media(self, request: Request) -> Response:
        """Return a picture, sound or video that a card shows."""
        name = request.path_params["name"]
        content = await _content(self._session.media(name), MAX_MEDIA_BYTES)
        kind = mimetypes.guess_type(name)[0] or ""
        if not kind.startswith(_MEDIA_TYPES):
            kind = "application/octet-stream"
        # Opened on its own, an SVG file would be a page with scripts.
        headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
        return Response(content, media_type=kind, headers=headers)

    async def events(self, _request: Request) -> Response:
        """Return the stream of messages to the page."""
        return StreamingResponse(_events(self._session), media_type="text/event-stream")

    async def open(self, request: Request) -> Response:
        """Open a location in the editor."""
        file, line = self._place(request)
        column = _number(request, "column")
        if self._editor is None or file is None:
            return _said("nothing_to_open", is_done=False)
        try:
            self._editor.open(Path(file), line, column)
        except OSError as failure:
            return _said("not_opened", is_done=False, reason=failure.strerror or "")
        return _said("opened", is_done=True, editor=self._editor.name)

    async def fix(self, request: Request) -> Response:
        """Fix a rule's findings in a file, as `check --fix` does."""
        file, _ = self._place(request)
        rule = request.query_params.get("rule", "")
        if file is None:
            return _said("not_fixed", is_done=False, rule=rule)
        return await self._tried("fixed", {"rule": rule}, do="fix", file=file, rule=rule)

    async def undo(self, request: Request) -> Response:
        """Undo the last fix, if its file has not changed since."""
        return await self._tried("undone", do="undo", file=request.query_params.get("file", ""))

    async def accept(self, request: Request) -> Response:
        """Make a draft on the page a note."""
        return await self._decide(request, "accept", "accepted")

    async def reject(self, request: Request) -> Response:
        """Remove a draft on the page from its file."""
        return await self._decide(request, "reject", "rejected")

    async def _decide(self, request: Request, do: str, done: str) -> Response:
        card = self._session.card(request.query_params.get("card", ""))
        if card is None or not card["draft"]:
            return _said(f"not_{done}", is_done=False)
        place = {name: card[name] for name in ("file", "line", "question")}
        return await self._tried(done, do=do, **place)

    async def _tried(self, done: str, values: Mapping[str, str] = _NO_VALUES, /, **asked: object) -> Response:
        """Ask the worker to change a file, and return whether it did."""
        is_done = bool((await self._session.ask(**asked)).get("done"))
        return _said(done if is_done else f"not_{done}", is_done=is_done, **values)

    async def box(self, request: Request) -> Response:
        """Write a box that was drawn, moved, named or deleted on the page into its file."""
        card = self._session.card(request.query_params.get("card", ""))
        if card is None:
            return _said("not_box_written", is_done=False)
        texts = {name: request.query_params.get(name, "") for name in ("old", "new")}
        place = {"file": card["file"], "line": card["line"], "number": _number(request, "number")}
        return await self._tried("box_written", do="box", **place, **texts)

    async def run(self, request: Request) -> Response:
        """Run the code of a note on the page in the sandbox."""
        card = self._session.card(request.query_params.get("card", ""))
        place = f"{card['path']}:{card['line']}" if card else ""
        return JSONResponse(await self._aside.ask("run", place))

    async def changed(self, _request: Request) -> Response:
        """Return how the collections differ from their last release."""
        return JSONResponse(await self._aside.ask("changed"))

    async def verified(self, _request: Request) -> Response:
        """Return the numbers of notes whose code passes, is not run or is not verified."""
        return JSONResponse(await self._aside.ask("verified"))

    def _place(self, request: Request) -> tuple[str | None, int]:
        file = request.query_params.get("file", "")
        return file if self._session.shows(file) else None, _number(request, "line")


async def _content(found: tuple[Path, Path] | None, most: int) -> bytes:
    """Return the content of a file on the page, which is in a folder; raises HTTPException if it is gone."""
    if found is None:
        raise HTTPException(404, "not found\n")
    try:
        # The file is read with the same checks as before, because a link may have replaced it since.
        return await asyncio.to_thread(read_input, *found, most)
    except InputError as failure:
        raise HTTPException(404, "not found\n") from failure


async def _events(session: Session) -> AsyncIterator[str]:
    async for message in session.listen():
        yield f"data: {json.dumps(message)}\n\n" if message else ": still here\n\n"
