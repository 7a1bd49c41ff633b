"""Commands as a terminal runs them: a group of processes that hears Ctrl-C."""

import fcntl
import functools
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
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


def type_command(
    *arguments: str | Path, columns: int, folder: Path, env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run `ptcards` in a terminal of so many columns; gives the exit status and all that the terminal got."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "ptcards", *arguments],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", **(env or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    got = b""
    while piece := _read(ours):
        got += piece
    os.close(ours)
    return process.wait(), got.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # EIO: the other end is closed
        return b""
