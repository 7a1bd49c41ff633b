"""A small HTTP server on this computer, which answers as a test says."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer


class Quiet(BaseHTTPRequestHandler):
    """Answers requests without printing them."""

    def log_message(self, *_: object) -> None: ...


@contextmanager
def answering(handler: type[Quiet]) -> Iterator[str]:
    """Run a server with this handler; yield its address."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
