"""Isolates the code of cards with bubblewrap and a system call filter.

Some system calls create things that outlive a card and that no limit counts: keys, System V memory, queues
and unnamed files in memory. Others do things that a filter cannot see, or create sockets that reach other
systems although the sandbox has its own network. They all fail as if Linux had been built without them.
"""

import errno
import os
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptcards.diagnostics import WrongUseError
from ptcards.files import home_folder
from ptcards.files.programs import find_program

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""the instructions we use, from https://docs.kernel.org/userspace-api/seccomp_filter.html"""
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_REFUSE = _FAIL | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16
"""the offsets of the values in a filter's input; of the first argument, the half that holds an `int`"""
_X32 = 0x40000000
"""on x86-64, numbers from here on are alternative numbers for the same calls"""

_PROCESSORS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""the identifiers of processors in a filter"""
_CALLS: Mapping[str, tuple[int, int]] = {
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425),
    "socket": (41, 198),
}
"""the numbers of the calls, for each of these processors"""

_FAMILIES = (1, 2, 10, 16)
"""the sockets of the sandbox's own network: `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`

A socket of another family, such as `AF_VSOCK`, may reach the host of a virtual machine.
"""


def system_call_filter(machine: str, *, sockets: bool) -> bytes:
    """Return the filter for a processor, named as in `uname -m`; empty if its call numbers are unknown.

    Without `sockets`, the filter blocks all sockets, otherwise only those that may reach other systems.
    """
    if machine not in _PROCESSORS:
        return b""
    architecture = _PROCESSORS[machine]
    calls = {name: numbers[[*_PROCESSORS].index(machine)] for name, numbers in _CALLS.items()}
    # A jump contains the number of instructions to skip.
    start = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),  # calls of 32-bit programs have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    refused = [
        (_AT_LEAST, _X32),
        *((_EQUAL, calls[name]) for name in calls if name != "socket" or not sockets),
    ]
    families = _family_tests(calls["socket"]) if sockets else []
    tests = [
        (code, len(refused) - index + len(families), 0, value) for index, (code, value) in enumerate(refused)
    ]
    end = [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in (*start, *tests, *families, *end))


def _family_tests(number: int) -> list[tuple[int, int, int, int]]:
    """Return the instructions that refuse sockets of other families; the next one allows the call."""
    count = len(_FAMILIES)
    return [
        (_EQUAL, 0, count + 2, number),
        (_LOAD, 0, 0, _ARGUMENT),
        *((_EQUAL, count - index, 0, family) for index, family in enumerate(_FAMILIES)),
        (_RETURN, 0, 0, _FAIL | errno.EAFNOSUPPORT),
    ]


INSIDE = Path(__file__).parent / "inside"
"""the scripts that run in the other Python"""
FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""macOS's own libraries crash in forked children (https://docs.python.org/3/library/multiprocessing.html)"""

LIMITS: Mapping[str, int] = {
    # torch reserves more than 5 GB of address space before it computes anything.
    "RLIMIT_AS": 8 << 30,
    "RLIMIT_FSIZE": 64 << 20,
    "RLIMIT_NOFILE": 256,
    "RLIMIT_CORE": 0,
    # This counts all processes of the user. It only stops code that forks faster than we can count.
    "RLIMIT_NPROC": 4096,
}
"""limits by name, in bytes or as counts; the limit for CPU seconds depends on the time limit"""

SCRATCH = ("/tmp", "/dev/shm")  # noqa: S108 - inside the sandbox
"""the only writable folders in the sandbox, which are in memory"""
SCRATCH_SIZE = 1 << 30
"""the maximum size of each in bytes"""

MOST_FOLDERS = 64
"""the maximum number of folders that the sandbox shows for a Python"""
MOST_ENTRIES = 500_000
"""the maximum number of files in those folders to examine"""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
_DEVICES = ("/run", "/dev", "/proc", "/sys")
_ALONE = (
    *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"),
    *("--hostname", "card", "--proc", "/proc", "--dev", "/dev"),
)
_LIBRARIES = ("python3", "site-packages")
"""folders with many installed files, where no program creates sockets"""
_DETAILS = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/sys/devices/system/cpu",  # torch counts processors here, and prints a warning if it cannot.
)


class RefusedError(WrongUseError):
    """The code cannot run as required, so nothing was run."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A working bubblewrap: its program, and the options for every call.

    The sandbox contains the system and the kernel's settings, which are read-only, and small empty folders in
    memory. It has no network and contains no other processes and none of the author's files.
    """

    program: str
    options: tuple[str, ...]

    def command(self, folders: Sequence[str], *, hiding: bool) -> list[str]:
        """Return the prefix for a command that reads these folders, directly or through links.

        With `hiding`, the sockets in the folders are hidden.
        """
        shown = visible_folders(folders)
        # Code that can see a socket can talk to its server, even in a read-only folder.
        hidden = _special_files(shown) if hiding else ()
        there = [*((folder, folder) for folder in shown), *((os.devnull, file) for file in hidden)]
        binds = [part for source, place in there for part in ("--ro-bind", source, place)]
        # Most files in /proc/sys belong to root, so root could write to them even without capabilities.
        fixed = [part for folder in ("/proc", "/dev", "/") for part in ("--remount-ro", folder)]
        end = (*fixed, "--chdir", SCRATCH[0])
        return [self.program, *self.options, *binds, *end]


