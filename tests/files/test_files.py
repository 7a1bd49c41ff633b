"""Files are written completely or not at all, and only one build runs at a time."""

import errno
import itertools
import multiprocessing
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest

from ptcards.files import OutputError, locked, replacing
from ptcards.files.names import safe_name
from ptcards.files.temporary import folder_beside, sweep, temporary_folder


def write(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def nobody_waits(folder: Path) -> None:
    pytest.fail(f"waited for {folder}")


def test_a_file_is_made_with_its_folder(tmp_path: Path) -> None:
    write(tmp_path / "build" / "a.csv", b"one")
    assert (tmp_path / "build" / "a.csv").read_bytes() == b"one"
    assert names(tmp_path / "build") == ["a.csv"]


def test_an_old_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"a long old content")
    write(tmp_path / "a.csv", b"new")
    assert (tmp_path / "a.csv").read_bytes() == b"new"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize("interruption", [ValueError, KeyboardInterrupt])
def test_a_block_that_raises_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, interruption: type[BaseException]
) -> None:
    write(tmp_path / "a.csv", b"old")

    def fail() -> None:
        with replacing(tmp_path / "a.csv") as file:
            file.write(b"half")
            raise interruption

    with pytest.raises(interruption):
        fail()
    assert (tmp_path / "a.csv").read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


