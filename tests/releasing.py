"""An author who releases with the real command, and what a package and a feed hold."""

import hashlib
import json
import sqlite3
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from conftest import Ran
from identity_release import Maintainer

SCHEMA = json.loads((Path(__file__).parent.parent / "docs" / "schemas" / "deck.json").read_text("utf-8"))
TOPIC_TYPES = ("Topic", "GUID")


class Publisher(Maintainer):
    """An author who releases into `dist/`, next to the folder `cards`."""

    settings = ""
    """the last lines of `deck.toml`"""

    def write(self, **sources: str) -> "Publisher":
        super().write(**sources)
        with (self.folder / "deck.toml").open("a") as file:
            file.write(self.settings)
        return self

    def release(self, *arguments: str | Path) -> Ran:
        """Release; the command must succeed."""
        ran = self.run("release", *arguments)
        assert ran.status == 0, ran.err
        return ran

    def publish_release(self, version: str, *arguments: str | Path, date: int = 0) -> Ran:
        """Build, commit, tag and release."""
        self.publish(f"v{version}", date=date)
        return self.release(*arguments)

    @property
    def dist(self) -> Path:
        return self.root / "dist"

    @property
    def feed(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.dist / "deck.json").read_text("utf-8"))
        return document

    @property
    def package(self) -> Path:
        return self.dist / str(self.feed["package"]["url"])

    @property
    def files(self) -> dict[str, bytes]:
        """The files of the release and their contents."""
        return {file.name: file.read_bytes() for file in sorted(self.dist.iterdir())}


@pytest.fixture
def publisher(tmp_path: Path, ptcards: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> Publisher:
    monkeypatch.chdir(tmp_path)
    return Publisher(tmp_path / "cards", ptcards)


def held(package: Path) -> dict[str, tuple[int, str, str, list[str]]]:
    """Return the time, deck, tags and digests of each note of a package by its GUID, without our code."""
    with (
        TemporaryDirectory() as folder,
        zipfile.ZipFile(package) as archive,
        closing(sqlite3.connect(archive.extract("collection.anki2", folder))) as database,
    ):
        models, decks = map(json.loads, database.execute("SELECT models, decks FROM col").fetchone())
        rows = database.execute(
            "SELECT DISTINCT guid, notes.mod, did, tags, flds, mid FROM notes JOIN cards ON cards.nid = notes.id"
        ).fetchall()
    found = {}
    for guid, mod, did, tags, fields, mid in rows:
        names = [field["name"] for field in models[str(mid)]["flds"]]
        is_built_in = {*TOPIC_TYPES} <= {*names}
        digests = [
            ""
            if not text or (is_built_in and name == "Topic")
            else hashlib.sha256(text.encode()).hexdigest()[:12]
            for name, text in zip(names, fields.split("\x1f"), strict=True)
        ]
        found[guid] = (mod, decks[str(did)]["name"], " ".join(sorted(tags.split())), digests)
    return found


def told(feed: dict[str, Any], release: int | None = None) -> dict[str, tuple[int, str, str, list[str]]]:
    """Return the same from a feed as it was at a release, by default the newest, without our code."""
    last = len(feed["releases"]) - 1 if release is None else release
    found = {}
    for guid, publications in feed["notes"].items():
        digests: list[str] = []
        then: list[Any] = []
        for each in publications:
            if each[0] <= last:
                then = each
                if len(each) > 1 and each[4] is not None:
                    now = each[4].split(" ")
                    digests = [digests[place] if part == "=" else part for place, part in enumerate(now)]
        if len(then) > 1:
            _, mod, deck, tags, _ = then
            found[guid] = (mod, feed["decks"][deck][0], feed["tags"][tags], digests)
    return found


def shortened(
    held_: dict[str, tuple[int, str, str, list[str]]],
) -> dict[str, tuple[int, str, str, list[str]]]:
    """Return what a package holds without the empty fields at the end, which a feed leaves out."""
    return {
        guid: (mod, deck, tags, " ".join(digests).rstrip().split(" "))
        for guid, (mod, deck, tags, digests) in held_.items()
    }


def link_environment(project: Path) -> None:
    """Use this environment in a copy of our project as its `.venv`, so that `make` installs nothing."""
    venv = project / ".venv"
    venv.mkdir()
    for each in Path(sys.prefix).iterdir():
        if not each.name.startswith("installed"):
            (venv / each.name).symlink_to(each)
    (venv / "installed").touch()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this computer and yield its address."""
    folder.mkdir(exist_ok=True)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
