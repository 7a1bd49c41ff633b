"""Commands as a terminal runs them: a group of processes that hears Ctrl-C."""

import functools
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def start(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[str]:
    """Start a command as the first of its own group; `options` as for `subprocess.Popen`."""
    return subprocess.Popen(
        command,
        text=True,
        start_new_session=True,
        # Who runs the tests in the background has Ctrl-C ignored, and a child inherits that.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - before any thread
        **options,
    )


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Interrupt a started command and all processes of its group."""
    os.killpg(process.pid, signal.SIGINT)


def children(process: int) -> list[int]:
    """Give the processes that a process started and that are not waited for yet, the oldest first."""
    numbers = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [int(number) for number in numbers.split()]
