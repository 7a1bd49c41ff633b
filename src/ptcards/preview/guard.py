"""Who may ask the preview anything: the page on this computer, and nobody whom another page sends.

Any web page can make a browser ask a server on this computer, and by DNS rebinding even read the answers. So
every request is looked at before routing, and refused unless it can only come from the preview's own page or
from the address bar.
"""

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
        # Else a browser looks up the hosts of links before anybody follows them.
        "X-DNS-Prefetch-Control": "off",
    }
)
"""On every answer; there is no CORS header on any."""

_LONGEST_TARGET = 4096


class Guard:
    """Refuse what is not GET, not for this host and port by name, or sent by another site."""

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, with our headers in any case."""
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
        if scope["method"] != "GET":
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
        if len(scope["raw_path"]) + len(scope["query_string"]) > _LONGEST_TARGET:
            return 414, "too long"
        return 0, ""
