"""Attacks on the preview: requests, each as the bytes that reach the server.

`{p}` is the server's port, and `{q}` is another one. The list contains requests that a browser sends for a
stranger's page, and requests that only a program can send: absolute targets, two hosts, smuggled requests.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """A request and its name."""

    name: str
    request: bytes


ROUTES = (
    "/",
    "/card",
    "/assets/app.js",
    "/state",
    "/sides/x",
    "/media/x.png",
    "/explain/x",
    "/source/x",
    "/events",
)
EDITS = ("/do/open", "/do/fix", "/do/undo", "/do/box")
"""the actions on a file"""
ACTIONS = (*EDITS, "/do/run", "/do/changed", "/do/verified")

_HOSTS = (
    "evil.example",
    "evil.example:{p}",
    "127.0.0.1.evil.example:{p}",
    "127.0.0.1:{p}.evil.example",
    "evil.example#127.0.0.1:{p}",
    "evil.example@127.0.0.1:{p}",
    "127.0.0.1:{p}@evil.example",
    "127.0.0.1:{p}/evil",
    "127.0.0.1:{p}, evil.example",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:{q}",
    "127.0.0.1:0{p}",
    "127.0.0.1.:{p}",
    "localhost",
    "localhost.:{p}",
    "LOCALHOST:{p}",
    "x.localhost:{p}",
    "127.1:{p}",
    "127.0.0.2:{p}",
    "0.0.0.0:{p}",
    "2130706433:{p}",
    "0x7f000001:{p}",
    "0177.0.0.1:{p}",
    "[::1]:{p}",
    "[::ffff:127.0.0.1]:{p}",
    "null",
    "",
)
_ORIGINS = (
    "http://evil.example",
    "null",
    "",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    "https://127.0.0.1:{p}",
    "http://127.0.0.1",
    "http://127.0.0.1:{q}",
    "http://localhost:{p}",
    "http://127.0.0.1:{p}/",
    "http://127.0.0.1:{p}.evil.example",
    "http://127.0.0.1:{p}@evil.example",
    "http://127.0.0.1:{p} http://evil.example",
    "HTTP://127.0.0.1:{p}",
)
_SITES = ("cross-site", "same-site", "CROSS-SITE", "same-origin, cross-site", "", "x")
_REFERERS = (
    "http://evil.example/",
    "http://127.0.0.1:{q}/",
    "http://127.0.0.1:{p}@evil.example/",
    "//evil.example/",
)
_METHODS = (
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "HEAD",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "PROPFIND",
    "get",
    "GETS",
)
_TARGETS = (
    "/media/../deck.toml",
    "/media/..%2fdeck.toml",
    "/media/..%2Fdeck.toml",
    "/media/%2e%2e%2fdeck.toml",
    "/media/%252e%252e%252fdeck.toml",
    "/media/..%5cdeck.toml",
    "/media/..%c0%afdeck.toml",
    "/media/..%ef%bc%8fdeck.toml",
    "/media/..;/deck.toml",
    "/media/....//deck.toml",
    "/media/deck.toml",
    "/media/deck.toml%00.png",
    "/media/%2fetc%2fpasswd",
    "/media//etc/passwd",
    "/media/~",
    "/media/.",
    "/media/",
    "/media",
    "/media/outside.svg",
    "/media/..%2f..%2fkinds-beside%2fsecret.md",
    "/assets/../../cards.py",
    "/assets/..%2fcards.py",
    "/assets/index.html",
    "/assets/card.js",
    "/assets/app.js%00",
    "/assets/app.js/",
    "/assets//app.js",
    "/sides/",
    "/sides/../state",
    "/sides/a/b",
    "/../../../../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/.git/config",
    "/deck.toml",
    "/state/",
    "//evil.example/state",
    "/%2f%2fevil.example",
    "/\\evil.example",
    "http://evil.example/state",
    "https://127.0.0.1:{p}/state",
    "file:///etc/passwd",
    "127.0.0.1:{p}",
    "*",
    "/state\x00",
    "/state\x0d",
    "/st\xe4te",
    "/state?" + "a" * 5000,
    "/" + "a" * 5000,
    "/" + "a" * 70_000,
    "/media/" + "%2e%2e%2f" * 500 + "etc/passwd",
)
_WHOLE = {
    "no Host": "GET /state HTTP/1.1\r\n\r\n",
    "no Host in HTTP/1.0": "GET /state HTTP/1.0\r\n\r\n",
    "HTTP/0.9": "GET /state\r\n\r\n",
    "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    "two Hosts, ours first": "GET /state HTTP/1.1\r\nHost: {h}\r\nHost: evil.example\r\n\r\n",
    "two Hosts, ours last": "GET /state HTTP/1.1\r\nHost: evil.example\r\nHost: {h}\r\n\r\n",
    "Host twice": "GET /state HTTP/1.1\r\nHost: {h}\r\nhost: {h}\r\n\r\n",
    "forwarded Host": "GET /state HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: {h}\r\nForwarded: host={h}\r\n\r\n",
    "absolute target over Host": "GET http://{h}/state HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "space before the colon": "GET /state HTTP/1.1\r\nHost : {h}\r\n\r\n",
    "space before the name": "GET /state HTTP/1.1\r\n Host: {h}\r\n\r\n",
    "folded header": "GET /state HTTP/1.1\r\nHost: evil.example\r\n {h}\r\n\r\n",
    "NUL in a header": "GET /state HTTP/1.1\r\nHost: {h}\x00\r\n\r\n",
    "lone CR": "GET /state HTTP/1.1\r\nX: a\rHost: {h}\r\n\r\n",
    "no colon": "GET /state HTTP/1.1\r\nHost: {h}\r\nX\r\n\r\n",
    "empty name": "GET /state HTTP/1.1\r\nHost: {h}\r\n: x\r\n\r\n",
    "two origins": "GET /state HTTP/1.1\r\nHost: {h}\r\nOrigin: http://{h}\r\nOrigin: http://evil.example\r\n\r\n",
    "two sites": "GET /state HTTP/1.1\r\nHost: {h}\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n\r\n",
    "a body": "GET /state HTTP/1.1\r\nHost: {h}\r\nContent-Length: 3\r\n\r\na=b",
    "a request in a body": "GET /state HTTP/1.1\r\nHost: {h}\r\nContent-Length: 38\r\n\r\nGET /state HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "two lengths": "GET /state HTTP/1.1\r\nHost: {h}\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nhello",
    "length and chunks": "GET /state HTTP/1.1\r\nHost: {h}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks": "GET /state HTTP/1.1\r\nHost: {h}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "strange coding": "GET /state HTTP/1.1\r\nHost: {h}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "negative length": "GET /state HTTP/1.1\r\nHost: {h}\r\nContent-Length: -1\r\n\r\n",
    "method override": "POST /state HTTP/1.1\r\nHost: {h}\r\nX-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n\r\n",
    "form": "POST /state HTTP/1.1\r\nHost: {h}\r\nOrigin: http://evil.example\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b",
    "preflight": "OPTIONS /state HTTP/1.1\r\nHost: {h}\r\nOrigin: http://evil.example\r\n"
    "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Private-Network: true\r\n\r\n",
    "websocket of a stranger": "GET /events HTTP/1.1\r\nHost: {h}\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    "websocket by rebinding": "GET /events HTTP/1.1\r\nHost: evil.example:{p}\r\nConnection: Upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    "a stranger's frame": "GET / HTTP/1.1\r\nHost: {h}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n\r\n",
    "a stranger's script": "GET /assets/app.js HTTP/1.1\r\nHost: {h}\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n\r\n",
    "a stranger's events": "GET /events HTTP/1.1\r\nHost: {h}\r\nOrigin: http://evil.example\r\nAccept: text/event-stream\r\n\r\n",
    "response splitting": "GET /media/x%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: {h}\r\n\r\n",
}


def attacks(port: int) -> list[Attack]:
    """Return every attack on a server at this port."""

    def request(method: str = "GET", target: str = "/state", **headers: str) -> str:
        sent = {"Host": "{h}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        return f"{method} {target} HTTP/1.1\r\n{lines}\r\n"

    written = {f"Host: {host}": request(Host=host) for host in _HOSTS}
    written |= {f"{route} by rebinding": request(target=route, Host="evil.example:{p}") for route in ROUTES}
    written |= {f"Origin: {origin}": request(Origin=origin) for origin in _ORIGINS}
    written |= {f"Sec-Fetch-Site: {site}": request(Sec_Fetch_Site=site) for site in _SITES}
    written |= {f"Referer: {referer}": request(Referer=referer) for referer in _REFERERS}
    written |= {f"method {method}": request(method) for method in _METHODS}
    written |= {f"target {target[:60]!r} ({len(target)})": request(target=target) for target in _TARGETS}
    own = {"Origin": "http://{h}", "Content-Length": "0"}
    for action in ACTIONS:
        written |= {
            f"GET {action}": request(target=action),
            f"{action} without a key": request("POST", action, **own),
            f"{action} with an empty key": request("POST", action, X_Ptcards_Key="", **own),
            f"{action} with another key": request("POST", action, X_Ptcards_Key="a" * 22, **own),
        }
    written |= _WHOLE
    names = {"{h}": f"127.0.0.1:{port}", "{p}": str(port), "{q}": str(port % 65535 + 1)}
    found = []
    for name, text in written.items():
        for mark, value in names.items():
            text = text.replace(mark, value)  # noqa: PLW2901 - braces stand for themselves elsewhere
        found.append(Attack(name, text.encode("latin-1")))
    return found
