"""No answer from AnkiConnect's port makes `ptcards push` hang or print a traceback."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from conftest import Ran
from ptcards.extensions.desktop.push import ankiconnect as client
from ptcards.extensions.desktop.push.ankiconnect import Action, Anki, AnkiError
from ptcards.files.foreign_json import JsonLimit
from pushing import Run, deck

__all__ = ["deck"]

Answer = Callable[[BaseHTTPRequestHandler, bytes], None]


@contextmanager
def listening(answer: Answer) -> Iterator[str]:
    """Listen on a free port, and answer each request with a function; return the address.

    The function gets the content of the request, because closing a connection with unread content may lose
    the answer.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(HTTPServer):
        def handle_error(self, *_: object) -> None:
            """The client may have closed the connection."""

    with Quiet(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def saying(content: bytes) -> Answer:
    def answer(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def results(**known: Any) -> Answer:
    """Return a function that answers actions like AnkiConnect, and unknown ones with an empty list."""

    def result(request: dict[str, Any]) -> Any:
        if request["action"] == "multi":
            return [{"result": result(each), "error": None} for each in request["params"]["actions"]]
        return known.get(request["action"], [])

    def answer(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        handler.send_response(200)
        handler.end_headers()
        said = {"result": result(json.loads(request)), "error": None}
        handler.wfile.write(json.dumps(said).encode())

    return answer


ONE: dict[str, Any] = {
    "getActiveProfile": "User 1",
    "getMediaDirPath": "/nowhere",
    "deckNamesAndIds": {},
}


@pytest.mark.parametrize(
    "answer",
    [
        saying(b""),
        saying(b"[" * 200_000),
        saying(b'{"result": ["a", "b"], "error": null}'),
        saying(b'{"result": 1}'),
        saying(b"\xff" * 100),
        results(),
        results(getActiveProfile=1, getMediaDirPath=["a"]),
        results(getActiveProfile="\ud800", getMediaDirPath="/a"),
        results(**ONE, modelNamesAndIds=["Mini"]),
        results(**ONE, modelNamesAndIds={"Mini": "1"}),
        results(**ONE, modelNamesAndIds={}, importPackage=True, findNotes={"a": 1}),
        results(**ONE, modelNamesAndIds={}, importPackage=True, findNotes=[1], notesInfo=[{"noteId": 1}]),
    ],
)
def test_what_is_not_ankiconnect_is_said_to_be_something_else(
    deck: Path, ptcards: Run, answer: Answer
) -> None:
    with listening(answer) as address:
        ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://{address}"})
    assert ran == Ran(
        1,
        "",
        f"error: the program at {address} is not AnkiConnect\n"
        "help: stop it (perhaps it is `ptcards serve --port`), and restart Anki\n",
    )


def drip(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _number in range(200):
        handler.wfile.write(b" ")
        time.sleep(0.01)


def drip_chunks(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    for _number in range(200):
        handler.wfile.write(b"1\r\n \r\n")
        time.sleep(0.01)


def drip_headers(handler: BaseHTTPRequestHandler, _: bytes) -> None:
    for _number in range(200):
        handler.wfile.write(b"H")
        time.sleep(0.01)


def sleep(handler: BaseHTTPRequestHandler, request: bytes) -> None:
    time.sleep(0.5)
    saying(b'{"result": null, "error": null}')(handler, request)


@pytest.mark.parametrize(
    ("answer", "limit"),
    [(drip, "_WHOLE"), (drip_chunks, "_WHOLE"), (drip_headers, "_WHOLE"), (sleep, "_FIRST")],
)
def test_an_answer_to_what_only_reads_must_begin_and_end_in_time(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, limit: str
) -> None:
    monkeypatch.setattr(client, limit, 0.2)
    monkeypatch.setattr(client, "_STILL", 0.1)
    with listening(answer) as address:
        anki = Anki(f"http://{address}")
        for read in (anki.wait, lambda: anki.ask("findNotes", query="")):
            with pytest.raises(AnkiError, match=r"Anki stopped answering during `(multi|findNotes)`"):
                read()


def test_what_changes_something_or_exports_it_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_FIRST", 0.2)
    monkeypatch.setattr(client, "_WHOLE", 0.2)

    def answer(handler: BaseHTTPRequestHandler, request: bytes) -> None:
        time.sleep(0.5)
        results(importPackage=None, exportPackage=None, changeDeck=None)(handler, request)

    with listening(answer) as address:
        anki = Anki(f"http://{address}")
        asked = [anki.ask("importPackage"), anki.ask("exportPackage")]
        asked += anki.ask_all([Action("findNotes", {}), Action("changeDeck", {})])
    assert asked == [None, None, [], None]


def test_an_answer_that_takes_long_is_announced_once(
    deck: Path, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_STILL", 0.1)
    for answer in (sleep, drip):
        with listening(answer) as address:
            ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://{address}"})
        assert ran == Ran(
            1,
            "",
            "still waiting for Anki (`multi`)\n"
            f"error: the program at {address} is not AnkiConnect\n"
            "help: stop it (perhaps it is `ptcards serve --port`), and restart Anki\n",
        )


def test_an_answer_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_ANSWER", JsonLimit(1 << 20, 1 << 20, 10))
    written = []

    def flood(handler: BaseHTTPRequestHandler, _: bytes) -> None:
        handler.send_response(200)
        handler.end_headers()
        for number in range(20_000):
            handler.wfile.write(b"9" * 1000)
            written.append(number)

    with listening(flood) as address, pytest.raises(AnkiError) as failure:
        Anki(f"http://{address}").wait()
    assert str(failure.value) == f"the answer of {address} to `multi` is larger than 1 MB"
    assert len(written) < 20_000


def test_an_answer_with_too_many_values_is_not_built(deck: Path, ptcards: Run) -> None:
    content = b'{"result": [' + b"{}," * 2_000_000 + b'1], "error": null}'
    with listening(saying(content)) as address:
        ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://{address}"})
    assert ran == Ran(
        1,
        "",
        f"error: the answer of {address} to `multi` has over 2,000,000 values\n"
        "help: check which program this is; it should be Anki\n",
    )


def test_names_and_refusals_from_anki_do_not_reach_the_terminal_as_they_are(deck: Path, ptcards: Run) -> None:
    known = ONE | {"getActiveProfile": "\x1b[2J", "modelNamesAndIds": {}}
    with listening(results(**known)) as address:
        ran = ptcards("push", deck, "--dry-run", env={"PTCARDS_ANKI_URL": f"http://{address}"})
    assert (ran.status, "\x1b" in ran.out + ran.err) == (0, False)
    with listening(saying(b'{"result": null, "error": "\\u001b[2J' + b"x" * 9999 + b'"}')) as address:
        ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://{address}"})
    assert (ran.status, "\x1b" in ran.err, len(ran.err) < 600) == (1, False, True)
