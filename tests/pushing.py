"""A collection to push, and an Anki to push it to.

The Anki is the small AnkiConnect or, with `make desktop`, a desktop Anki.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ankiconnect import Anki, AnkiConnect, Door, door
from conftest import Ran
from desktop import desktop_anki
from serving import PATIENCE

Run = Callable[..., Ran]
TOML = 'name = "Mini"\nid = "abcdef12"\n'
NOTHING = 'Anki: profile "User 1"\n', "nothing to push\n"
DIALOG = (
    "Anki's import dialog now suggests *merge note types*, *import learning progress* and *presets*, because AnkiConnect always "
    "imports that way; turn them off for other decks\n"
)


@dataclass(frozen=True)
class Seen:
    """A note as the owner sees it in Anki."""

    fields: dict[str, str]
    tags: list[str]

    def __getitem__(self, name: str) -> str:
        return self.fields[name]


@dataclass(frozen=True)
class World:
    """A collection of two sources, and an Anki to push it to."""

    folder: Path
    anki: Door
    run: Run

    def write(self, name: str, title: str, *notes: str) -> None:
        """Write a source; a note is `id: answer`."""
        parts = [f"# {title}\n"]
        for note in notes:
            key, _, answer = note.partition(": ")
            parts.append(f"## What is {key}?\n<!-- card: id={key} -->\n\n{answer}\n")
        (self.folder / name).write_text("\n".join(parts), "utf-8")

    def push(self, *arguments: str) -> Ran:
        return self.run("push", self.folder, *arguments)

    def do(self, what: str, *args: Any, **kwargs: Any) -> Any:
        """Let the owner of the Anki collection do something."""
        return self.anki.do(what, *args, **kwargs)

    def note(self, key: str) -> Seen:
        (note,) = self.do("read", query(key))
        return Seen(note["fields"], note["tags"])

    def edit(self, key: str, tags: str = "", later: int = 5, **fields: str) -> None:
        self.do("edit", query(key), fields, tags, later)

    def answers(self) -> dict[str, str]:
        notes = [each["fields"] for each in self.do("read")]
        plain = [[re.sub("</?p>", "", note[name]) for name in ("Question", "Answer")] for note in notes]
        return dict(sorted((question.split()[-1].rstrip("?"), answer) for question, answer in plain))


def query(key: str) -> str:
    """Return the query that finds a note in Anki."""
    return f'"Question:*What is {key}?*"'


@pytest.fixture(scope="module", params=["small", pytest.param("desktop", marks=pytest.mark.desktop)])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Anki]:
    """Run an Anki for all tests of a module."""
    if request.param == "desktop":
        with desktop_anki(tmp_path_factory.mktemp("base")) as anki:
            yield anki
    else:
        small = AnkiConnect(tmp_path_factory.mktemp("profile"))
        yield small
        small.do("quit")


@pytest.fixture
def anki(shared: Anki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Door]:
    """Return an Anki without notes, which ptcards finds."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with door(shared) as opened:
        monkeypatch.setenv("PTCARDS_ANKI_URL", opened.url)
        yield opened
        assert not opened.is_stale
    shared.do("open")
    shared.do("set_key", None)
    shared.do("reset")


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a collection of one note, for pushes that leave their record in the test's folder."""
    folder = empty_deck(tmp_path)
    (folder / "a.md").write_text("# Alpha\n\n## What is a0?\n<!-- card: id=a0 -->\n\nfirst\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def empty_deck(folder: Path) -> Path:
    """Return the folder of a new collection without notes."""
    (folder / "deck").mkdir()
    (folder / "deck/deck.toml").write_text(TOML)
    return folder / "deck"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ptcards: Run, anki: Door) -> World:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 1000))
    return World(empty_deck(tmp_path), anki, ptcards)


@pytest.fixture
def pushed(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Return a world whose Anki has ten notes `a0` to `a9` and four `b0` to `b3`.

    The next build has a later time.
    """
    world.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(10)))
    world.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)))
    assert world.push().status == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(time.time()) - 500))
    return world
