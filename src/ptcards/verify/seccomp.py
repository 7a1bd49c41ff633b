"""The system calls that cards must not use, as a program for Linux's seccomp.

Some of them create things that outlive a card and that no limit counts: keys, System V memory, queues and
unnamed files in memory. Others do things that a filter cannot see, or create sockets that reach other systems
although the sandbox has its own network. They all fail as if Linux had been built without them.
"""

import errno
import struct
from collections.abc import Mapping
from types import MappingProxyType

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""the instructions we use, from https://docs.kernel.org/userspace-api/seccomp_filter.html"""
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_REFUSE = _FAIL | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16
"""the offsets of the values in a filter's input; of the first argument, the half that holds an `int`"""
_X32 = 0x40000000
"""on x86-64, numbers from here on are alternative numbers for the same calls"""

_CALLS: Mapping[str, tuple[int, Mapping[str, int]]] = MappingProxyType(
    {
        "x86_64": (
            0xC000003E,
            {
                "shmget": 29,
                "semget": 64,
                "msgget": 68,
                "mq_open": 240,
                "add_key": 248,
                "request_key": 249,
                "keyctl": 250,
                "memfd_create": 319,
                "memfd_secret": 447,
                "io_uring_setup": 425,
                "socket": 41,
            },
        ),
        "aarch64": (
            0xC00000B7,
            {
                "mq_open": 180,
                "msgget": 186,
                "semget": 190,
                "shmget": 194,
                "add_key": 217,
                "request_key": 218,
                "keyctl": 219,
                "memfd_create": 279,
                "memfd_secret": 447,
                "io_uring_setup": 425,
                "socket": 198,
            },
        ),
    }
)
"""by processor: its identifier in a filter, and the numbers of the calls"""

_FAMILIES = (1, 2, 10, 16)
"""the sockets of the sandbox's own network: `AF_UNIX`, `AF_INET`, `AF_INET6`, `AF_NETLINK`

A socket of another family, such as `AF_VSOCK`, may reach the host of a virtual machine.
"""


def system_call_filter(machine: str, *, sockets: bool) -> bytes:
    """Return the filter for a processor, named as in `uname -m`; empty if its call numbers are unknown.

    Without `sockets`, the filter blocks all sockets, otherwise only those that may reach other systems.
    """
    if machine not in _CALLS:
        return b""
    architecture, calls = _CALLS[machine]
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
