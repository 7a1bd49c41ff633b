"""What keeps the code of cards away from everything else: bubblewrap where it works, limits everywhere."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptcards.verify.target import Target

INSIDE = Path(__file__).parent / "inside"
"""what runs in the other Python"""
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""macOS' own libraries crash in forked children (https://docs.python.org/3/library/multiprocessing.html)"""

LIMITS: Mapping[str, int] = MappingProxyType(
    {
        # torch maps more than 5 GB of addresses before it computes anything.
        "RLIMIT_AS": 8 << 30,
        "RLIMIT_FSIZE": 64 << 20,
        "RLIMIT_NOFILE": 256,
        "RLIMIT_CORE": 0,
    }
)
"""bytes, or numbers, by the name of the limit; the CPU seconds follow from the time limit"""

SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox
"""folders in memory that can be written in the sandbox, the only ones"""
SCRATCH_SIZE = 1 << 30
"""bytes that each of them takes"""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_SOCKETS = ("/run", "/tmp")  # noqa: S108 - where the system and desktops have theirs
_DEVICES = ("/run", "/dev", "/proc", "/sys")
_ALONE = (
    "--unshare-all",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--hostname",
    "card",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
)
_DETAILS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/sys/devices/system/cpu",  # torch counts processors here, and complains if it cannot
)


def limits(timeout: float) -> dict[str, int]:
    """Give all limits for notes that may take `timeout` seconds: so long on every processor at once."""
    return {**LIMITS, "RLIMIT_CPU": int(timeout * (os.cpu_count() or 1)) + 1}


def bubblewrap(target: "Target") -> list[str] | None:
    """Give the command that starts another one in a sandbox; None where bubblewrap is not installed.

    Inside there are the system and the target Python, read-only, and small empty folders in memory: no network, no other
    processes, none of the author's files.
    """
    program = _program()
    if program is None:
        return None
    command = [program, *_ALONE]
    size = ["--size", str(SCRATCH_SIZE)] if _takes_sizes(program) else []
    for folder in SCRATCH:
        command += [*size, "--tmpfs", folder]
    for folder in _SYSTEM:
        if os.path.islink(folder):  # noqa: PTH114 - not all of them are there
            command += ["--symlink", os.readlink(folder), folder]  # noqa: PTH115
        elif os.path.isdir(folder):  # noqa: PTH112
            command += ["--ro-bind", folder, folder]
    for path in _DETAILS:
        command += ["--ro-bind-try", path, path]
    for folder in _readable(target):
        command += ["--ro-bind", folder, folder]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH[0]]


def onlooker(python: str) -> list[str]:
    """Give the command in front of a Python that a collection brings along: it may read files, and do nothing else.

    Empty where bubblewrap does not work. Files can be sockets to what does more: those of the system are left out.
    """
    program = _program()
    if program is None:
        return []
    command = [program, "--ro-bind", "/", "/", *_ALONE]
    for folder in _SOCKETS:
        command += ["--tmpfs", folder] if os.path.isdir(folder) else []  # noqa: PTH112
    for folder in (os.path.dirname(os.path.dirname(python)), str(INSIDE)):  # noqa: PTH120
        command += ["--ro-bind", folder, folder] if _below(folder, _SOCKETS) else []
    return [] if refusal(command) else command


def refusal(command: Sequence[str]) -> str:
    """Say why a sandbox cannot be made here, in its own words; empty if it can.

    Tried with a program of the system: what a card's own Python says about the sandbox is not to be believed.
    """
    harmless = os.path.realpath(shutil.which("true") or "/usr/bin/true")
    tried = subprocess.run([*command, harmless], capture_output=True, text=True, check=False)  # noqa: S603
    return (tried.stderr.strip().splitlines() or ["no reason given"])[0] if tried.returncode else ""


def _program() -> str | None:
    return shutil.which("bwrap") if sys.platform == "linux" else None


def _takes_sizes(program: str) -> bool:
    """Say whether this bubblewrap can limit what is written to memory: those before 0.7 cannot."""
    told = subprocess.run([program, "--help"], capture_output=True, check=False)  # noqa: S603 - bubblewrap itself
    return b"--size" in told.stdout + told.stderr


def _readable(target: "Target") -> list[str]:
    """List the folders outside the system that the target reads, under their own names and behind links."""
    wanted = {*target.folders, str(INSIDE)}
    found: list[str] = []
    for folder in sorted(wanted | {os.path.realpath(folder) for folder in wanted}):
        real = Path(os.path.realpath(folder))
        # A whole home would show the author's files.
        private = Path.home().is_relative_to(real) or _below(str(real), _DEVICES) or _has_sockets(real)
        if real.is_dir() and not private and not _below(str(real), _SYSTEM) and not _below(folder, found):
            found.append(folder)
    return found


def _has_sockets(folder: Path) -> bool:
    """Say whether a folder holds sockets: whoever can read it can talk to what is behind them."""
    try:
        with os.scandir(folder) as entries:
            return any(stat.S_ISSOCK(entry.stat(follow_symlinks=False).st_mode) for entry in entries)
    except OSError:
        return False


def _below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
