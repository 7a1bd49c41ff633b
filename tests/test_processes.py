"""In several processes, limits apply, results are the same, and the processes end with their parent."""

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ptcards.lint.check import check
from ptcards.markdown.deadline import DeadlineError, deadline
from ptcards.processes import POOL_NOTES, in_processes
from ptcards.workspace import ReadOptions
from terminal import children, press_ctrl_c, start

pytestmark = pytest.mark.slow

Write = Callable[[dict[str, str | bytes]], Path]


def _spin(_task: int) -> None:
    with deadline(0.05):
        while True:
            pass


def _identify(_task: int) -> int:
    return os.getpid()


def test_time_limits_hold_in_them() -> None:
    with pytest.raises(DeadlineError):
        list(in_processes(_spin, [1, 2], processes=2, notes=POOL_NOTES + 1))


@pytest.mark.parametrize(("tasks", "processes", "notes"), [(1, 2, 5000), (9, 1, 5000), (9, 2, POOL_NOTES)])
def test_little_work_starts_none(tasks: int, processes: int, notes: int) -> None:
    assert list(in_processes(_identify, range(tasks), processes=processes, notes=notes)) == []


KILLED = """
import time
from ptcards.processes import in_processes
from test_processes import _identify

if __name__ == "__main__":
    for _ in in_processes(_identify, range(50), processes=2, notes=5000):
        print("begun", flush=True)
        time.sleep(60)
"""


def test_they_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text(KILLED, "utf-8")
    started = subprocess.Popen(
        [sys.executable, tmp_path / "killed.py"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )
    assert started.stdout is not None
    assert started.stdout.readline() == b"begun\n"
    started.send_signal(signal.SIGKILL)
    # The processes keep the other end of the pipe open while they run.
    assert started.communicate(timeout=20)[0] == b""


SPAWNED = """
import threading
from ptcards.markdown.deadline import within
from ptcards.processes import in_processes
from test_processes import _identify

def work():
    print(len(list(in_processes(_identify, range(4), processes=2, notes=5000))), within(60, abs, -2))

if __name__ == "__main__":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""
"""In a thread, processes start as on Windows and macOS: a new Python, not a fork."""


def test_a_new_python_imports_nothing_from_the_current_folder(tmp_path: Path, write: Write) -> None:
    clone = write(
        {f"clone/{name}.py": f"print({name!r})\n" for name in ("multiprocessing", "signal", "pickle", "site")}
    )
    (tmp_path / "spawned.py").write_text(SPAWNED, "utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "spawned.py"],
        cwd=clone / "clone",
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "4 2\n", "")


@pytest.mark.parametrize("command", ["check", "build"])
def test_ctrl_c_while_they_begin_is_told_of_once(tmp_path: Path, command: str) -> None:
    """A terminal sends Ctrl-C to all of them; a process whose Python is starting would print a traceback."""
    for number in range(8):
        (tmp_path / f"{number}.md").write_text(_many(POOL_NOTES // 4), "utf-8")
    for moment in range(4):
        started = start(
            [sys.executable, "-m", "ptcards", command, "."],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while not (begun := _workers(started.pid)):
            assert started.poll() is None
        time.sleep(moment * 0.02)
        press_ctrl_c(started)
        assert started.communicate(timeout=20) == ("", "interrupted\n")
        assert (started.returncode, [each for each in begun if _is_running(each)]) == (130, [])


def test_ctrl_c_while_they_end_is_not_lost() -> None:
    """After the last result, the caller closes the generator, which waits for the processes.

    Here the processes are stopped, so the generator would wait forever.
    """
    tasks = range(10)
    results = in_processes(_identify, tasks, processes=2, notes=POOL_NOTES + 1)
    assert [task for task, _ in itertools.islice(results, len(tasks))] == list(tasks)
    workers = _workers(os.getpid())
    assert len(workers) == 2

    def interrupt(_signal: int, _frame: object) -> None:
        for worker in workers:
            os.kill(worker, signal.SIGCONT)
        raise KeyboardInterrupt

    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            results.close()
    finally:
        signal.signal(signal.SIGALRM, before)


def _many(notes: int) -> str:
    return "# Many\n" + "".join(f"\n## Question {number}?\n\nAnswer.\n" for number in range(notes))


def _workers(process: int) -> list[int]:
    """Return the children of a process that are spawned or forked workers, which have the same command."""
    own = _command(process)
    return [child for child in children(process) if _command(child) == own or "spawn_main" in _command(child)]


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_text("utf-8")
    except OSError:
        return ""  # it has just ended


def _is_running(process: int) -> bool:
    return bool(_command(process))


def test_a_check_says_the_same_in_one_and_in_several(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    cards = Path(__file__).parents[1] / "cards"
    files: dict[str, str | bytes] = {
        str(path.relative_to(cards)): path.read_bytes() for path in cards.rglob("*") if path.is_file()
    }
    text = (
        b"# A\n\n## Who are you?\n\n## What is 1+1?\n\nTwo [a](b.md)\n\n## What is 1 + 1?\n\n3\n\n```py\nx\n"
    )
    root = write({**files, "bad.md": text, "sub/worse.md": text.replace(b"# A", b"# B")})
    monkeypatch.setattr("ptcards.processes.POOL_NOTES", 0)
    monkeypatch.setattr("ptcards.processes.TASK_NOTES", 1)
    alone, together = check([root])[1], check([root], ReadOptions(processes=2))[1]
    assert alone == together
    ours = [each for each in alone if each.location.path.endswith(("bad.md", "worse.md"))]
    assert sorted({each.rule for each in ours}) == [
        "bare-answer",
        "no-answer",
        "question-in-two-decks",
        "relative-link",
        "unclosed-fence",
    ]