def limits(timeout: float) -> dict[str, int]:
    """Return the limits for notes that may use every processor for `timeout` seconds."""
    return {**LIMITS, "RLIMIT_CPU": int(timeout * (os.cpu_count() or 1)) + 1}


def find_sandbox() -> Sandbox:
    """Return this machine's sandbox after testing it with a system program.

    Raises:
        RefusedError: there is none, or it does not work.

    """
    program = find_program("bwrap") if sys.platform == "linux" else None
    if program is None:
        found = "bubblewrap is not installed" if sys.platform == "linux" else "this system has no bubblewrap"
        raise RefusedError(f"{found}, and code runs only in a sandbox", _two_ways())
    # This runs bubblewrap itself.
    helped = subprocess.run([program, "--help"], capture_output=True, check=False)  # noqa: S603
    sandbox = Sandbox(program, tuple(_options(helped.stdout + helped.stderr)))
    true = os.path.realpath("/usr/bin/true")
    with start([true], sandbox, (), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as tried:
        _, said = tried.communicate()
    if tried.returncode:
        reason = (said.decode("utf-8", "replace").strip().splitlines() or ["no reason given"])[0]
        raise RefusedError(f"bubblewrap does not work here: {reason}", _two_ways())
    return sandbox


def start(
    command: Sequence[str],
    sandbox: Sandbox | None,
    folders: Sequence[str],
    *,
    sockets: bool = True,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start a command in a separate session, optionally in a sandbox that shows these folders.

    Without `sockets`, the sandbox blocks all sockets.

    Raises:
        OSError: the command does not start.
        RefusedError: the folders cannot be shown.

    """
    if sandbox is None:
        # The caller chose the program.
        return subprocess.Popen(command, start_new_session=True, **options)  # noqa: S603
    program = system_call_filter(platform.machine(), sockets=sockets)
    front = sandbox.command(folders, hiding=sockets or not program)
    with tempfile.TemporaryFile() as file:
        file.write(program)
        file.seek(0)
        number = file.fileno()
        filtered = [front[0], "--seccomp", str(number), *front[1:]] if program else front
        return subprocess.Popen(  # noqa: S603 - chosen by the caller
            [*filtered, *command], start_new_session=True, pass_fds=(number,) if program else (), **options
        )


def is_private(folder: str) -> bool:
    """Whether a folder contains things that no Python may see: the author's home, devices or sockets."""
    real, home = Path(os.path.realpath(folder)), home_folder()
    return (
        real == Path("/") or _below(str(real), _DEVICES) or (home is not None and home.is_relative_to(real))
    )


def is_system(path: str) -> bool:
    """Whether a path is visible in every sandbox."""
    return _below(path, _SYSTEM)


def visible_folders(folders: Iterable[str]) -> list[str]:
    """Return the folders that a sandbox must show to make `folders` usable, including the targets of links.

    Raises:
        RefusedError: there are too many.

    """
    wanted = {*folders, str(INSIDE)}
    found: list[str] = []
    for folder in sorted(wanted | {os.path.realpath(folder) for folder in wanted}):
        real = os.path.realpath(folder)
        known = _below(real, _SYSTEM) or _below(folder, found)
        # The paths are strings from start to finish.
        if os.path.isdir(real) and not known and not is_private(folder):  # noqa: PTH112
            found.append(folder)
    if len(found) > MOST_FOLDERS:
        message = f"this Python reads more than {MOST_FOLDERS} folders"
        raise RefusedError(message, "name another Python with `--python PATH`")
    return found


def _two_ways() -> str:
    way = "install bubblewrap" if sys.platform == "linux" else "run `verify` on Linux"
    return f"{way}, or pass `--no-sandbox` if you trust the code of these cards"


def _options(helped: bytes) -> Iterator[str]:
    yield from _ALONE
    if b"--disable-userns" in helped:  # since 0.8
        yield "--disable-userns"
    for folder in SCRATCH:
        if b"--size" in helped:  # since 0.7
            yield from ("--size", str(SCRATCH_SIZE))
        yield from ("--tmpfs", folder)
    for folder in _SYSTEM:
        if os.path.islink(folder):  # noqa: PTH114 - not all of them exist
            yield from ("--symlink", os.readlink(folder), folder)  # noqa: PTH115
        elif os.path.isdir(folder):  # noqa: PTH112
            yield from ("--ro-bind", folder, folder)
    for path in _DETAILS:
        yield from ("--ro-bind-try", path, path)


def _special_files(folders: Iterable[str]) -> list[str]:
    """Return the sockets, pipes and devices in folders, except in installed packages.

    Raises:
        RefusedError: there are too many, or too many files to examine.

    """
    found: list[str] = []
    seen = 0
    waiting = [*folders]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    seen += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [] if entry.name.startswith(_LIBRARIES) else [entry.path]
                    elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                        found.append(entry.path)
        except OSError:  # a card cannot read what we cannot read
            continue
        if seen > MOST_ENTRIES or len(found) > MOST_FOLDERS:
            message = "this Python's folders contain too many files or sockets"
            raise RefusedError(message, "name another Python with `--python PATH`")
    return found


def _below(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
