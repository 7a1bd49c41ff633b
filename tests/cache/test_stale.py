"""No build publishes what an earlier command left in the cache, and no build publishes half of itself."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Ran
from ptcards.cache import Cache, Entry
from ptcards.extensions.preview.preview_cards import Preview
from ptcards.workspace import ReadOptions
from ptcards.writers.rows import FIELDS
from pushing import World, anki, shared, world

Ptcards = Callable[..., Ran]
__all__ = ["anki", "shared", "world"]

TOML = 'name = "P"\nid = "12345678"\n'
NOTE = "# P\n\n## What is on it?\n\n![A tree](t.png)\n\nA tree, because it grows.\n"
LISTS = {
    "qa": "Q: What is {}?\nA: {}\n\n",
    "details": "<details>\n<summary>What is {}?</summary>\n\n{}\n\n</details>\n\n",
    "obsidian": "#flashcards\n\nWhat is {}?\n?\n{}\n\n",
}
"""How a card is written in each dialect that leaves cards out."""
OPTIONS = {"details": 'question = "summary"\n'}
REMOTE = "https://example.org/p.png"


@pytest.fixture
def deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a collection, in which commands run, with a cache of its own."""
    folder = tmp_path / "deck"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    (folder / "deck.toml").write_text(TOML)
    return folder


def outputs(folder: Path, out: str = "out") -> dict[str, bytes]:
    files = [*(folder / out).iterdir(), folder / "deck.lock"]
    return {file.name: file.read_bytes() for file in files if file.is_file()}


def built(ptcards: Ptcards, deck: Path) -> tuple[Ran, dict[str, bytes]]:
    """Build with the cache and, from a copy of the sources and the lock, without one; both must be equal."""
    lock = deck / "deck.lock"
    before = lock.read_bytes() if lock.exists() else None
    ran = ptcards("build", "-o", "out")
    kept = outputs(deck)
    lock.unlink(missing_ok=True)
    if before is not None:
        lock.write_bytes(before)
    fresh = ptcards("build", "-o", "fresh", env={"XDG_CACHE_HOME": str(deck.parent / "none")})
    shutil.rmtree(deck.parent / "none")
    assert (ran.status, kept) == (fresh.status, outputs(deck, "fresh"))
    return ran, kept


def look(ptcards: Ptcards, deck: Path, command: str) -> None:
    """Run a command that reads the sources and shares the user's cache."""
    if command == "serve":
        with ReadOptions.of_user() as options:
            Preview([deck], options).read(identified=True)
        return
    shutil.copytree(deck, deck.parent / "old", dirs_exist_ok=True)
    words: dict[str, list[str | Path]] = {
        "check": ["check"],
        "diff": ["diff", deck.parent / "old"],
        "verify": ["verify", "--no-sandbox"],
    }
    assert ptcards(*words[command]).status in (0, 2)


@pytest.mark.parametrize("command", ["check", "diff", "verify", "serve"])
def test_a_dark_picture_arrives_whatever_looked_at_it_first(
    command: str, ptcards: Ptcards, deck: Path
) -> None:
    (deck / "a.md").write_text(NOTE)
    (deck / "t.png").write_bytes(b"light")
    built(ptcards, deck)
    (deck / "t.dark.png").write_bytes(b"dark")
    look(ptcards, deck, command)
    _, files = built(ptcards, deck)
    (deck / "package").write_bytes(files["p.apkg"])
    with zipfile.ZipFile(deck / "package") as package:
        assert sorted(package.read(name) for name in ("0", "1")) == [b"dark", b"light"]
    (deck / "t.dark.png").unlink()
    look(ptcards, deck, command)
    built(ptcards, deck)


@pytest.mark.parametrize("command", ["check", "diff", "verify", "serve"])
def test_a_replaced_picture_can_be_built_whatever_looked_at_it_first(
    command: str, ptcards: Ptcards, deck: Path
) -> None:
    (deck / "a.md").write_text(NOTE)
    (deck / "t.png").write_bytes(b"one")
    built(ptcards, deck)
    (deck / "t.png").write_bytes(b"two")
    look(ptcards, deck, command)
    ran, _ = built(ptcards, deck)
    assert (ran.status, ran.err) == (
        0,
        "Built P: 1 note, 1 card in 0.00 s\n  ~1 changed\n  out/p.apkg  1 kB\n  out/p.csv   1 kB\n",
    )


@pytest.mark.parametrize("dialect", LISTS)
@pytest.mark.parametrize("command", ["check", "serve"])
def test_a_fetched_picture_moves_no_text_to_another_note(
    dialect: str, command: str, ptcards: Ptcards, deck: Path
) -> None:
    (deck / "deck.toml").write_text(
        f'{TOML}[[dialects]]\nfiles = ["**"]\ndialect = "{dialect}"\n{OPTIONS.get(dialect, "")}'
    )
    answers = {"first": "1", "second": f"![p]({REMOTE})", "third": "3", "fourth": "4"}
    text = "".join(LISTS[dialect].format(*each) for each in answers.items())
    (deck / "a.md").write_text(text)
    _, before = built(ptcards, deck)
    (deck / "media").mkdir()
    (deck / "media/p.png").write_bytes(b"fetched")
    (deck / "media/remote.tsv").write_text(f"{REMOTE}\tmedia/p.png\n")
    look(ptcards, deck, command)
    _, after = built(ptcards, deck)
    assert [files["p.csv"].count(b"\r\n") - 1 for files in (before, after)] == [3, 4]


