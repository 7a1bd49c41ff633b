"""Pictures on servers that `check --fix --fetch` downloads or refuses."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from conftest import Ran
from ptcards.extensions.pictures.fetch import Downloaded, DownloadError, download, fetch
from ptcards.files import OutputError
from ptcards.workspace import ReadOptions, Workspace

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
LOOKS_LIKE_SVG = b"<!---->" * 100
SVG = b'<?xml version="1.0"?>\n<!-- drawn by hand -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'

# by file name: content, type, encoding, length
ANSWERS: dict[str, tuple[Any, ...]] = {
    "plot": (PNG,),
    "a%20b": (PNG,),
    "logo": (SVG, "image/svg+xml; charset=utf-8"),
    "comments": (LOOKS_LIKE_SVG, "image/svg+xml"),
    "page": (b"<html><script>alert(1)</script></html>",),
    "typed": (PNG, "text/html"),
    "large": (PNG + bytes(2_000),),
    "short": (PNG, "image/png", "", 1_000),
    "zipped": (PNG, "image/png", "gzip"),
}

Write = Callable[[dict[str, str]], Path]
Run = Callable[..., Ran]


class Hostile(BaseHTTPRequestHandler):
    """A server whose answers depend on the path, mostly bad ones."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].removeprefix("/").partition(".")[0]
        if name.startswith("to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif found := ANSWERS.get(name):
            self.answer(*found)
        elif found := getattr(self, f"get_{name}", None):
            found()
        else:
            self.send_error(404)

    def get_endless(self) -> None:
        self.answer(PNG, length=None)
        while True:
            self.wfile.write(bytes(65_536))

    def get_drip(self) -> None:
        self.answer(PNG, length=1_000)
        while not self.server.stopped.wait(0.05):  # type: ignore[attr-defined]
            self.wfile.write(b".")

    def get_headers(self) -> None:
        self.send_response(200)
        for number in range(1_000):
            self.send_header(f"X-{number}", "x")
        self.end_headers()

    def get_garbage(self) -> None:
        self.wfile.write(b"\0\xff no status line\r\n\r\n")
        self.close_connection = True

    def get_silence(self) -> None:
        self.close_connection = True

    def answer(
        self, content: bytes, kind: str = "image/png", encoding: str = "", length: int | None = -1
    ) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.close_connection = True
        if length is not None:
            self.send_header("Content-Length", str(len(content) if length < 0 else length))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


class Server(ThreadingHTTPServer):
    """Serve until `stopped`; disconnecting clients are normal."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hostile)
        self.stopped = threading.Event()

    def handle_error(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.stopped.set()
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("plot.png", Downloaded(PNG, ".png")),
        ("a%20b.png?x=1&y=é", Downloaded(PNG, ".png")),
        ("a b.png", Downloaded(PNG, ".png")),
        ("logo", Downloaded(SVG, ".svg")),
        ("to/../plot.png", Downloaded(PNG, ".png")),
        ("to//to//to//to//to//plot.png", Downloaded(PNG, ".png")),
    ],
)
def test_media_are_taken_and_named_by_what_they_are(host: str, path: str, found: Downloaded) -> None:
    assert download(f"http://{host}/{path}", {host}) == found


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("none.png", "the server responded with 404"),
        ("comments", "not a picture, sound or video that cards can show"),
        ("page.png", "not a picture, sound or video that cards can show"),
        ("typed.png", "not a picture, sound or video that cards can show"),
        ("large.png", "too large"),
        ("endless.png", "too large"),
        ("short.png", "the response is incomplete"),
        ("zipped.png", "the response is compressed, although that was not requested"),
        ("drip.png", "no response within 0.5 seconds"),
        ("headers.png", "the response cannot be read"),
        ("garbage.png", "the response cannot be read"),
        ("silence.png", "the response cannot be read"),
        ("to/" * 7, "more than 5 redirects"),
        ("to/file:///etc/passwd", "`file:` addresses are not downloaded"),
        ("to/ftp://example.org/a.png", "`ftp:` addresses are not downloaded"),
        ("to/http://127.0.0.1:1/a.png", "only `https:` addresses are downloaded"),
        ("to/https://127.0.0.1:1/a.png", "`127.0.0.1` is not a public server"),
        ("to/https://user@example.org/a.png", "the address has no host, or contains a user name"),
        ("to/https://[::1/a.png", "the address is not valid"),
    ],
)
def test_what_a_server_may_not_answer_is_not_taken(host: str, path: str, why: str) -> None:
    with pytest.raises(DownloadError) as caught:
        download(f"http://{host}/{path}", {host}, 1_000, seconds=0.5)
    assert str(caught.value) == why


@pytest.mark.parametrize(
    "private",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "0.0.0.0",
        "224.0.0.1",
        "[::1]",
        "[fe80::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
    ],
)
def test_private_servers_are_not_asked(private: str) -> None:
    with pytest.raises(DownloadError) as caught:
        download(f"https://{private}/a.png", ())
    assert re.fullmatch(r"`.*` is not a public server", str(caught.value))


@pytest.mark.extensions
def test_fetched_files_are_shown_and_sources_stay_as_they_are(write: Write, ptcards: Run, host: str) -> None:
    native = f"## What is it?\n\n![A plot](http://{host}/plot.png) ![](http://{host}/none.png)\n"
    list_ = f'### Why?\n\n<details>\n\n<img src="http://{host}/logo">\n\n</details>\n'
    toml = (
        'name = "D"\nid = "d"\n[[dialects]]\nfiles = ["list.md"]\ndialect = "details"\nquestion = "heading"\n'
    )
    root = write({"c/deck.toml": toml, "c/a.md": native, "c/list.md": list_}) / "c"
    with ReadOptions.of_user() as options:
        (contents,) = Workspace.read([root], options).contents
        files, _, failures = fetch(contents, lambda *_: None, {host})
    assert (files, failures) == (2, {f"http://{host}/none.png": "the server responded with 404"})
    ran = ptcards("check", root, "--format", "concise")
    errors = [line for line in ran.out.splitlines() if " error[" in line]
    assert [re.sub(r":\d+: ", ":N: ", line).replace(host, "HOST") for line in errors] == [
        "c/a.md:3:N: error[remote-media] `http://HOST/none.png` is not a file in the collection"
    ]
    assert ((root / "a.md").read_text(), (root / "list.md").read_text()) == (native, list_)
    listed = [line.split("\t") for line in (root / "media/remote.tsv").read_text().splitlines()]
    assert [
        (address.replace(host, "HOST"), re.sub(r"[0-9a-f]{8}", "X", path)) for address, path in listed
    ] == [
        ("http://HOST/logo", "media/logo-X.svg"),
        ("http://HOST/plot.png", "media/plot-X.png"),
    ]
    assert [(root / path).read_bytes() for _, path in listed] == [SVG, PNG]
    (root / "a.md").write_text(native.partition(" ![](")[0] + "\n")
    assert ptcards("build", root, "-o", root / "out").status == 0
    again = ptcards("build", root, "-o", root / "out")
    assert (again.status, again.err.split()[0]) == (0, "Unchanged")


def test_a_list_that_leads_out_of_the_collection_shows_nothing(write: Write, ptcards: Run) -> None:
    root = write(
        {
            "secret.png": "secret",
            "c/deck.toml": 'name = "D"\nid = "d"\n',
            "c/a.md": "## What is it?\n\n![A plot](https://example.org/plot.png)\n",
            "c/media/remote.tsv": "https://example.org/plot.png\t../secret.png\n",
        }
    )
    ran = ptcards("check", root / "c", "--format", "concise")
    assert "a.md:3:1: error[unsafe-media]" in ran.out


def test_nothing_is_written_through_a_link(write: Write, host: str) -> None:
    files = {"c/deck.toml": 'name = "D"\nid = "d"\n', "c/a.md": f"## What?\n\n![A](http://{host}/plot.png)\n"}
    root = write({**files, "elsewhere/kept": ""})
    (root / "c/media").symlink_to(root / "elsewhere")
    with ReadOptions.of_user() as options:
        (contents,) = Workspace.read([root / "c"], options).contents
        with pytest.raises(OutputError) as caught:
            fetch(contents, lambda *_: None, {host})
    assert (
        str(caught.value) == f"cannot write `{root}/c/media`: it is a link to a place outside the collection"
    )
    assert [each.name for each in (root / "elsewhere").iterdir()] == ["kept"]


def test_what_was_not_fetched_is_told(write: Write, ptcards: Run, host: str) -> None:
    address = f"https://{host}/plot.png"
    root = write({"c/deck.toml": 'name = "D"\nid = "d"\n', "c/a.md": f"## What?\n\n![A]({address})\n"})
    ran = ptcards("check", root / "c", "--fix", "--fetch")
    assert (ran.status, ran.err.splitlines()[:1]) == (
        1,
        [
            f"not fetched: `{address}`: `127.0.0.1` is not a public server",
        ],
    )


def test_fetching_goes_with_fixing(ptcards: Run) -> None:
    assert (
        ptcards("check", "--fetch").err.splitlines()[-1]
        == "error: `--fetch` writes files: use it with `--fix`"
    )
