"""Reads what a task recorded. A card can write there, too, so only what makes sense is believed."""

from __future__ import annotations

import json
import re
from typing import Any, Dict  # noqa: UP035 - as old Pythons have it

Entry = Dict[str, Any]  # noqa: UP006 - evaluated, so as Python 3.8 has it


def fits(value: object, shape: object) -> bool:
    """Say whether a value from JSON has a shape.

    A shape is a type, None, a tuple of alternatives, a list (of one shape or of several in order), or a dict of keys that it must have.
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
END = {"warnings": [WARNED], "imported": [str], "nonce": str}


def entries_of(record: bytes) -> list[Entry]:
    """Read what a task recorded, up to where it was cut off or written over: a card can write there, too."""
    entries: list[Entry] = []
    for line in record.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not fits(entry, (PART, END)):
            if entry == {} and not entries:
                continue  # the beginning
            break
        entries.append(entry)
    return entries
