"""`ptcards serve --lan`: cards for the other devices of a network. Tests listen on loopback only."""

import contextlib
import json
import re
import socket
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from attacks import Attack, attacks

from conftest import Ran
from ptcards.extensions.preview.lan import Lan, LanAddressError, choose_address, make_lan_app
from ptcards.extensions.preview.session import Session
from serving import KINDS, PATIENCE, Server, serving, write_files

SECRET = "the-word-that-must-not-leave"
SAID = "Not encrypted: whoever is in this network can read along. For your phone:\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("lan") / "kinds"
    write_files(folder, KINDS | {"secret.md": f"# Secret\n\n## {SECRET}?\n\nYes.\n"})
    with serving(folder, "--lan", "127.0.0.1") as started:
        started.state()
        yield started


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """Serve a collection for one test to change, or whose second application it ends."""
    with serving(write_files(tmp_path / "kinds", KINDS), "--lan", "127.0.0.1") as started:
        started.state()
        yield started


def link(server: Server) -> str:
    assert server.process.stdout is not None
    return server.process.stdout.readline().strip()


def shared(server: Server) -> tuple[Server, str]:
    """Return the second application, and its key."""
    address, _, key = link(server).partition("card?key=")
    return replace(server, address=address), key


def ask(server: Server, target: str, *headers: str, method: str = "GET") -> tuple[int, str]:
    lines = "".join(f"{header}\r\n" for header in (f"Host: {server.host}", "Connection: close", *headers))
    answer = server.ask(f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode()).decode("latin-1")
    return int(answer.split()[1]), answer


def cookie_of(answer: str) -> str:
    (cookie,) = re.findall(r"(?i)set-cookie: (\S+); Path=/; HttpOnly; SameSite=Strict\r\n", answer)
    return f"Cookie: {cookie}"


@pytest.fixture(scope="module")
def other(server: Server) -> tuple[Server, str, str]:
    """The second application, its key and the header with its cookie."""
    application, key = shared(server)
    status, answer = ask(application, f"/card?key={key}")
    assert status == 200
    return application, key, cookie_of(answer)


def test_it_has_four_routes_and_none_can_be_added_unseen() -> None:
    listening = socket.socket()
    app = make_lan_app(Session([]), Lan(listening, "key", lambda: None), lambda: None)
    listening.close()
    routes = {(route.path, *sorted(route.methods)) for route in app._app.routes}  # type: ignore[attr-defined]
    assert routes == {
        (path, "GET", "HEAD") for path in ("/card", "/sides/{card}", "/media/{name}", "/events")
    }


def test_the_key_becomes_a_cookie_and_without_it_everything_is_refused(
    server: Server, other: tuple[Server, str, str]
) -> None:
    application, key, cookie = other
    assert len(key) == 22
    targets = (
        "/card",
        "/sides/x",
        "/media/x.png",
        "/events",
        "/",
        "/state",
        "/source/x",
        "/do/fix",
        "/nothing",
    )
    assert {ask(application, target)[0] for target in targets} == {403}
    assert {ask(application, "/card", method=method)[0] for method in ("POST", "HEAD", "PUT")} == {403}
    stale = cookie.partition("=")[0] + "=" + "a" * 22
    assert {ask(application, "/card", stale)[0] for _ in range(12)} == {403}
    assert ask(application, "/card", cookie)[0] == 200
    assert [ask(application, target, cookie)[0] for target in targets[4:]] == [404] * 5
    assert ask(application, "/card", cookie, method="POST")[0] == 405
    assert ask(application, f"/card?key={key}", "Host: localhost")[0] in (400, 403)
    state = server.state()
    card = next(each for each in state["order"] if state["cards"][each]["key"] == "backward")
    status, answer = ask(application, f"/sides/{card}", cookie)
    (side,) = json.loads(answer.partition("\r\n\r\n")[2])
    assert (status, sorted(side)) == (200, ["back", "body", "css", "front"])
    assert "referrer-policy: no-referrer" in answer.lower()
    assert str(server.folder) not in answer
    request = urllib.request.Request(f"{application.address}events", headers=dict([cookie.split(": ", 1)]))
    with urllib.request.urlopen(request, timeout=PATIENCE) as events:
        first = json.loads(events.readline().decode().removeprefix("data: "))
    assert (sorted(first), first["order"], first["card"]) == (
        ["card", "order", "version"],
        state["order"],
        "",
    )


