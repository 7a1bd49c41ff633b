"""Runs notes one after another, each in its own process, and kills what they leave behind.

It reads JSON lines from standard input and writes JSON lines to standard output. The first line of input
contains the imports and the limits. It is answered with two lines: one immediately, and one after everything
is imported. Each further line is a task, and is answered with one line. Modules that all cards need are
imported once, in a single thread, because the children of a process that has ever run a threaded operation
deadlock. Each task then runs in a fork. Where forking is not safe, each task gets a new interpreter.
"""

# ruff: noqa: PTH108, PTH112, PTH118, PTH120, PTH208 Paths are strings throughout, and importing pathlib would
# add a few milliseconds to each start.
from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from importlib import metadata
from typing import Any, Dict  # noqa: UP035 - for old Pythons

# These modules are next to this file, which runs as a script.
card = importlib.import_module("card")
records = importlib.import_module("records")

Entry = Dict[str, Any]  # noqa: UP006 - evaluated in Python 3.8

STDERR = 16 << 10
"""the number of bytes to keep from the end of stderr"""
STARTUP = 60
"""seconds that a new interpreter may take for its imports, in addition to the task's time limit"""


KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""the signal that no process survives; on Windows, the second one does it"""


class Forked:
    """A forked child that runs a task; has the parts of subprocess.Popen that we need."""

    pid: int
    answers: int

    def __init__(self, task: Entry, streams: dict[int, int], close: list[int]) -> None:
        if sys.platform == "win32":
            raise NotImplementedError
        acknowledged, self.answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                card.ask_c(lambda c: c.prctl(1, KILL, 0, 0, 0))  # PR_SET_PDEATHSIG: die with the parent
                card.ask_c(lambda c: c.prctl(4, 1, 0, 0, 0))  # PR_SET_DUMPABLE: it may open its own /proc
                os.chdir(task["folder"])
                for number in (*close, self.answers):
                    os.close(number)
                for number, file in streams.items():
                    os.dup2(file, number)
                card.limit(task["limits"])
                card.perform(task, acknowledged)
            finally:
                os._exit(1)
        os.close(acknowledged)

    def poll(self) -> int | None:
        """Return the exit code, the negative number of the signal that ended it, or `None` while it runs."""
        if sys.platform == "win32":
            raise NotImplementedError
        gone, status = os.waitpid(self.pid, os.WNOHANG)
        if not gone:
            return None
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


class Spawned:
    """A new interpreter that runs a task; has the parts of subprocess.Popen that we need."""

    def __init__(self, task: Entry, streams: dict[int, int]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - running the cards' code is the purpose
            [sys.executable, str(card.__file__)],
            stdin=subprocess.PIPE,
            stdout=streams[1],
            stderr=streams[2],
            cwd=task["folder"],
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101 - it was started with a pipe
        self.pid, self.poll = self._process.pid, self._process.poll
        self.answers = os.dup(self._process.stdin.fileno())
        with self._process.stdin as given, suppress(OSError):
            given.write(json.dumps(task).encode() + b"\n")


def wait(process: Forked | Spawned, transcript: Any, timeout: float) -> int | None:
    """Wait for a task to end, then kill its process group.

    Return the exit code, or `None` after a timeout.
    """
    parent, pause, started, code = os.getppid(), 0.0002, False, None
    deadline = time.monotonic() + STARTUP
    try:
        while code is None and time.monotonic() < deadline and os.getppid() == parent:
            code = process.poll()
            if transcript.read():
                pause = 0.0002
            if transcript.broken:
                break
            if not started and transcript.begun:
                started, deadline = True, time.monotonic() + timeout
            if code is None:
                time.sleep(pause)
                pause = min(pause * 1.2, 0.02)
        if code is None and not transcript.broken and hasattr(signal, "SIGUSR2"):
            os.kill(process.pid, signal.SIGUSR2)  # faulthandler writes where the code hangs
            time.sleep(0.1)
    finally:
        kill(process, code)
    return -KILL if transcript.broken else code


def kill(process: Forked | Spawned, code: int | None) -> None:
    """Kill a task's process group; the task itself may have ended with `code`."""
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):  # nothing left or, on macOS, only dead processes
            os.killpg(process.pid, KILL)
    elif code is None:
        os.kill(process.pid, signal.SIGTERM)
    while code is None and process.poll() is None:
        time.sleep(0.001)


