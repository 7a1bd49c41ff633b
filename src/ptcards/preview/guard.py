"""Lets only the preview's own page send requests, and no page that another site controls.

Any web page can make a browser send requests to a server on this computer and, through DNS rebinding, even
read the responses. Therefore every request is checked before routing. It is refused unless it can only come
from the preview's own page or from the address bar. Requests that write a file or start a program use `POST`
below `/do/` and need the key that the terminal printed. Neither the pages of other sites nor other users of
this computer have the key.
"""

import secrets
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        # Otherwise, browsers look up the hosts of links before anybody follows them.
        "X-DNS-Prefetch-Control": "off",
    }
)
"""The headers of every response; no response has a CORS header."""

KEY_HEADER = "x-ptcards-key"
_ACTIONS = b"/do/"
_LONGEST_TARGET = 4096


class Guard:
    """Refuses requests for another host or port, from another site, or without the key they need."""

    def __init__(self, app: ASGIApp, *, port: int, key: str) -> None:
        self._app = app
        self._key = key.encode()
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; every response has our headers."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

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
        if scope["method"] != "GET" and not self._is_action(scope):
            return 405, "only GET"
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return 400, "no body"
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return 403, "not from another origin"
        if any(site not in ("same-origin", "none") for site in headers.getlist("sec-fetch-site")):
            return 403, "not from another site"
        referer = headers.get("referer")
        if referer is not None and urlsplit(referer).netloc not in ("", hosts[0]):
            return 403, "not from another site"
        if scope["method"] == "POST" and not self._may_act(headers):
            return 403, "not without the key that the terminal shows"
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_TARGET:
            return 414, "too long"
        return 0, ""

    @staticmethod
    def _is_action(scope: Scope) -> bool:
        return bool(scope["method"] == "POST" and scope["raw_path"].startswith(_ACTIONS))

    def _may_act(self, headers: Headers) -> bool:
        """Whether a request has the key, and names its origin, as every browser does."""
        keys = headers.getlist(KEY_HEADER)
        is_known = len(keys) == 1 and secrets.compare_digest(keys[0].encode(), self._key)
        return is_known and len(headers.getlist("origin")) == 1
