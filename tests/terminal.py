"""Runs commands as a terminal does, in a process group that receives Ctrl-C."""

import functools
import json
import os
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def start(command: Sequence[str | Path], **options: Any) -> subprocess.Popen[str]:
    """Start a command in a new process group; `options` are those of `subprocess.Popen`."""
    return subprocess.Popen(
        command,
        text=True,
        start_new_session=True,
        # If tests run in the background, they ignore Ctrl-C, and their children would inherit that.
        preexec_fn=functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - before any thread
        **options,
    )


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """Interrupt a command and all processes of its group."""
    os.killpg(process.pid, signal.SIGINT)


def children(process: int) -> list[int]:
    """Return the processes that a process started and has not waited for, oldest first."""
    numbers = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [int(number) for number in numbers.split()]


_TYPIST = """
import json, sys
from pathlib import Path
from ptcards.cli import main
for files, command in json.loads(sys.argv[1]):
    for name, content in files.items():
        Path(name).write_text(content, "utf-8")
    print("$ ptcards", *command, flush=True)
    try:
        main(command, prog_name="ptcards")
    except SystemExit as done:
        print(f"exit status {done.code or 0}\\n", flush=True)
"""


def type_session(
    session: Sequence[tuple[Mapping[str, str], Sequence[str]]],
    *,
    columns: int,
    folder: Path,
    env: Mapping[str, str],
    typed: str = "",
) -> str:
    """Run `ptcards` commands in turn in a terminal with this many columns, writing files before each.

    Return everything that the terminal received. `typed` is what the user types.
    """
    import fcntl  # noqa: PLC0415 - Windows lacks these three
    import pty  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", _TYPIST, json.dumps(session)],
        cwd=folder,
        env={**os.environ, "TERM": "xterm", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    got = b""
    while piece := _read(ours):
        got += piece
    os.close(ours)
    assert process.wait() == 0
    return got.decode().replace("\r\n", "\n")


def without_progress(text: str) -> str:
    """Return terminal output without progress lines."""
    return re.sub(r"\r\x1b\[2K[^\r\n]*(?=\r\x1b\[2K)", "", text).replace("\r\x1b[2K", "")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # EIO: the other end is closed
        return b""
