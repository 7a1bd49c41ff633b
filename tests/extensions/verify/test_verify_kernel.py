"""What the code of cards finds of the kernel: its settings, its devices and its calls.

Settings do not open for writing, even if root runs `verify`. Opening is the test: nothing is ever written.
"""

import errno
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sandboxed import printed, run, sandboxed_worker

from ptcards.extensions.verify import sandbox
from ptcards.extensions.verify.sandbox import find_sandbox, start, system_call_filter
from ptcards.extensions.verify.workers import Worker

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

NOBODY = 65534
OPEN_ALL = """\
import os
found, opened = 0, []
for root in ("/dev", "/proc", "/sys"):
    for folder, _, names in os.walk(root):
        for path in (f"{folder}/{name}" for name in names):
            if os.path.islink(path):
                continue
            found += path.startswith("/proc/sys/")
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                opened.append(path)
            except OSError:
                pass
print(found > 100, *sorted(opened))
"""
OPEN_SETTINGS = """\
find /proc /sys -type f 2>/dev/null | {
    found=0
    while read -r file; do
        found=$((found + 1))
        if { true >> "$file"; } 2>/dev/null; then echo "$file"; fi
    done
    [ $found -gt 100 ] && echo tried
}
"""
"""a redirection with `>>` only opens the file"""
DEVICES = ("full", "null", "pts/ptmx", "random", "urandom", "zero")


@pytest.fixture
def worker() -> Iterator[Worker]:
    with sandboxed_worker() as worker:
        yield worker


def test_a_card_can_write_to_devices_without_memory_and_to_nothing_else_of_the_kernel(worker: Worker) -> None:
    assert printed(run(worker, OPEN_ALL)).split() == ["True", *(f"/dev/{name}" for name in DEVICES)]


@pytest.mark.parametrize("user", [os.getuid(), NOBODY] if os.getuid() == 0 else [os.getuid()])
def test_no_setting_of_the_kernel_opens_for_writing(user: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Other users may not be allowed to read the clone that the tests are in; the system's folders they can.
    monkeypatch.setattr(sandbox, "INSIDE", Path("/usr"))
    own: dict[str, Any] = {} if user == os.getuid() else {"user": user, "group": user, "extra_groups": []}
    with start(["/bin/sh", "-c", OPEN_SETTINGS], find_sandbox(), (), stdout=subprocess.PIPE, **own) as shell:
        assert shell.communicate()[0].decode().splitlines() == ["tried"]


def test_a_card_has_no_sockets_that_ignore_network_namespaces(worker: Worker) -> None:
    """Sockets to the host of a virtual machine (`AF_VSOCK`) are not part of the sandbox's own network."""
    families = [socket.AF_VSOCK, socket.AF_ALG, socket.AF_PACKET, socket.AF_CAN, 44]
    code = (
        "import errno, socket\n"
        f"for family in {[*map(int, families)]}:\n"
        "    try:\n        socket.socket(family, socket.SOCK_STREAM)\n"
        "    except OSError as error:\n        print(errno.errorcode[error.errno])\n"
    )
    assert printed(run(worker, code)).split() == ["EAFNOSUPPORT"] * len(families)


def test_what_would_outlive_a_card_is_not_there(worker: Worker) -> None:
    code = """\
import ctypes, errno, os
c = ctypes.CDLL(None, use_errno=True)
def name(result):
    return errno.errorcode[ctypes.get_errno()] if result < 0 else result
print(name(c.shmget(0, 4096, 0o1600)), name(c.semget(0, 1, 0o1600)), name(c.msgget(0, 0o1600)))
numbers = (248, 249, 250, 240) if os.uname().machine == "x86_64" else (217, 218, 219, 180)
print(*(name(c.syscall(number, 0, 0, 0, 0, 0)) for number in numbers))
"""
    assert printed(run(worker, code)).splitlines() == ["ENOSYS ENOSYS ENOSYS", "ENOSYS ENOSYS ENOSYS ENOSYS"]


def test_there_are_no_user_namespaces_where_bubblewrap_can_forbid_them(worker: Worker) -> None:
    code = "import ctypes\nprint(ctypes.CDLL(None).unshare(0x10000000))"
    assert ("--disable-userns" in find_sandbox().options, printed(run(worker, code))) == (True, "-1\n")


def answer(program: bytes, architecture: int, number: int, argument: int) -> str:
    """Return what Linux answers to a system call under a filter: the name of an error, or "allowed"."""
    instructions = list(struct.iter_unpack("=HBBI", program))
    call = {0: number, 4: architecture, 16: argument}
    value = index = 0
    while True:
        code, jump, skip, operand = instructions[index]
        if code == 0x06:
            return "allowed" if operand == 0x7FFF0000 else errno.errorcode[operand - 0x00050000]
        if code == 0x20:
            value = call[operand]
        else:
            holds = value >= operand if code == 0x35 else value == operand
            index += jump if holds else skip
        index += 1


@pytest.mark.parametrize(
    ("machine", "architecture", "read", "calls", "create"),
    [
        ("x86_64", 0xC000003E, 0, (29, 64, 68, 240, 248, 249, 250, 319, 425, 447), 41),
        ("aarch64", 0xC00000B7, 63, (180, 186, 190, 194, 217, 218, 219, 279, 425, 447), 198),
    ],
)
def test_the_filter_of_each_processor_refuses_what_outlives_a_card_and_foreign_sockets(
    machine: str, architecture: int, read: int, calls: tuple[int, ...], create: int
) -> None:
    open_, closed = (system_call_filter(machine, sockets=sockets) for sockets in (True, False))
    assert {answer(each, architecture, read, 40) for each in (open_, closed)} == {"allowed"}
    assert {answer(each, architecture, call, 1) for each in (open_, closed) for call in calls} == {"ENOSYS"}
    # A program for 32 bits has other numbers for the same calls, and x32 another range.
    assert {answer(open_, 0x40000003, read, 1), answer(open_, architecture, 0x40000000 + read, 1)} == {
        "ENOSYS"
    }
    families = range(100)
    assert [family for family in families if answer(open_, architecture, create, family) == "allowed"] == [
        socket.AF_UNIX,
        socket.AF_INET,
        socket.AF_INET6,
        socket.AF_NETLINK,
    ]
    assert {answer(open_, architecture, create, family) for family in families} == {"allowed", "EAFNOSUPPORT"}
    assert {answer(closed, architecture, create, family) for family in families} == {"ENOSYS"}


def test_a_processor_whose_calls_are_not_known_has_no_filter() -> None:
    assert system_call_filter("riscv64", sockets=False) == b""
