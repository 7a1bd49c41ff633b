"""`ptcards serve` as a process: its port, how it ends, the requests that it answers, and its memory."""

import asyncio
import contextlib
import json
import logging
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from attacks import ACTIONS, EDITS, ROUTES, Attack, attacks

from conftest import Ran
from handmade import media_file
from ptcards.extensions.preview.server import Reports
from serving import KINDS, PATIENCE, Server, free_port, problems, serving, write_files
from terminal import press_ctrl_c

SECRET = "the-word-that-must-not-leave"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve a collection that contains a secret; another one is in a folder next to it and behind a link."""
    folder = tmp_path_factory.mktemp("serve")
    write_files(folder / "kinds-beside", {"secret.md": SECRET, "outside.svg": f"<svg>{SECRET}</svg>"})
    kinds = write_files(folder / "kinds", KINDS | {".git/config": SECRET})
    (kinds / "outside.svg").symlink_to(folder / "kinds-beside" / "outside.svg")
    picture = "## A picture?\n<!-- card: id=picture -->\n\n![inside](inside.svg) ![outside](outside.svg)\n"
    write_files(kinds, {"media.md": f"# Media\n\n## {SECRET}?\n\nYes.\n\n{picture}", "inside.svg": "<svg/>"})
    with serving(kinds) as started:
        started.state()
        yield started


def get(server: Server, target: str, *headers: str) -> tuple[int, dict[str, str], bytes]:
    lines = "".join(f"{header}\r\n" for header in (f"Host: {server.host}", "Connection: close", *headers))
    head, _, body = server.ask(f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode()).partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    return int(first.split()[1]), dict(line.lower().split(": ", 1) for line in rest), body


# Requests that are answered


def test_every_attack_is_refused(server: Server) -> None:
    """Refused requests must not get a single word of a card, a file next to the collection or our code."""
    every = attacks(server.port)
    assert len(every) >= 100
    answered = [attack.name for attack in every if not _is_refused(server, attack)]
    assert answered == []
    assert SECRET in json.dumps(server.get("state"))


def _is_refused(server: Server, attack: Attack) -> bool:
    answer = server.ask(attack.request).lower()
    statuses = [int(status) for status in re.findall(rb"http/1\.1 (\d{3})", answer)]
    told = (SECRET.encode(), b"root:", b"access-control-", b"set-cookie", b"import ")
    return all(400 <= status < 500 for status in statuses) and not any(word in answer for word in told)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Origin: http://evil.example",),
        ("Origin: null",),
        ("Origin: http://{host}", "Sec-Fetch-Site: cross-site"),
        ("Origin: http://{host}", "Sec-Fetch-Site: same-site"),
        ("Origin: http://{host}", "Referer: http://evil.example/"),
        ("Origin: http://{host}", "X-Ptcards-Key: twice"),
    ],
    ids=[
        "no origin",
        "another origin",
        "no place",
        "cross-site",
        "same-site",
        "a stranger's link",
        "two keys",
    ],
)
def test_even_with_the_key_nobody_but_the_page_acts(
    server: Server, action: str, headers: tuple[str, ...]
) -> None:
    file = server.folder / "autograd.md"
    before = file.read_bytes()
    lines = "".join(
        f"{each.format(host=server.host)}\r\n" for each in (f"X-Ptcards-Key: {server.key}", *headers)
    )
    asked = (
        f"POST {action}?file={file}&line=16&rule=nothing-asked HTTP/1.1\r\nHost: {server.host}\r\n{lines}\r\n"
    )
    assert server.ask(asked.encode()).startswith(b"HTTP/1.1 403")
    assert file.read_bytes() == before


def test_only_files_that_the_page_shows_are_touched(server: Server) -> None:
    """Requests with the key come from the author, but a bug in the page must not reach other files."""
    secret = server.folder.parent / "kinds-beside" / "secret.md"
    for action in EDITS:
        asked = (
            f"POST {action}?file={secret}&line=1&rule=nothing-asked HTTP/1.1\r\nHost: {server.host}\r\n"
            f"Origin: http://{server.host}\r\nX-Ptcards-Key: {server.key}\r\n\r\n"
        )
        answer = server.ask(asked.encode())
        assert (answer.startswith(b"HTTP/1.1 200"), b'"done":false' in answer) == (True, True)
    assert secret.read_text("utf-8") == SECRET


@pytest.mark.parametrize("action", ["/do/open", "/do/fix"])
def test_a_line_has_at_most_ten_digits(server: Server, action: str) -> None:
    def status(line: str) -> int:
        asked = (
            f"POST {action}?file={server.folder / 'autograd.md'}&line={line}&rule=nothing-asked HTTP/1.1\r\n"
            f"Host: {server.host}\r\nOrigin: http://{server.host}\r\nX-Ptcards-Key: {server.key}\r\n\r\n"
        )
        return int(server.ask(asked.encode()).split()[1])

    refused = ("1" * 11, "9" * 20, "9" * 3000, "", "-1", "one", "%D9%A3")
    assert [status(line) for line in ("1", "9" * 10, *refused)] == [200, 200, *[400] * len(refused)]


@pytest.mark.parametrize(
    "headers",
    [
        (),
        ("Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"),
        ("Sec-Fetch-Site: same-origin", "Referer: http://{host}/"),
        ("Origin: http://{host}",),
    ],
    ids=["a program", "the address bar", "the page", "the page with its origin"],
)
def test_who_may_ask_is_answered(server: Server, headers: tuple[str, ...]) -> None:
    status, _, body = get(server, "/state", *(header.format(host=server.host) for header in headers))
    assert (status, SECRET.encode() in body) == (200, True)


@pytest.mark.parametrize("route", ROUTES)
def test_every_answer_forbids_others_to_use_it(server: Server, route: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall(f"GET {route} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(1024)
    headers = dict(
        line.lower().split(": ", 1) for line in head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")[1:]
    )
    assert {name: headers.get(name) for name in (
        "cache-control", "cross-origin-opener-policy", "cross-origin-resource-policy", "referrer-policy",
        "x-content-type-options", "x-dns-prefetch-control",
    )} == {
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-dns-prefetch-control": "off",
    }  # fmt: skip
    assert not any(name.startswith("access-control-") or name in ("server", "set-cookie") for name in headers)


@pytest.mark.parametrize(
    ("embed", "around"),
    [("vscode", "vscode-webview://* vscode-file://vscode-app"), ("obsidian", "app://obsidian.md")],
)
def test_a_pane_of_one_editor_may_show_the_page_and_get_nothing_else(
    embed: str, around: str, tmp_path: Path
) -> None:
    frame = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")
    with serving(write_files(tmp_path / "kinds", KINDS), "--embed", embed) as server:
        policies = {
            path: get(server, path, *headers)[1]["content-security-policy"].partition("frame-ancestors ")[2]
            for path, headers in (("/", frame), ("/card", ()))
        }
        others = [get(server, path, *frame)[0] for path in ("/card", "/state", "/assets/app.js")]
        script = get(server, "/", *frame[:-1], "Sec-Fetch-Dest: script")[0]
    assert policies == {"/": around, "/card": f"'self' {around}; sandbox allow-scripts"}
    assert (others, script) == ([403, 403, 403], 403)


def test_nobody_but_this_computer_can_connect(server: Server) -> None:
    sockets = [
        line.split() for line in Path(f"/proc/{server.process.pid}/net/tcp").read_text("ascii").splitlines()
    ]
    listening = [place for _, place, _, status, *_ in sockets[1:] if status == "0A"]
    assert [place for place in listening if place.endswith(f":{server.port:04X}")] == [
        f"0100007F:{server.port:04X}"
    ]
    # On Linux, all of 127.0.0.0/8 is this computer, but the preview only listens on one address.
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), 1)


def test_pictures_are_served_by_name_with_nothing_that_runs(server: Server) -> None:
    picture = media_file(server.folder / "inside.svg", b"<svg/>")
    status, headers, body = get(server, f"/media/{picture.name}")
    assert (status, body, headers["content-type"]) == (200, b"<svg/>", "image/svg+xml")
    assert headers["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert SECRET.encode() not in server.ask(
        b"GET /media/outside.svg HTTP/1.1\r\nHost: %b\r\n\r\n" % server.host.encode()
    )


def test_pages_have_a_new_nonce_each_time(server: Server) -> None:
    policies = {get(server, route)[1]["content-security-policy"] for route in ("/", "/", "/card", "/card")}
    assert len(policies) == 4
    assert all("default-src 'none'" in policy and "unsafe-eval" not in policy for policy in policies)


# Port and end


def test_a_taken_port_is_passed_over_aloud(server: Server, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "kinds", KINDS)
    with serving(folder, port=server.port) as other:
        assert other.port > server.port
        assert other.get("state")["version"] >= 0
        press_ctrl_c(other.process)
        _, said = other.process.communicate(timeout=PATIENCE)
    assert said.splitlines() == [
        f"port {server.port} is taken; using {other.port}",
        "Watching kinds. Press Ctrl-C to stop.",
        "interrupted",
    ]


def test_no_free_port_is_wrong_usage(write: Callable[..., Path], ptcards: Callable[..., Ran]) -> None:
    folder = write(KINDS)
    with socket.socket() as last:
        last.bind(("127.0.0.1", 65535))
        last.listen()
        ran = ptcards("serve", folder, "--port", "65535")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith("error: no free port from 65535 on\n")


@pytest.mark.parametrize("path", ["nothing.md", "empty"])
def test_a_source_that_is_not_there_is_wrong_usage(
    tmp_path: Path, ptcards: Callable[..., Ran], path: str
) -> None:
    (tmp_path / "empty").mkdir()
    ran = ptcards("serve", tmp_path / path)
    assert (ran.status, ran.out) == (2, "")


@pytest.mark.slow
def test_ctrl_c_ends_it_at_once_even_with_a_page_that_listens(tmp_path: Path) -> None:
    with serving(write_files(tmp_path / "kinds", KINDS)) as server:
        server.state()
        with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as page:
            page.sendall(f"GET /events HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
            assert b"text/event-stream" in page.recv(4096)
            workers = server.workers()
            press_ctrl_c(server.process)
            out, said = server.process.communicate(timeout=PATIENCE)
    assert (server.process.returncode, out) == (130, "")
    assert said == "Watching kinds. Press Ctrl-C to stop.\ninterrupted\n"
    assert [worker for worker in workers if Path(f"/proc/{worker}").exists()] == []


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.2, 0.4, 0.5, 0.6, 0.8])
def test_ctrl_c_ends_it_quietly_whatever_it_does(tmp_path: Path, after: float) -> None:
    """This applies while workers start, read, or look for advice.

    The messages of asyncio are not for users.
    """
    with serving(write_files(tmp_path / "kinds", KINDS)) as server:
        time.sleep(after)
        press_ctrl_c(server.process)
        _, said = server.process.communicate(timeout=PATIENCE)
    assert (server.process.returncode, said) == (
        130,
        "Watching kinds. Press Ctrl-C to stop.\ninterrupted\n",
    )


@pytest.mark.slow
@pytest.mark.parametrize("listeners", [1, 8])
def test_ctrl_c_ends_it_quietly_while_pages_ask_for_a_card(tmp_path: Path, listeners: int) -> None:
    """The worker is killed while it works. No new worker is started, and listening pages do not continue."""
    slow = {"slow.md": f"# Slow\n\n## Slow?\n\n{'*a' * 20_000}\n"}
    with serving(write_files(tmp_path / "kinds", KINDS | slow)) as server, contextlib.ExitStack() as pages:
        card = next(name for name, card in server.state()["cards"].items() if card["question"] == "Slow?")
        for target in ("events",) * listeners + (f"sides/{card}",) * 2:
            page = pages.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            page.sendall(f"GET /{target} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        time.sleep(0.1)
        press_ctrl_c(server.process)
        out, said = server.process.communicate(timeout=PATIENCE)
    assert (server.process.returncode, out) == (130, "")
    assert said == "Watching kinds. Press Ctrl-C to stop.\ninterrupted\n"


@pytest.mark.slow
def test_a_port_is_free_again_at_once(tmp_path: Path) -> None:
    folder, port = write_files(tmp_path / "kinds", KINDS), free_port()
    for _ in range(2):
        with serving(folder, port=port) as server:
            assert (server.port, server.get("state")["names"]) == (port, [])


# Messages


@pytest.mark.skipif(sys.platform != "linux", reason="takes the lowest number of a file")
def test_an_end_without_a_free_file_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    """A second after there was no file, asyncio wants to listen again, even if the server has ended."""
    import resource  # noqa: PLC0415 - only on Unix

    async def end_without_files() -> None:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        with socket.create_connection(server.sockets[0].getsockname()):
            free = os.dup(0)
            os.close(free)
            resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
            try:
                await asyncio.sleep(0.1)
                server.close()
                await asyncio.sleep(1.2)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    reports = Reports()
    logging.getLogger("asyncio").addFilter(reports)
    try:
        asyncio.run(end_without_files())
    finally:
        logging.getLogger("asyncio").removeFilter(reports)
    assert caplog.messages == [
        "too many open files: close pages of the preview, or raise the limit with ulimit -n"
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="waits for a process by its file")
def test_a_process_that_ends_before_it_is_killed_is_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    """`kill` asks whether a process has ended, which takes its status away from asyncio."""

    async def end_twice() -> None:
        process = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
        os.kill(process.pid, signal.SIGKILL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - it has ended
        process.kill()
        await process.wait()

    reports = Reports()
    logging.getLogger("asyncio").addFilter(reports)
    # The default of Python 3.12. The older watcher waits in a thread, and so either may be first.
    if sys.version_info < (3, 12):
        asyncio.set_child_watcher(asyncio.PidfdChildWatcher())
    try:
        asyncio.run(asyncio.wait_for(end_twice(), PATIENCE))
    finally:
        logging.getLogger("asyncio").removeFilter(reports)
        if sys.version_info < (3, 12):
            asyncio.set_child_watcher(asyncio.ThreadedChildWatcher())
    assert caplog.messages == []


@pytest.mark.skipif(sys.platform != "linux", reason="sets the limits of another process")
def test_too_many_open_files_are_reported_once_and_it_goes_on_afterwards(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - only on Unix

    with serving(write_files(tmp_path / "kinds", KINDS)) as server:
        card = next(iter(server.state()["cards"]))
        process = server.process.pid
        few = len(list(Path(f"/proc/{process}/fd").iterdir())) + 3
        limits = resource.prlimit(process, resource.RLIMIT_NOFILE)
        resource.prlimit(process, resource.RLIMIT_NOFILE, (few, limits[1]))
        with contextlib.ExitStack() as pages:
            for _ in range(12):
                pages.enter_context(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            time.sleep(2.5)  # asyncio tries again each second
            for worker in server.workers():
                os.kill(worker, signal.SIGKILL)
            time.sleep(0.2)
        write_files(server.folder, {"new.md": "# New\n\n## New?\n\nYes.\n"})
        resource.prlimit(process, resource.RLIMIT_NOFILE, limits)
        server.state(lambda state: bool(state["order"]))
        write_files(server.folder, {"new.md": "# New\n\n## Newer?\n\nYes.\n"})
        server.state(lambda state: "Newer?" in [each["question"] for each in state["cards"].values()])
        assert server.get(f"sides/{card}") != []
        press_ctrl_c(server.process)
        _, said = server.process.communicate(timeout=PATIENCE)
    assert said == (
        "Watching kinds. Press Ctrl-C to stop.\n"
        "too many open files: close pages of the preview, or raise the limit with ulimit -n\n"
        "interrupted\n"
    )


def test_the_state_is_what_the_terminal_says(tmp_path: Path, ptcards: Callable[..., Ran]) -> None:
    broken = "# Broken\n\n## A question?\n<!-- card: id=a difficulty=easyy -->\n\nAn answer.\n"
    folder = write_files(tmp_path / "kinds", KINDS | {"broken.md": broken})
    with serving(folder) as server:
        state = server.state(lambda state: problems(state) != [])
        (problem,) = [each for each in problems(state) if each["severity"] == "error"]
        # The page has a button for what the terminal marks with `[fix]`.
        said = ptcards("check", "-v", folder).out.replace(" [fix]", "")
        assert _without_folder(problem["text"], tmp_path) in said
        write_files(folder, {"broken.md": broken.replace("easyy", "easy")})
        server.state(lambda state: not any(each["severity"] == "error" for each in problems(state)))


def _without_folder(text: str, folder: Path) -> str:
    return text.replace(f"{folder.as_posix()}/", "")


# Long sessions


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_by_the_next_save(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "kinds", KINDS)
    with serving(folder) as server:
        before = server.state()["order"]
        for worker in server.workers():
            os.kill(worker, signal.SIGKILL)
        write_files(folder, {"new.md": "# New\n\n## A new question?\n\nYes.\n"})
        server.state(lambda state: problems(state) != [] or len(state["order"]) > len(before))
        write_files(folder, {"new.md": "# New\n\n## Another question?\n\nYes.\n"})
        state = server.state(lambda state: "Another question?" in json.dumps(state["cards"]))
        assert len(state["order"]) == len(before) + 1
        server.state(lambda state: not any(each["rule"] == "preview" for each in problems(state)))


@pytest.mark.slow
def test_a_save_at_any_moment_leaves_the_reader_what_it_knows(tmp_path: Path) -> None:
    """About 0.4 seconds after a save, new notes get their GUIDs; with this many notes that takes a while."""
    many = "# Many\n\n" + "".join(f"## Question {n}?\n\nAnswer {n}.\n\n" for n in range(3_000))
    folder = write_files(tmp_path / "kinds", KINDS | {"many.md": many})
    with serving(folder) as server:
        server.state()
        reader = server.workers()[0]
        for n, after in enumerate((0.44, 0.48, 0.52, 0.56, 0.6)):
            write_files(folder, {"new.md": f"# New\n\n## A new question {n}?\n\nYes.\n"})
            time.sleep(after)
            write_files(folder, {"new.md": f"# New\n\n## Another question {n}?\n\nYes.\n"})
            server.state(lambda state, n=n: f"Another question {n}?" in json.dumps(state["cards"]))  # type: ignore[misc]
        assert server.workers()[0] == reader


HARD = (
    "*a" * 20_000,
    "[" * 30_000,
    "`" * 5_000 + "a" + "`" * 4_999,
    "\\(" + "{" * 2_000 + "\\)",
    "> " * 3_000 + "a",
    "<" * 30_000,
    "- " * 2_000 + "a",
    "|" * 20_000 + "\n" + "|-" * 10_000,
    "&" * 60_000,
    "```python\n" + "'" * 50_000 + "\n```",
)


@pytest.mark.slow
def test_cards_that_are_hard_to_render_leave_the_preview_alive(tmp_path: Path) -> None:
    hard = {
        f"hard-{n}.md": f"# Hard {n}\n\n## Hard?\n<!-- card: id=n{n} -->\n\n{text}\n"
        for n, text in enumerate(HARD)
    }
    folder = write_files(tmp_path / "kinds", KINDS | hard)
    with serving(folder) as server:
        for card in server.state()["order"]:
            assert isinstance(server.get(f"sides/{card}"), list)
        write_files(folder, {"hard-0.md": "# Easy\n\n## An easy question?\n\nYes.\n"})
        server.state(lambda state: "An easy question?" in json.dumps(state["cards"]))


NOT_HTTP = {
    "a header of 1 MB": b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"x" * (1 << 20) + b"\r\n\r\n",
    "a bad chunk": b"GET / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n\r\n",
    "a chunk that is too long": b"GET / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"f" * 99
    + b"\r\n",
    "half a body": b"GET / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\nx",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


@pytest.mark.slow
def test_many_saves_do_not_make_it_grow_and_what_is_not_http_prints_no_traceback(tmp_path: Path) -> None:
    """After the first saves, memory stays the same.

    If every answer and the name of every picture were kept, it would grow fourfold.
    """
    folder = write_files(tmp_path / "kinds", KINDS)
    note = (
        "# New\n\n## Question {n}?\n<!-- card: id=n{n} -->\n\n" + "Answer {n}. " * 2000 + "\n\n![x](x.svg)\n"
    )

    def save(server: Server, n: int) -> str:
        picture = media_file(folder / "x.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='%d'/>" % n)
        write_files(folder, {"new.md": note.format(n=n)})
        server.state(lambda state: f"Question {n}?" in json.dumps(state["cards"]))
        return picture.name

    with serving(folder) as server:
        server.state()
        half = socket.create_connection(("127.0.0.1", server.port), 60)
        half.sendall(b"GET / HTTP/1.1\r\nHost: ")
        first, *_ = (save(server, n) for n in range(60))
        before = server.memory()
        for n in range(60, 180):
            save(server, n)
        assert server.memory() - before < 3000
        assert get(server, f"/media/{first}")[0] == 404
        with half:
            assert half.recv(1) == b""
        for request in NOT_HTTP.values():
            server.ask(request.replace(b"{host}", server.host.encode()))
        assert server.get("state")["version"] > 0
        server.process.kill()
        _, said = server.process.communicate()
    assert ("Traceback" in said, "Exception" in said) == (False, False)


@pytest.mark.slow
def test_a_server_that_ends_right_after_its_start_prints_no_traceback(tmp_path: Path) -> None:
    notes = "".join(f"## Why {number}?\n\nIt fits.\n\n" for number in range(1000))
    with serving(write_files(tmp_path / "kinds", KINDS | {"many.md": notes})) as server:
        while not server.workers():
            time.sleep(0.01)
        server.process.kill()
        # The worker shares the stream: its messages are read to the end, even if nobody takes its answer.
        assert "Traceback" not in server.process.communicate()[1]


def test_without_a_browser_open_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with serving(write_files(tmp_path / "kinds", KINDS), "--open") as server:
        assert server.process.stderr is not None
        said = [server.process.stderr.readline() for _ in range(2)]
    assert said == [
        "Watching kinds. Press Ctrl-C to stop.\n",
        "no browser was found: open the address above yourself\n",
    ]
