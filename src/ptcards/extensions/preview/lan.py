"""The second application of the preview: the cards for the other devices of this network, and nothing else.

It has no source, path, finding or action, and listens on one private address. What it sends is not encrypted.
The first request trades the key of the link for a cookie; without it, every request is refused.
"""

import ipaddress
import json
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Scope

from ptcards.extensions.preview.pages import Guard, PreviewPages
from ptcards.extensions.preview.session import Session

_PRIVATE = tuple(map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))
_LOOPBACK = tuple(map(ipaddress.ip_network, ("127.0.0.0/8", "::1/128")))
_FAR = ("10.255.255.255", "172.31.255.255", "192.168.255.255", "192.0.2.1", "fd00::1", "2001:db8::1")
"""Addresses to which the system names its own address; nothing is sent."""
_SIDE = ("body", "front", "back", "css")
"""What another device gets of a card."""
_MOST_WRONG_KEYS = 10


class LanAddressError(Exception):
    """There is no address to choose; `help` says what to do."""

    def __init__(self, message: str, help: str) -> None:  # noqa: A002 - the word that authors see
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True)
class Lan:
    """Where the second application listens, its key, and what to call when wrong keys have ended it."""

    listening: socket.socket
    key: str
    ended: Callable[[], None]

    @property
    def host(self) -> str:
        """The only host that requests may name."""
        address, port = self.listening.getsockname()[:2]
        return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"

    @property
    def link(self) -> str:
        """The address to open on another device."""
        return f"http://{self.host}/card?key={self.key}"


def choose_address(asked: str) -> str:
    """Return the address that was asked for or, if that is empty, the only private one of this computer.

    Raises LanAddressError if it is public, stands for all addresses, or if there is not exactly one.
    """
    if asked:
        return _allowed(asked)
    found = sorted({*_own_addresses()})
    if not found:
        message = "this computer has no private address"
        raise LanAddressError(message, "connect it to a network of your own")
    if len(found) > 1:
        message = f"this computer has several private addresses: {', '.join(found)}"
        raise LanAddressError(message, f"name one: `--lan {found[0]}`")
    return found[0]


def _allowed(asked: str) -> str:
    try:
        address = ipaddress.ip_address(asked)
    except ValueError:
        message = f"`{asked}` is not an address"
        raise LanAddressError(message, "name one after `--lan`, or put SOURCE before `--lan`") from None
    if not any(address in network for network in (*_PRIVATE, *_LOOPBACK)):
        message = f"`{asked}` is not a private address"
        raise LanAddressError(message, "use this computer's address in your own network")
    return str(address)


def _own_addresses() -> Iterator[str]:
    """Yield the private addresses of this computer."""
    for far in _FAR:
        family = socket.AF_INET6 if ":" in far else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as asking:
                asking.connect((far, 9))
                own = asking.getsockname()[0]
        except OSError:
            continue  # no such network
        if any(ipaddress.ip_address(own) in network for network in _PRIVATE):
            yield own


def make_lan_app(session: Session, lan: Lan, end: Callable[[], None]) -> ASGIApp:
    """Return the application, protected by its guard; `end` is called after too many wrong keys."""
    pages = _LanPages(session)
    app = Starlette(
        routes=[
            Route(path, endpoint, methods=["GET"])
            for path, endpoint in (
                ("/card", pages.card),
                ("/sides/{card}", pages.sides),
                ("/media/{name}", pages.media),
                ("/events", pages.events),
            )
        ]
    )
    app.router.redirect_slashes = False
    return LanGuard(app, lan, end)


class LanGuard(Guard):
    """Refuses everything without the cookie, except a request with the right key, which gets the cookie."""

    def __init__(self, app: ASGIApp, lan: Lan, end: Callable[[], None]) -> None:
        super().__init__(app, hosts=(lan.host,), key=lan.key)
        # A cookie belongs to all ports of a host, so its name contains the port.
        self._name = f"ptcards-{lan.host.rpartition(':')[2]}"
        self._cookie = secrets.token_urlsafe(16)
        self._end = end
        self._wrong = 0

    def _refusal(self, scope: Scope) -> tuple[int, str]:
        headers = Headers(scope=scope)
        if headers.getlist("host") != list(self._hosts):
            return 403, "not the address of this preview"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-dest") != "document":
            return 403, "not a page of this preview"  # such as a picture in another page: no key is tried
        if self._wrong >= _MOST_WRONG_KEYS or not (self._brings_key(scope) or self._has_cookie(headers)):
            return 403, "open the link that the terminal shows"
        if scope["method"] != "GET":
            return 405, "only GET"
        return super()._refusal(scope)

    def _headers(self, scope: Scope) -> dict[str, str]:
        headers = super()._headers(scope)
        if scope.get(_TRADED):
            headers["Set-Cookie"] = f"{self._name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"
        return headers

    def _brings_key(self, scope: Scope) -> bool:
        """Whether a request has the right key; a wrong one is counted."""
        keys = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True).get("key", [])
        # What cannot be a key is not counted: a page elsewhere could end the preview with pictures.
        if not keys or scope["path"] != "/card" or len(keys[-1]) != len(self._key):
            return False
        if len(keys) == 1 and secrets.compare_digest(keys[0].encode(), self._key):
            scope[_TRADED] = True
            return True
        self._wrong += 1
        if self._wrong == _MOST_WRONG_KEYS:
            self._end()
        return False

    def _has_cookie(self, headers: Headers) -> bool:
        # A browser may still have a cookie of an earlier start, so a wrong one is not counted.
        sent = cookie_parser(headers.get("cookie", "")).get(self._name, "")
        return secrets.compare_digest(sent.encode(), self._cookie.encode())


_TRADED = "ptcards.traded"
"""Set in the scope of a request that gets the cookie."""


class _LanPages(PreviewPages):
    """The responses to other devices."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, None)

    async def card(self, request: Request) -> Response:
        """Return the page or, with `frame`, the frame in which it shows a card."""
        if "frame" in request.query_params:
            return await super().card(request)
        return self._html("lan.html", _LAN_POLICY)

    async def sides(self, request: Request) -> Response:
        """Return both sides of a note's cards, with their CSS and without anything about their source."""
        name = request.path_params["card"]
        card = self._session.card(name)
        css = self._session.state["css"][card["collection"]] if card else ""
        sides = await self._session.sides(name)
        return JSONResponse(
            [{"css": css} | {key: side[key] for key in _SIDE if key in side} for side in sides]
        )

    async def events(self, _request: Request) -> Response:
        """Return the stream of which card the author is writing."""
        return StreamingResponse(_card_events(self._session), media_type="text/event-stream")


_LAN_POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
    "frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_MOST_EDITED = 20
"""With more edited cards at a time, none of them is the one that the author is writing."""


async def _card_events(session: Session) -> AsyncIterator[str]:
    """Yield the order of the cards, by their short names, and the one that was edited last."""
    is_first = True
    async for message in session.listen():
        if message is None:
            yield ": still here\n\n"
        elif is_first or message.get("cards") is not None:
            edited = list(message.get("edited", ()))
            card = edited[0] if 0 < len(edited) <= _MOST_EDITED else ""
            news = {"order": session.state["order"], "card": card, "version": message["version"]}
            yield f"data: {json.dumps(news)}\n\n"
            is_first = False