def children() -> list[int]:
    """Return the child processes of this process, read from Linux's /proc."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123 - must be quick
                    after = file.read().rpartition(b")")[2].split()
            except OSError:  # the process has just ended
                continue
            if int(after[1]) == os.getpid():
                found.append(int(name))
    return found


def kill_descendants() -> bool:
    """Kill what a task left behind, even in other sessions; return `False` if it forks too fast for us."""
    if sys.platform == "win32" or not os.path.isdir("/proc/self"):
        return True
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        # As a subreaper, we inherit the children of each process that dies, until none are left.
        for child in children():
            with suppress(OSError):
                os.kill(child, KILL)
        time.sleep(0.001)
    return False


@functools.lru_cache(maxsize=1)
def holders() -> dict[str, list[str]]:
    """Return the packages that modules come from, except editable installations."""
    fixed: dict[str, list[str]] = {}
    for module, names in metadata.packages_distributions().items():
        notes = [metadata.distribution(name).read_text("direct_url.json") or "" for name in names]
        if not any('"editable": true' in note for note in notes):
            fixed[module] = sorted({re.sub(r"[-_.]+", "-", name).lower() for name in names})
    return fixed


def distributions(imported: list[str]) -> list[str] | None:
    """Return the packages that files and folders on `sys.path` come from.

    Returns `None` if the content of a package may change without a new version.
    """
    if sys.version_info < (3, 10):  # noqa: UP036 - the Python of the cards may be older than ours
        return None  # here, imports cannot be traced to packages
    found = set()
    library = os.path.dirname(os.__file__)
    for entry in imported:
        folder, name = os.path.split(entry)
        if folder in (library, os.path.join(library, "lib-dynload")):
            continue
        holding = holders().get(name.partition(".")[0])
        if holding is None:
            return None
        found.update(holding)
    return sorted(found)


def listed(folders: list[str]) -> dict[str, list[str]]:
    """Return the contents of folders."""
    return {folder: os.listdir(folder) for folder in folders}


def wipe(before: dict[str, list[str]]) -> None:
    """Delete everything from folders that they did not contain before.

    Files that one card leaves behind must not affect the next. The earlier content stays, because the Python
    itself may be there.
    """
    for folder, names in listed(list(before)).items():
        for name in {*names} - {*before[folder]}:
            path = os.path.join(folder, name)
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):  # a folder that is already deleted
                os.unlink(path)


def answer(task: Entry, close: list[int]) -> Entry:
    """Run one task until it ends for whatever reason, and clean up after it."""
    ours = tempfile.mkdtemp()
    task["folder"] = tempfile.mkdtemp()
    task["record"], printed = os.path.join(ours, "record"), os.path.join(ours, "printed")
    with open(task["record"], "xb"), open(printed, "xb") as out, tempfile.TemporaryFile() as err:  # noqa: PTH123
        streams = {1: out.fileno(), 2: err.fileno()}
        process: Forked | Spawned = Forked(task, streams, close) if task["fork"] else Spawned(task, streams)

        def acknowledge() -> None:
            with suppress(OSError):  # the process has ended
                os.write(process.answers, b"\n")

        transcript = records.Transcript(task["record"], printed, acknowledge)
        try:
            code = wait(process, transcript, task["timeout"])
        finally:
            clean = kill_descendants()
            transcript.close()
            os.close(process.answers)
            for folder in (ours, task["folder"]):
                shutil.rmtree(folder, ignore_errors=True)
            wipe(task["scratch"])
        err.seek(max(0, err.seek(0, os.SEEK_END) - STDERR))
        done = transcript.end if code == 0 else None
        return {
            "parts": transcript.parts,
            "code": code,
            "done": done is not None,
            "warnings": done["warnings"] if done else [],
            "distributions": distributions(done["imported"]) if done else None,
            "stderr": err.read().decode("utf-8", "replace"),
            "clean": clean,
        }


def serve() -> None:
    """Read tasks from standard input and answer them on standard output, one JSON line each."""
    tasks = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", 1, "utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    # On SIGTERM, everything that cards have started must be killed before we exit.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    given = json.loads(tasks.readline())
    given["scratch"] = listed(given["scratch"])
    replies.write("{}\n")
    # PR_SET_DUMPABLE: otherwise a card could use /proc to write to our memory or our replies
    card.ask_c(lambda c: c.prctl(4, 0, 0, 0, 0))
    card.ask_c(lambda c: c.prctl(36, 1, 0, 0, 0))  # PR_SET_CHILD_SUBREAPER: we inherit orphans
    try:
        for module in given["imports"] if given["fork"] else ():
            importlib.import_module(module)
    except BaseException as error:  # noqa: BLE001 - whatever a broken installation raises
        replies.write(
            json.dumps({"failed": traceback.format_exception_only(type(error), error)[-1].strip()}) + "\n"
        )
        return
    for module in given["ahead"] if given["fork"] else ():
        with suppress(BaseException):  # each note's set-up raises the error again, at its own line
            importlib.import_module(module)
    sys.stdout.flush()  # otherwise each child inherits the buffer
    gc.collect()
    gc.freeze()  # keeps garbage collection in children from touching, and thus copying, shared memory
    replies.write("{}\n")
    for line in tasks:
        task = {**given, **json.loads(line)}
        replies.write(json.dumps(answer(task, [tasks.fileno(), replies.fileno()])) + "\n")


if __name__ == "__main__":
    del (
        sys.path[0],
        sys.modules["card"],
        sys.modules["records"],
    )  # cards must not find modules in this folder
    serve()
