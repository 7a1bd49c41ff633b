"""The real `ptcards serve` for tests, with requests as bytes, and its page in a real Chromium."""

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terminal import children, start

PATIENCE = 60.0
"""Seconds to wait for something that usually takes milliseconds: on a busy machine, 20 were not enough."""

KINDS = {
    "deck.toml": 'name = "Kinds"\nid = "kinds"\n',
    "autograd.md": (
        "# Autograd\n\n"
        "## What does `backward()` do?\n<!-- card: id=backward difficulty=easy tags=graph,gradients -->\n\n"
        "It walks the *graph*.\n\n### Hint\n\nThink of a graph.\n\n### Details\n\nMore on graphs.\n\n"
        "## Gradient\n<!-- card: id=gradient kind=reversed -->\n\nThe slope, $x < y$.\n\n"
        "## Fill in\n<!-- card: id=fill kind=cloze -->\n\nThe {{c1::graph}} holds {{c2::gradients}}.\n"
    ),
    "tensors.md": (
        "# Tensors\n\n"
        "## Which one moves a tensor?\n<!-- card: id=move difficulty=hard -->\n\n- [x] `to`\n- [ ] `of`\n\nIt copies.\n\n"
        "## Type it\n<!-- card: id=type kind=typed -->\n\n`torch.ones`\n\n"
        "## A bare question?\n\nAn answer.\n"
    ),
}
"""A collection with a note of every kind."""


@dataclass(frozen=True)
class Server:
    """A running preview of `folder`."""

    process: subprocess.Popen[str]
    folder: Path
    address: str
    key: str = ""
    """the key that the terminal adds to the address; required for writing and running"""

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2].strip("/"))

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def get(self, path: str) -> Any:
        """Return the parsed response to a page's request."""
        with urllib.request.urlopen(f"{self.address}{path}", timeout=PATIENCE) as answer:
            return json.load(answer)

    def state(self, is_reached: Callable[[dict[str, Any]], bool] = lambda state: state["version"] > 0) -> Any:
        """Wait until the preview has the requested state; return the state."""
        end = time.monotonic() + PATIENCE
        while not is_reached(state := self.get("state")):
            assert time.monotonic() < end, state
            time.sleep(0.02)
        return state

    def ask(self, request: bytes) -> bytes:
        """Send bytes, and return everything that the server sends until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            # A server that has read enough to refuse closes the connection while we still send.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(request)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                # A complete request gets no early answer, and an answer to HEAD is shorter than announced.
                is_partial = b"\r\n\r\n" not in request or request.startswith(b"HEAD")
                connection.settimeout(0.2 if is_partial else PATIENCE)
                with contextlib.suppress(TimeoutError):
                    while not _is_whole(answer) and (part := connection.recv(65536)):
                        answer += part
                connection.settimeout(PATIENCE)
                with contextlib.suppress(OSError):  # the server has already closed it: not connected
                    connection.shutdown(socket.SHUT_WR)
                while not _is_endless(answer) and (part := connection.recv(65536)):
                    answer += part
            return answer

    def memory(self) -> int:
        """Return the resident memory of the server with its workers, in kB."""
        return sum(_resident(process) for process in (self.process.pid, *self.workers()))

    def workers(self) -> list[int]:
        return children(self.process.pid)


def _is_whole(answer: bytes) -> bool:
    head, divider, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(divider) and (_is_endless(answer) or (length is not None and len(body) >= int(length[1])))


def _is_endless(answer: bytes) -> bool:
    return b"text/event-stream" in answer


def _resident(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text("ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@contextlib.contextmanager
def serving(folder: Path, *options: str, port: int = 0) -> Iterator[Server]:
    """Run `ptcards serve` on a collection until the block ends."""
    there = str(port or free_port())
    command = [sys.executable, "-m", "ptcards", "serve", str(folder), "--port", there, *options]
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder.parent)
    assert process.stdout is not None
    try:
        address, _, key = process.stdout.readline().strip().partition("#key=")
        yield Server(process, folder, address, key)
    finally:
        process.kill()
        process.communicate()


def problems(state: dict[str, Any]) -> list[dict[str, Any]]:
    return [problem for found in state["problems"].values() for problem in found]


def write_files(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return folder
