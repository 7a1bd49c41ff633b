"""If a push or its Anki is killed, the next push completes the work."""

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from ankiconnect import Gone, door
from desktop import AnkiProcess, DesktopAnki, SmallAnki
from pushing import NOTHING, Run, World, anki, empty_deck, pushed, shared, world

__all__ = ["anki", "pushed", "shared", "world"]

PROFILE = 'Anki: profile "User 1"\n'
Start = Callable[[], AnkiProcess]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["updateNoteFields", "importPackage", "notesInfo"])
def test_a_push_that_is_killed_is_finished_by_the_next(
    pushed: World, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    mine = temporary / "ptcards-push-mine"
    mine.mkdir(parents=True)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    pushed.edit("a1", Hint="mine")
    pushed.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(1, 9)), "n0: new")
    pushed.write("b.md", "Beta", *(f"b{n}: first {n}" for n in range(4)), "a9: first 9")
    running: list[subprocess.Popen[bytes]] = []

    def kill(action: str, _: dict[str, Any]) -> None:
        if action == step and "changeDeck" in pushed.anki.asked:
            running[0].kill()

    pushed.anki.before = kill
    running.append(subprocess.Popen([sys.executable, "-m", "ptcards", "push", str(pushed.folder)]))
    assert running[0].wait() == -signal.SIGKILL
    left = {*temporary.glob("ptcards-*")} - {mine}
    assert len(left) == (step == "importPackage")
    pushed.anki.before = lambda *_: None
    assert pushed.push("--delete-retired", "--yes").status == 0
    rest = {f"b{n}": f"first {n}" for n in range(4)} | {"n0": "new", "a9": "first 9"}
    assert pushed.answers() == dict(sorted((rest | {f"a{n}": f"second {n}" for n in range(1, 9)}).items()))
    assert (pushed.note("a1")["Hint"], pushed.do("decks")["Mini::Beta"]) == ("mine", 5)
    again = pushed.push()
    assert (again.status, again.err) == (0, NOTHING[1])
    assert [*temporary.glob("ptcards-*")] == [mine]


@pytest.fixture(params=["small", pytest.param("desktop", marks=pytest.mark.desktop)])
def start(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Return a function that starts an Anki, always with the same profile."""
    kind = {"small": SmallAnki, "desktop": DesktopAnki}[request.param]
    base = tmp_path_factory.mktemp("base")
    return lambda: kind(base)


@pytest.mark.slow
def test_an_anki_that_is_killed_in_the_import_gets_it_all_from_the_next_push(
    start: Start, tmp_path: Any, ptcards: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = empty_deck(tmp_path)
    killed = start()
    with door(killed) as opened:
        monkeypatch.setenv("PTCARDS_ANKI_URL", opened.url)
        world = World(folder, opened, ptcards)
        world.write("a.md", "Alpha", *(f"a{n}: first {n}" for n in range(200)))
        assert world.push().status == 0
        world.edit("a1", Hint="mine")
        world.write("a.md", "Alpha", *(f"a{n}: second {n}" for n in range(200)), "n0: new")

        def kill(action: str, parameters: dict[str, Any]) -> None:
            if action == "importPackage":
                request = {"action": action, "version": 6, "params": parameters}
                asking = Thread(target=_ask, args=(killed, request))
                asking.start()
                time.sleep(0.03)
                killed.kill()
                asking.join()
                raise Gone

        opened.before = kill
        assert world.push().err == (
            "error: Anki stopped answering during `importPackage`\n"
            "help: check Anki, then push again: nothing is left half-written\n"
        )
    again = start()
    with door(again) as opened:
        monkeypatch.setenv("PTCARDS_ANKI_URL", opened.url)
        world = World(folder, opened, ptcards)
        assert world.push().status == 0
        assert world.answers() == dict(
            sorted({"n0": "new", **{f"a{n}": f"second {n}" for n in range(200)}}.items())
        )
        assert world.note("a1")["Hint"] == "mine"
        world.do("check")
        assert world.push().err == NOTHING[1]
    again.quit()


def _ask(anki: AnkiProcess, request: dict[str, Any]) -> None:
    with suppress(OSError, ValueError):  # no answer, or an empty one
        anki.handle(request)