def test_every_attack_of_row_23_is_refused(other: tuple[Server, str, str]) -> None:
    """With the cookie too: a stranger's page in the same browser sends it at most by rebinding."""
    application, _, cookie = other
    every = attacks(application.port)
    assert len(every) >= 100
    with_cookie = [replace(each, request=_with(each.request, cookie)) for each in every]
    answered = [each.name for each in (*every, *with_cookie) if not _is_refused(application, each)]
    assert answered == []


def _with(request: bytes, header: str) -> bytes:
    first, divider, rest = request.partition(b"\r\n")
    return first + divider + header.encode() + b"\r\n" + rest if divider else request


def _is_refused(server: Server, attack: Attack) -> bool:
    answer = server.ask(attack.request).lower()
    statuses = [int(status) for status in re.findall(rb"http/1\.1 (\d{3})", answer)]
    told = (SECRET.encode(), b"root:", b"access-control-", b"set-cookie", b"import ")
    return all(status >= 400 for status in statuses) and not any(word in answer for word in told)


def test_ten_wrong_keys_end_it_but_not_the_preview(own: Server) -> None:
    application, key = shared(own)
    cookie = cookie_of(ask(application, f"/card?key={key}")[1])
    assert {ask(application, f"/card?key={'a' * 22}")[0] for _ in range(9)} == {403}
    assert ask(application, "/card", cookie)[0] == 200
    elsewhere = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image")
    not_counted = [
        ask(application, f"/card?key={key}&key=x"),
        ask(application, "/favicon.ico?key=" + "a" * 22),
        ask(application, "/card?key=" + "a" * 22, *elsewhere),
    ]
    assert [each[0] for each in not_counted] == [403] * 3
    assert ask(application, "/card", cookie)[0] == 200
    assert ask(application, "/card?key=" + "b" * 22)[0] == 403
    assert _statuses_until_closed(application, f"/card?key={key}") <= {403}
    assert own.state()["order"]
    own.process.terminate()
    _, said = own.process.communicate(timeout=PATIENCE)
    assert said.endswith("10 wrong keys: other devices no longer see the cards; start again for a new link\n")
    assert SAID in said


def test_one_device_cannot_take_all_connections(own: Server) -> None:
    application, _ = shared(own)
    with contextlib.ExitStack() as opened:
        held = [
            opened.enter_context(socket.create_connection(("127.0.0.1", application.port), PATIENCE))
            for _ in range(80)
        ]
        last = held[64:]
        assert [_is_closed(each) for each in last] == [True] * 16
        held[0].sendall(f"GET / HTTP/1.1\r\nHost: {application.host}\r\n\r\n".encode())
        assert held[0].recv(12) == b"HTTP/1.1 403"
        assert own.state()["order"]


def _is_closed(connection: socket.socket) -> bool:
    """Wait until the server closes a connection on which nothing was sent."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def _statuses_until_closed(application: Server, target: str) -> set[int]:
    """Return the statuses of the last requests before nothing listens any more."""
    found: set[int] = set()
    for _ in range(200):
        try:
            found.add(ask(application, target)[0])
        except (ConnectionError, IndexError):  # or it closed this connection without an answer
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", application.port), 1).close()
                continue
            return found
    pytest.fail("it still listens")


@pytest.mark.parametrize("asked", ["192.168.1.5", "10.0.0.1", "172.16.0.9", "fd12::1", "127.0.0.1", "::1"])
def test_private_addresses_are_allowed(asked: str) -> None:
    assert choose_address(asked) == asked


@pytest.mark.parametrize(
    "asked",
    [
        "0.0.0.0",
        "::",
        "8.8.8.8",
        "172.32.0.1",
        "192.169.0.1",
        "169.254.1.1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
    ],
)
def test_no_other_address_is(asked: str) -> None:
    with pytest.raises(LanAddressError, match="is not a private address"):
        choose_address(asked)


def test_something_else_than_an_address_is_named(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    write_files(tmp_path / "kinds", KINDS)
    assert ptcards("serve", "--lan", tmp_path / "kinds") == Ran(
        2,
        "",
        "error: `kinds` is not an address\nhelp: name one after `--lan`, or put SOURCE before `--lan`\n",
    )
