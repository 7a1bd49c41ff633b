"""Reads, from outside, what a card's process reports and prints.

A card can report anything, so only valid reports are accepted: one part after another, in order, then the
end.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Callable, Dict  # noqa: UP035 - for old Pythons

Entry = Dict[str, Any]  # noqa: UP006 - evaluated in Python 3.8


def fits(value: object, shape: object) -> bool:
    """Whether a value from JSON has a given shape.

    A shape is a type, `None`, a tuple of alternatives, a list (of one shape, or of several in order), or a
    dictionary of required keys.
    """
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in value and fits(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        shapes = shape * len(value) if len(shape) == 1 and isinstance(value, list) else shape
        return isinstance(value, list) and len(value) == len(shapes) and all(map(fits, value, shapes))
    if shape is str:
        return isinstance(value, str) and not _SURROGATE.search(value)
    return value is None if shape is None else type(value) is shape


_SURROGATE = re.compile("[\ud800-\udfff]")
PLACE = (None, [int, int])
RAISED = {"name": str, "path": str, "message": str, "place": PLACE}
PART = {"part": int, "error": (None, RAISED), "printed": str, "truncated": bool}
WARNED = {"name": str, "message": str, "place": PLACE}
END = {"warnings": [WARNED], "imported": [str]}
REPLY = {
    "parts": [PART],
    "warnings": [WARNED],
    "code": (None, int),
    "done": bool,
    "clean": bool,
    "stderr": str,
    "distributions": (None, [str]),
}
"""the shape of a runner's answer"""


TOLD = {"part": int, "error": (None, RAISED)}
"""the shape of a report about a part; we read its output ourselves"""

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
        elif self.begun and self.end is None and fits(entry, TOLD) and entry["part"] == len(self.parts) - 1:
            self.parts.append({"part": entry["part"], "error": entry["error"], **self._take_printed()})
        elif self.parts and self.end is None and fits(entry, END):
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