def test_a_push_after_a_fetch_pushes_every_text_under_its_own_guid(world: World) -> None:
    toml = world.folder / "deck.toml"
    toml.write_text(f'{toml.read_text()}dialect = "qa"\n')
    cards = {"a0": "one", "a1": f"![p]({REMOTE})", "a2": "two"}
    text = "".join(f"Q: What is {key}?\nA: {answer}\n\n" for key, answer in cards.items())
    (world.folder / "a.md").write_text(text)
    assert world.push().status == 0
    (world.folder / "media").mkdir()
    (world.folder / "media/p.png").write_bytes(b"fetched")
    (world.folder / "media/remote.tsv").write_text(f"{REMOTE}\tmedia/p.png\n")
    assert world.run("check", world.folder).status == 0
    assert world.push().status == 0
    assert world.answers() == {"a0": "one", "a1": '<img alt="p" src="p-0c7fcf41.png">', "a2": "two"}


def test_rows_of_other_notes_are_an_error_in_words_and_change_nothing(ptcards: Ptcards, deck: Path) -> None:
    (deck / "a.md").write_text("## One?\n\n1\n\n## Two?\n\n2\n")
    built(ptcards, deck)
    (deck / "a.md").write_text("## One?\n\n1\n\n## Two?\n\n3\n")
    ptcards("build", "-o", "out")
    before = outputs(deck)
    file = deck.parent / "cache/ptcards/cache.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        keys = connection.execute("SELECT key, slot FROM entries WHERE part = 'fields'").fetchall()
        connection.execute("DELETE FROM answers")
        connection.commit()
    with closing(Cache(file)) as cache:
        rows = [cache.get(key, FIELDS) or [] for key, _ in keys]
        for (key, slot), others in zip(keys, reversed(rows), strict=True):
            cache.put([Entry.of(key, FIELDS, slot, others)])
    assert ptcards("build", "-o", "out") == Ran(
        1,
        "",
        "error: `cache/ptcards/cache.sqlite` has other notes for `a.md`: delete it, then run this again\n",
    )
    assert outputs(deck) == before


def test_a_picture_that_changes_before_its_package_is_written_changes_nothing(deck: Path) -> None:
    (deck / "a.md").write_text(NOTE)
    (deck / "t.png").write_bytes(b"one")
    subprocess.run([sys.executable, "-m", "ptcards", "build", "-o", "out"], check=True, capture_output=True)
    before = outputs(deck)
    (deck / "t.png").write_bytes(b"two")
    changing = "if event == 'open' and str(details[0]).endswith('.tmp'): open('t.png', 'wb').write(b'three')"
    done = _build_watched(changing)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        f"error: cannot write `out/p.apkg`: `{deck}/t.png` changed during the build; build again",
    )
    assert outputs(deck) == before


def test_a_full_disk_leaves_lock_and_outputs_as_they_were(deck: Path) -> None:
    notes = "".join(f"## What is {n}?\n\nNumber {n}.\n\n" for n in range(200))
    (deck / "a.md").write_text(notes)
    subprocess.run([sys.executable, "-m", "ptcards", "build", "-o", "out"], check=True, capture_output=True)
    before = outputs(deck)
    (deck / "a.md").write_text(notes.replace("Number", "The number"))
    sizes = sorted(len(content) for content in before.values())
    for most in (10, sizes[0] - 1, sizes[1] - 1, sizes[2] - 1):
        program = (
            "import resource, signal\nfrom ptcards.__main__ import run\n"
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))\nrun()\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, "build", "-o", "out", "--format", "csv", "--format", "apkg"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
        assert outputs(deck) == before
        assert not list(deck.glob("*.tmp")) + list((deck / "out").glob("*.tmp"))


@pytest.mark.slow
def test_a_build_killed_at_any_step_leaves_no_package_that_its_lock_does_not_know(
    deck: Path, ptcards: Ptcards
) -> None:
    (deck / "a.md").write_text(NOTE)
    (deck / "t.png").write_bytes(b"one")
    subprocess.run([sys.executable, "-m", "ptcards", "build", "-o", "out"], check=True, capture_output=True)
    old = outputs(deck)
    shutil.copytree(deck, deck.parent / "kept")
    states = []
    for step in range(1, 200):
        shutil.rmtree(deck)
        shutil.copytree(deck.parent / "kept", deck)
        os.chdir(deck)
        (deck / "a.md").write_text(NOTE.replace("grows", "stands") + "\n## New?\n\nYes.\n")
        kill = (
            f"if event in {{'open', 'os.rename', 'os.remove'}} and {str(deck)!r} in os.path.abspath(details[0]):\n"
            "    steps.append(event)\n"
            f"    if len(steps) == {step}: os.kill(os.getpid(), {int(signal.SIGKILL)})"
        )
        done = _build_watched(kill)
        now = outputs(deck)
        states.append(tuple(now[name] == old[name] for name in ("deck.lock", "p.apkg", "p.csv")))
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
        again = ptcards("build", "-o", "out", "--format", "csv", "--format", "apkg")
        assert (again.status, outputs(deck)["p.csv"].count(b"\r\n")) == (0, 3)
        assert not list(deck.glob("*.tmp")) + list((deck / "out").glob("*.tmp"))
    # First everything is old, then the lock is new, then the outputs, one after the other.
    assert list(dict.fromkeys(states)) == [
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    ]


def _build_watched(body: str) -> subprocess.CompletedProcess[str]:
    """Build in another process, which runs `body` at each `event` of the file system, with its `details`."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    program = (
        "import os, sys\nfrom ptcards.__main__ import run\nsteps = []\ninside = []\n"
        "def watch(event, details):\n"
        "    if inside or not details or not isinstance(details[0], (str, bytes, os.PathLike)): return\n"
        "    inside.append(event)\n"
        f"    try:\n{lines}\n"
        "    finally: inside.pop()\n"
        "sys.addaudithook(watch)\nrun()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "build", "-o", "out"], capture_output=True, text=True, check=False
    )
