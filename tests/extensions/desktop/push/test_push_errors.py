"""The messages of `ptcards push` if Anki is not running, or not as expected."""

import json
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread, Timer

import pytest

from ankiconnect import Door
from conftest import Ran
from pushing import Run, anki, deck, shared

__all__ = ["anki", "deck", "shared"]


def test_nothing_answers(ptcards: Run, deck: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://localhost:{port}"})
    assert ran == Ran(
        1,
        "",
        f"error: nothing answers at localhost:{port}\n"
        "help: start Anki, and install AnkiConnect in it (Tools › Add-ons › Get Add-ons, 2055492159); or wait for it with `--wait 60`\n",
    )


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1:8765",
        "https://127.0.0.1:8765",
        "file:///tmp/a",
        "http://127.0.0.1.example:1",
        "8765",
    ],
)
def test_only_this_computer_is_asked(ptcards: Run, deck: Path, url: str) -> None:
    assert ptcards("push", deck, env={"PTCARDS_ANKI_URL": url}) == Ran(
        2,
        "",
        f"error: `{url}` is not an address on this computer\n"
        "help: set `PTCARDS_ANKI_URL` to an address such as `http://127.0.0.1:8765`\n",
    )


def test_no_proxy_is_asked(ptcards: Run, deck: Path, anki: Door) -> None:
    proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY"), "http://192.0.2.1:9")
    assert ptcards("push", deck, "--dry-run", env={**proxies}).status == 0
    assert anki.asked != []


def test_something_else_listens_there(ptcards: Run, deck: Path) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_error(405, "only GET")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        thread = Thread(target=server.handle_request)
        thread.start()
        address = f"127.0.0.1:{server.server_port}"
        ran = ptcards("push", deck, env={"PTCARDS_ANKI_URL": f"http://{address}"})
        thread.join()
    assert ran == Ran(
        1,
        "",
        f"error: the program at {address} is not AnkiConnect\n"
        "help: stop it (perhaps it is `ptcards serve --port`), and restart Anki\n",
    )


def test_the_key_of_ankiconnect_is_asked_for_and_never_printed(ptcards: Run, deck: Path, anki: Door) -> None:
    anki.do("set_key", "secret")
    assert ptcards("push", deck, "--dry-run") == Ran(
        1,
        "",
        "error: AnkiConnect requires its API key\n"
        "help: set `PTCARDS_ANKI_KEY` to the `apiKey` of AnkiConnect's configuration\n",
    )
    ran = ptcards("push", deck, env={"PTCARDS_ANKI_KEY": "secret"})
    assert (ran.status, "secret" in ran.out + ran.err) == (0, False)


def test_an_ankiconnect_that_is_too_old_is_to_be_updated(ptcards: Run, deck: Path, anki: Door) -> None:
    anki.missing = {"getActiveProfile", "notesModTime"}
    assert ptcards("push", deck, "--dry-run") == Ran(
        1,
        "",
        "error: this AnkiConnect is too old\nhelp: update it in Anki to a version from July 2024 or later\n",
    )


@pytest.mark.usefixtures("anki")
def test_another_profile_is_refused(ptcards: Run, deck: Path) -> None:
    assert ptcards("push", deck, "--profile", "Work") == Ran(
        2, "", 'error: profile "User 1" is open, not "Work": switch in Anki (File › Switch Profile)\n'
    )
    assert ptcards("push", deck, "--profile", "User 1", "--dry-run").status == 0


def test_anki_that_shows_its_profiles_is_waited_for(ptcards: Run, deck: Path, anki: Door) -> None:
    anki.do("close")
    assert ptcards("push", deck, "--dry-run") == Ran(
        1,
        "",
        "error: Anki has no collection open: it shows its profiles, or is syncing\n"
        "help: open a profile in Anki; or wait for it with `--wait 60`\n",
    )
    timer = Timer(0.1, lambda: anki.do("open"))
    timer.start()
    assert ptcards("push", deck, "--dry-run", "--wait", "20").status == 0
    timer.join()


def test_mistakes_in_the_sources_and_folders_without_deck_toml_are_refused(
    ptcards: Run, deck: Path, anki: Door
) -> None:
    anki.asked.clear()
    (deck / "a.md").write_text("# Alpha\n\n## What is a0?\n<!-- card: id=a0 dificulty=easy -->\n\nfirst\n")
    assert ptcards("push", deck).status == 1
    (deck / "deck.toml").unlink()
    (deck / "a.md").write_text("# Alpha\n\n## What is a0?\n\nfirst\n")
    assert ptcards("push", deck) == Ran(
        2, "", "error: `deck` has no `deck.toml`: run `ptcards init` there first\n"
    )
    assert {*anki.asked} == {"getActiveProfile", "getMediaDirPath"}


@pytest.mark.usefixtures("anki")
def test_a_release_can_be_pushed_as_it_is_locked(ptcards: Run, deck: Path) -> None:
    assert ptcards("push", deck, "--locked").status == 1
    assert ptcards("build", deck, "-o", deck / "build").status == 0
    ran = ptcards("push", deck, "--locked", "--format", "json")
    plan = json.loads(ran.out)
    assert (ran.status, plan["new"], plan["profile"], plan["conflicts"]) == (0, ["a0"], "User 1", [])
