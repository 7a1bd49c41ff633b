"""Watches, from outside, what a card starts and uses, and kills what it leaves behind (only on Linux)."""

import math
import os
import signal
import subprocess
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Self

MOST_PROCESSES = 64
"""the maximum number of processes of a card, not counting threads"""
MOST_MEMORY = 8 << 30
"""the maximum memory of all processes of a card together, in bytes"""
PAUSE = 0.1
"""seconds between two checks"""
STUBBORN = 5
"""seconds after which we give up on code that forks faster than we can kill"""
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows lacks the first
_SUBREAPER = 36
"""a prctl option that makes orphans children of this process"""


class Lost(StrEnum):
    """Why a worker did not survive a card, in words for the author."""

    KILLED = "the code kills the process that runs it"
    PROCESSES = f"the code starts more than {MOST_PROCESSES} processes"
    MEMORY = f"the code uses more than {MOST_MEMORY >> 30} GB of memory"
    TIME = "the code does not end"


class Watch:
    """Watches a process and its descendants, and kills it if they become too many, too large or too slow.

    `sandboxed` is true if it was started with bubblewrap; `lost` is the reason why it was killed.
    `most_memory` is the maximum memory of all in bytes (by default, `MOST_MEMORY`), and `deadline` when it is
    killed, as `time.monotonic` counts.
    """

    def __init__(self, process: subprocess.Popen[bytes], *, sandboxed: bool, most_memory: int = 0) -> None:
        self.lost, self.deadline = Lost.KILLED, math.inf
        self._most_memory = most_memory or MOST_MEMORY
        self._process = process
        self._sandboxed = sandboxed
        # Inside the sandbox, bubblewrap has a process of its own in addition to the one it runs.
        self._most = MOST_PROCESSES + (2 if sandboxed else 0)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(PAUSE):
            below = descendants(self._process.pid) if self._process.poll() is None else ()
            if len(below) > self._most:
                self.lost = Lost.PROCESSES
            elif memory(below, self._most_memory) > self._most_memory:
                self.lost = Lost.MEMORY
            elif time.monotonic() > self.deadline:
                self.lost = Lost.TIME
            else:
                continue
            self.kill()
            return

    def kill(self) -> None:
        """Kill the process and everything in its sandbox, or what it has started if it has none."""
        # The first process inside belongs to bubblewrap. If it is killed, the kernel ends the others and
        # bubblewrap exits.
        within = children(self._process.pid) if self._sandboxed else []
        for each in within:
            with suppress(OSError):
                os.kill(each, _KILL)
        if not within:
            with suppress(OSError):  # it has just ended
                getattr(os, "killpg", os.kill)(self._process.pid, _KILL)  # Windows lacks the first


def children(process: int) -> list[int]:
    """Return the processes that were started by a process or one of its threads.

    The list is empty if they are unknown.
    """
    found: list[int] = []
    with suppress(OSError):  # the process has just ended, or this is not Linux
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 - called often; needs only names
            with suppress(OSError):
                found += map(int, Path(f"/proc/{process}/task/{thread}/children").read_bytes().split())
    return found


def descendants(process: int) -> list[int]:
    """Return all descendants of a process."""
    found = children(process)
    for each in found:
        found += children(each)
    return found


def memory(processes: Collection[int], most: int) -> int:
    """Return the bytes of memory that processes use; above the limit, shared memory is counted only once."""
    resident = sum(_resident(process) for process in processes)
    return resident if resident <= most else sum(_share(process) for process in processes)


def adopt_orphans() -> None:
    """Become the parent of any descendant that loses its own parent."""
    import ctypes  # noqa: PLC0415 - only needed without a sandbox

    with suppress(OSError, AttributeError, TypeError):  # not Linux
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def end_orphans(known: Collection[int]) -> None:
    """Kill the children that this process did not start itself until none are left."""
    deadline = time.monotonic() + STUBBORN
    while time.monotonic() < deadline:
        orphans = [each for each in children(os.getpid()) if each not in known]
        if not orphans:
            return
        for orphan in orphans:
            with suppress(OSError):
                os.kill(orphan, _KILL)
        for orphan in orphans:
            with suppress(OSError):
                os.waitpid(orphan, 0)


def _resident(process: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _PAGE
    return 0


def _share(process: int) -> int:
    """Return the bytes of memory of a process, with its share of the memory that several processes use.

    If shares are unknown, all of it counts.
    """
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    return _resident(process)
