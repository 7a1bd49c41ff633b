"""What keeps the code of cards away from everything else: bubblewrap where it works, limits everywhere."""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from ptcards.verify.target import INSIDE, Target

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

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
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


def bubblewrap(target: Target) -> list[str] | None:
    """Give the command that starts another one in a sandbox; None where bubblewrap is not installed.

    Inside there are the system and the target Python, read-only, and an empty `/tmp` in memory: no network, no other
    processes, none of the author's files.
    """
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return None
    command = [program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "card"]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - inside the sandbox
    for folder in _SYSTEM:
        if os.path.islink(folder):  # noqa: PTH114 - not all of them are there
            command += ["--symlink", os.readlink(folder), folder]  # noqa: PTH115
        elif os.path.isdir(folder):  # noqa: PTH112
            command += ["--ro-bind", folder, folder]
    for path in _DETAILS:
        command += ["--ro-bind-try", path, path]
    for folder in _readable(target):
        command += ["--ro-bind", folder, folder]
    return [*command, "--chdir", "/tmp"]  # noqa: S108


def _readable(target: Target) -> list[str]:
    """List the folders outside the system that the target reads, under their own names and behind links."""
    wanted = {*target.folders, str(INSIDE)}
    found: list[str] = []
    for folder in sorted(wanted | {os.path.realpath(folder) for folder in wanted}):
        real = Path(os.path.realpath(folder))
        # A whole home would show the author's files.
        private = Path.home().is_relative_to(real)
        if real.is_dir() and not private and not _below(str(real), _SYSTEM) and not _below(folder, found):
            found.append(folder)
    return found


def _below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
