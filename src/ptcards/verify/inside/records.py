"""Reads what a card's process reports and prints, from outside.

A card can report anything, so only what makes sense is accepted: parts in order, one after another, then the
end.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any, Callable, Dict  # noqa: UP035 - as old Pythons have it

Entry = Dict[str, Any]  # noqa: UP006 - evaluated, so as Python 3.8 has it


def fits(value: object, shape: object) -> bool:
    """Whether a value from JSON has a given shape.

    A shape is a type, None, a tuple of alternatives, a list (of one shape, or of several in order), or a dict
    of required keys.
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
"""what a runner answers"""


TOLD = {"part": int, "error": (None, RAISED)}
"""of a part; we see for ourselves what it printed"""

OUTPUT = 1 << 20
"""how many bytes of a part's output are kept"""
RECORD = 64 << 20
"""how many bytes a card may report"""


class Transcript:
    """What a card's process reports in the file `record` and prints to the file `printed`, part by part.

    `acknowledge` lets it continue after each of its lines. `begun` means that it has reported its start,
    `end` is its last line, and `parts` is what is in between; `broken` means that a report made no sense.
    """

    def __init__(self, record: str, printed: str, acknowledge: Callable[[], object]) -> None:
        # Separate file objects: seeking in the card's does not move ours.
        self._record = open(record, "rb", buffering=0)  # noqa: PTH123, SIM115 - as strings, and closed by `close`
        self._printed = open(printed, "rb", buffering=0)  # noqa: PTH123, SIM115 - the same
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
