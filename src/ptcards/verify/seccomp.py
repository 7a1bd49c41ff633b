"""The system calls that cards may not use, as a program for Linux's seccomp.

They create things that outlive a card and are counted nowhere: keys, System V memory, queues and unnamed
files in memory; or they do things that a filter cannot see. These calls fail as on a Linux built without
them.
"""

import errno
import struct
from collections.abc import Mapping
from types import MappingProxyType

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""the instructions used from https://docs.kernel.org/userspace-api/seccomp_filter.html"""
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE = 0, 4
"""their offsets in a filter's input"""
_X32 = 0x40000000
"""numbers from here on are x86-64 calls under other numbers"""

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


def system_call_filter(machine: str, *, sockets: bool) -> bytes:
    """Return the filter for a processor as named by `uname -m`, empty if its call numbers are unknown.

    Without `sockets`, sockets of any kind are blocked too.
    """
    if machine not in _CALLS:
        return b""
    architecture, calls = _CALLS[machine]
    # A jump gives the number of instructions to skip.
    start = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),  # the calls of a 32-bit program have other numbers
        (_LOAD, 0, 0, _NUMBER),
    ]
    refused = [
        (_AT_LEAST, _X32),
        *((_EQUAL, calls[name]) for name in calls if name != "socket" or not sockets),
    ]
    tests = [(code, len(refused) - index, 0, value) for index, (code, value) in enumerate(refused)]
    end = [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in (*start, *tests, *end))
