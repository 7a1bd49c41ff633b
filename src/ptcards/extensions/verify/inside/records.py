"""Reads, from outside, what a card's process reports and prints.

A card can report anything, so only valid reports are accepted: one part after another, in order, then the
end.
"""

# ruff: noqa: UP006, UP035, UP045 Types are evaluated in Python 3.8.
import json
import os
import re
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Optional,
    Tuple,
    TypedDict,
    Union,
    get_args,
    get_origin,
)

Entry = Dict[str, Any]


def fits(value: object, kind: Any) -> bool:
    """Whether a value from JSON is of a type.

    A tuple stands for a list of several values in order, and a `TypedDict` for an object with its keys.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Union:
        return any(fits(value, each) for each in inner)
    if origin is dict:
        return isinstance(value, dict) and fits([*value.values()], List[inner[1]])  # type: ignore[valid-type]
    if origin in (list, tuple):
        kinds = inner * len(value) if origin is list and isinstance(value, list) else inner
        return isinstance(value, list) and len(value) == len(kinds) and all(map(fits, value, kinds))
    if hasattr(kind, "__total__"):
        hints = kind.__annotations__
        return isinstance(value, dict) and all(key in value and fits(value[key], hints[key]) for key in hints)
    if kind is str:
        return isinstance(value, str) and not _SURROGATE.search(value)
    return type(value) is kind


_SURROGATE = re.compile("[\ud800-\udfff]")
Place = Optional[Tuple[int, int]]
"""A block of the card and a line in it (from 1); the set-up is block -1."""


class Raised(TypedDict):
    """An exception: its class name, short and qualified, and the card's innermost block and line (from 1)."""

    name: str
    path: str
    message: str
    place: Place


class Told(TypedDict):
    """What a card reports about a part; the set-up has number -1. We read its output ourselves."""

    part: int
    error: Optional[Raised]


class PartReply(Told):
    """What a part did."""

    printed: str
    truncated: bool


class Warned(TypedDict):
    """A warning, and the block and line of the card that triggered it."""

    name: str
    message: str
    place: Place


class End(TypedDict):
    """A card's last report."""

    warnings: List[Warned]
    imported: List[str]


class Reply(TypedDict):
    """The result of a task; `code` is the exit code, a negative signal number, or `None` after a timeout.

    `done` is true if the code reached its end, and `clean` if it left nothing running. `distributions` are
    the packages that were imported, or `None` if they cannot be determined.
    """

    parts: List[PartReply]
    warnings: List[Warned]
    code: Optional[int]
    done: bool
    clean: bool
    stderr: str
    distributions: Optional[List[str]]


OUTPUT = 1 << 20
"""the maximum number of bytes to keep of a part's output"""
RECORD = 64 << 20
"""the maximum number of bytes that a card may report"""


class Transcript:
    """What a card's process reports to the file `record` and prints to the file `printed`, by part.

    `acknowledge` lets the process continue after each report. `begun` is true once it has reported its start.
    `parts` are its reports about parts, and `end` is its last report. `broken` is true if a report was
    invalid.
    """

    def __init__(self, record: str, printed: str, acknowledge: Callable[[], object]) -> None:
        # These are separate file objects, so seeking in the card's does not move ours.
        self._record = open(record, "rb", buffering=0)  # noqa: PTH123, SIM115 - strings, and closed by `close`
        self._printed = open(printed, "rb", buffering=0)  # noqa: PTH123, SIM115 - as above
        self._acknowledge = acknowledge
        self._line = b""
        self._told = 0
        self._at = 0
        self.begun = False
        self.parts: list[Entry] = []
        self.end: Entry | None = None
        self.broken = False

    def close(self) -> None:
        """Close the files."""
        self._record.close()
        self._printed.close()

    def read(self) -> bool:
        """Read new reports; return whether there were any."""
        self._record.seek(self._told)  # Wine reads nothing more from a file that was once at its end
        piece = self._record.read(OUTPUT)
        self._told += len(piece)
        *lines, self._line = (self._line + piece).split(b"\n")
        for line in lines:
            if not self.broken:
                self._take(line)
        self.broken = self.broken or self._told > RECORD
        return bool(piece)

    def _take(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if entry == {} and not self.begun:
            self.begun = True
        elif self.begun and self.end is None and fits(entry, Told) and entry["part"] == len(self.parts) - 1:
            self.parts.append({"part": entry["part"], "error": entry["error"], **self._take_printed()})
        elif self.parts and self.end is None and fits(entry, End):
            self.end = entry
        else:
            self.broken = True
            return
        self._acknowledge()

    def _take_printed(self) -> Entry:
        size = os.fstat(self._printed.fileno()).st_size
        self._printed.seek(self._at)
        text = self._printed.read(min(size - self._at, OUTPUT)) if size > self._at else b""
        truncated = size - self._at > OUTPUT
        self._at = max(size, self._at)
        return {"printed": text.decode("utf-8", "replace"), "truncated": truncated}
