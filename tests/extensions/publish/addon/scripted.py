"""A server on loopback that answers as a test says, even wrongly: it writes the bytes of an answer itself."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Script = Callable[["Handler"], None]


@dataclass
class Server:
    """A server with its scripts by path; `requests` are the paths and headers of the requests so far."""

    url: str
    scripts: dict[str, Script]
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    server: "_HTTPServer"
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.close_connection = True
        shown = self.server.shown
        shown.requests.append((self.path, dict(self.headers)))
        shown.scripts.get(self.path, missing)(self)

    def log_message(self, *_: object) -> None:
        pass


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    shown: Server

    def handle_error(self, *_: object) -> None:
        """Do not print anything: clients hang up here."""


@contextmanager
def serving_scripts(scripts: dict[str, Script], secure: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = _HTTPServer(("127.0.0.1", 0), Handler)
    if secure:
        server.socket = secure.wrap_socket(server.socket, server_side=True)
    scheme = "https" if secure else "http"
    server.shown = Server(f"{scheme}://127.0.0.1:{server.server_port}/", scripts)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.shown
    finally:
        server.shown.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


def said(content: bytes = b"", status: int = 200, *, length: int | None = None, **headers: str) -> Script:
    """Return a script that answers with a content, and perhaps another length."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(content) if length is None else length))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


missing = said(b"<h1>no</h1>", 404)


def redirect(location: str, status: int = 302, **headers: str) -> Script:
    return said(b"elsewhere", status, length=None, Location=location, **headers)


def endless(handler: Handler) -> None:
    """Send without an end, until the client hangs up."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while not handler.server.shown.ended.is_set():
            handler.wfile.write(b"x" * (1 << 20))
    except OSError:
        pass


def slow(handler: Handler) -> None:
    """Send a byte from time to time, without an end."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while not handler.server.shown.ended.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()
    except OSError:
        pass


def slow_head(handler: Handler) -> None:
    """Send the head of an answer byte by byte, without an end."""
    try:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not handler.server.shown.ended.wait(0.02):
            handler.wfile.write(b"x")
            handler.wfile.flush()
    except OSError:
        pass


def silent(handler: Handler) -> None:
    """Send the beginning of a content, then nothing."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"x")
    handler.wfile.flush()
    handler.server.shown.ended.wait()


def nothing(handler: Handler) -> None:
    """Hang up without an answer."""