@pytest.mark.parametrize(("umask", "mode"), [("022", "0o644"), ("077", "0o600"), ("002", "0o664")])
def test_the_mode_is_that_of_any_new_file_under_the_umask(tmp_path: Path, umask: str, mode: str) -> None:
    program = (
        f"import os, pathlib; os.umask(0o{umask}); from ptcards.files import replacing\n"
        f"with replacing(pathlib.Path({str(tmp_path / 'a')!r})) as f: f.write(b'x')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert oct(stat.S_IMODE((tmp_path / "a").stat().st_mode)) == mode


def test_a_folder_in_the_files_place_is_an_output_error(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.mkdir()
    with pytest.raises(OutputError) as caught:
        write(target, b"x")
    assert str(caught.value) == f"cannot write `{target}`: is a directory"
    assert names(tmp_path) == ["a.csv"]


def test_a_file_in_the_folders_place_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "build").write_bytes(b"I am a file")
    with pytest.raises(OutputError) as caught:
        write(tmp_path / "build" / "a.csv", b"x")
    assert caught.value.path == tmp_path / "build" / "a.csv"
    assert (tmp_path / "build").read_bytes() == b"I am a file"


def test_a_full_disk_is_an_output_error_and_spares_the_old_file(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"old")
    program = f"""
import pathlib, resource, signal
from ptcards.files import OutputError, replacing
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with replacing(pathlib.Path({str(tmp_path / "a.csv")!r})) as file:
        file.write(b"x" * 100_000)
except OutputError as failure:
    print(failure.reason)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == os.strerror(errno.EFBIG).lower() + "\n"
    assert (tmp_path / "a.csv").read_bytes() == b"old"
    assert names(tmp_path) == ["a.csv"]


def test_the_lock_sweeps_what_a_killed_build_left(tmp_path: Path) -> None:
    program = f"""
import os, pathlib, signal
from ptcards.files import locked, replacing
folder = pathlib.Path({str(tmp_path)!r})
with locked(folder, waiting=print), replacing(folder / "a.csv") as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    assert len(names(tmp_path)) == 2
    (tmp_path / "mine.tmp").write_bytes(b"not ours")
    with locked(tmp_path, waiting=nobody_waits):
        write(tmp_path / "b.csv", b"x")
    assert names(tmp_path) == ["b.csv", "mine.tmp"]


def test_a_temporary_folder_that_is_swept_away_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two, another process may begin and find a folder that nobody holds."""
    made: list[str] = []
    really = Path.mkdir

    def mkdir(self: Path, *how: Any, **options: Any) -> None:
        really(self, *how, **options)
        if self.name.startswith("ptcards-test-"):
            made.append(self.name)
            if len(made) == 1:
                sweep("test")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Path, "mkdir", mkdir)
    with temporary_folder("test") as folder:
        assert (len(made), names(tmp_path)) == (2, [folder.name])
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be asked to end there")
@pytest.mark.parametrize(
    "maker", ['temporary_folder("test")', 'folder_beside(pathlib.Path("decks/geo"), "test")']
)
def test_a_process_that_is_asked_to_end_as_it_makes_a_folder_leaves_none(tmp_path: Path, maker: str) -> None:
    program = f"""
import os, pathlib, signal
from ptcards.files.temporary import folder_beside, temporary_folder
from ptcards.processes import ended_by_sigterm
really = os.mkdir
def mkdir(path, *how):
    really(path, *how)
    if "ptcards-" in str(path):
        os.kill(os.getpid(), signal.SIGTERM)
os.mkdir = mkdir
with ended_by_sigterm(), {maker}:
    print("not ended")
"""
    (tmp_path / "decks").mkdir()
    env = os.environ | {"TMPDIR": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, list(tmp_path.rglob("*"))) == (143, b"", [tmp_path / "decks"])


@pytest.mark.skipif(sys.platform == "win32", reason="a folder cannot be locked there")
def test_a_folder_beside_a_path_is_swept_once_no_process_holds_it(tmp_path: Path) -> None:
    program = f"""
import os, pathlib, signal
from ptcards.files.temporary import folder_beside
with folder_beside(pathlib.Path({str(tmp_path / "decks/geo")!r}), "import") as folder:
    (folder / "a.md").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    (left,) = names(tmp_path / "decks")
    foreign = sorted([".ptcards-0.import", ".ptcards-0123456789abcdef.other", left.upper()])
    for name in foreign:
        (tmp_path / "decks" / name).mkdir()
    with folder_beside(tmp_path / "decks/one", "import") as one:
        with folder_beside(tmp_path / "decks/two", "import") as two:
            assert names(tmp_path / "decks") == sorted([*foreign, one.name, two.name])
        one.rename(tmp_path / "decks/one")
    assert names(tmp_path / "decks") == sorted([*foreign, "one"])


def test_the_lock_makes_missing_folders_and_takes_one_folder_named_twice(tmp_path: Path) -> None:
    out = tmp_path / "far" / "out"
    with locked(out, tmp_path / "far" / "out", tmp_path, waiting=nobody_waits):
        assert names(out) == [".ptcards.lock"]
        write(tmp_path / "far" / "a.csv", b"x")
    assert names(tmp_path) == ["far"]
    assert names(tmp_path / "far") == ["a.csv"]  # `out`, which stayed empty, was deleted


def test_a_folder_that_was_there_stays_though_nothing_comes_into_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with locked(tmp_path / "out", waiting=nobody_waits):
        pass
    assert names(tmp_path) == ["out"]


def test_a_file_in_the_locked_folders_place_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    with pytest.raises(OutputError), locked(tmp_path / "out", waiting=nobody_waits):
        pytest.fail("got in")


def test_builds_take_turns_and_one_that_waits_says_so(tmp_path: Path) -> None:
    program = f"""
import pathlib, sys, time
from ptcards.files import locked
folder = pathlib.Path({str(tmp_path)!r})
with locked(folder, waiting=lambda at: print("waiting for", at, flush=True)):
    print("in", flush=True)
    if len(sys.argv) > 1:
        sys.stdin.readline()
    try:
        with (folder / "taken").open("x"): pass
    except FileExistsError:
        sys.exit("two at once")
    time.sleep(0.02)
    (folder / "taken").unlink()
"""
    first = subprocess.Popen(
        [sys.executable, "-c", program, "hold"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdin is not None
    assert first.stdout.readline() == "in\n"
    others = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == f"waiting for {tmp_path.resolve()}\n"
    first.communicate("go\n")
    assert [process.wait() for process in (first, *others)] == [0, 0, 0, 0]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.read() == "in\n"
        other.stdout.close()
    assert names(tmp_path) == []


def _write_for_ever(folder: Path, ready: Event) -> None:
    for n in itertools.count():
        with locked(folder, waiting=nobody_waits), replacing(folder / "a") as file:
            for _ in range(200):
                file.write(bytes([n % 256]) * 1_000)
        ready.set()


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_an_old_or_a_new_file(tmp_path: Path) -> None:
    """This is row 9 of the scorecard for one build; the next build cleans up."""
    fork = multiprocessing.get_context("fork")
    for moment in range(60):
        ready = fork.Event()
        process = fork.Process(target=_write_for_ever, args=(tmp_path, ready))
        process.start()
        assert ready.wait(60)
        time.sleep(moment * 0.001)
        process.kill()
        process.join()
        content = (tmp_path / "a").read_bytes()
        assert (len(content), len(set(content))) == (200_000, 1)
    with locked(tmp_path, waiting=nobody_waits):
        pass
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("con", "con-deck"),
        ("CON", "CON-deck"),
        ("nul.csv", "nul-deck.csv"),
        ("aux.anki.csv", "aux-deck.anki.csv"),
        ("prn .txt", "prn-deck.txt"),
        ("com1.apkg", "com1-deck.apkg"),
        ("lpt9", "lpt9-deck"),
        ("lpt¹", "lpt¹-deck"),
        ("CONIN$", "CONIN$-deck"),
        ("console", "console"),
        ("con-tensors.apkg", "con-tensors.apkg"),
        ("com10", "com10"),
        ("lpt", "lpt"),
        ("a.con", "a.con"),
        ("", ""),
    ],
)
def test_no_file_has_the_name_of_a_windows_device(name: str, safe: str) -> None:
    assert safe_name(name) == safe
