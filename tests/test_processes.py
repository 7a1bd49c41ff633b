"""Several processes: limits hold in them, they end with what started them, and change nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ptcards.checking import check
from ptcards.processes import POOL_NOTES, in_processes
from ptcards.rendering.deadline import DeadlineError, deadline

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
    # They hold the other end of the pipe as long as they live.
    assert started.communicate(timeout=20)[0] == b""


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
    alone, together = check([root]), check([root], processes=2)
    assert alone == together
    assert sorted({each.rule for each in alone[1]}) == [
        "bare-answer",
        "deck-notes",
        "missing-difficulty",
        "no-answer",
        "question-in-two-decks",
        "relative-link",
        "unclosed-fence",
    ]
