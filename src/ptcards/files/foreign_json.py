"""Builds JSON that strangers wrote, within limits on its size and on its number of values.

A value in memory takes up to forty times the space of its text: `{}` needs 72 bytes.
"""

import json
import re
from typing import Any, NamedTuple

_VALUE = re.compile(rb'"[^"]*+"?|[\[{]|[-+.\w]++')
"""A value or a key, once escaped quotes are gone."""
_WIDE = re.compile(rb"[\xc4-\xff]|\\u")
"""A letter that makes Python store a text with four bytes for each of its letters, at worst."""


class JsonLimit(NamedTuple):
    """The maximum number of bytes, of bytes if not all letters are Western European, and of values.

    Keys count as values.
    """

    size: int
    wide_size: int
    values: int

    def check_size(self, content: bytes) -> None:
        """Raise LargeDocumentError if the content has too many bytes."""
        is_large = len(content) > self.size
        if is_large or (len(content) > self.wide_size and _WIDE.search(content)):
            raise LargeDocumentError(f"is larger than {(self.size if is_large else self.wide_size) >> 20} MB")


class LargeDocumentError(ValueError):
    """A document beyond a limit; the message completes a sentence about it."""


def build_json(content: bytes, limit: JsonLimit) -> Any:
    """Return the document in JSON.

    Raises:
        LargeDocumentError: it is beyond a limit; nothing was built.
        ValueError: it is not JSON, or has a number with too many digits.
        RecursionError: it is nested too deeply.

    """
    limit.check_size(content)
    if _has_over(content, limit.values):
        raise LargeDocumentError(f"has over {limit.values:,} values")
    return json.loads(content)


def _has_over(content: bytes, most: int) -> bool:
    """Whether JSON has more values and keys than `most`."""
    # A value or key is in quotes, opens a bracket, or follows a bracket or a comma.
    brackets = content.count(b"[") + content.count(b"{")
    if content.count(b'"') // 2 + content.count(b",") + 2 * brackets < most:
        return False
    bare = content.replace(rb"\\", b"").replace(rb"\"", b"")
    return any(number == most for number, _ in enumerate(_VALUE.finditer(bare)))


def fits(value: Any, shape: Any) -> bool:
    """Whether a JSON value has a shape, which is a type, or consists of types like the value itself.

    A list, or `str` as a key, stands for any number of values, and a tuple for alternatives. What an object
    has besides may be anything, except that `{}` is only empty. A boolean is no number.
    """
    if isinstance(shape, tuple):
        return any(fits(value, each) for each in shape)
    if isinstance(shape, list) and isinstance(shape[0], type):
        return isinstance(value, list) and {*map(type, value)} <= {shape[0]}  # fast for thousands of ids
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(each, shape[0]) for each in value)
    if not isinstance(shape, dict):
        return isinstance(value, shape) and (shape in (object, bool) or not isinstance(value, bool))
    if not isinstance(value, dict):
        return False
    if str in shape:
        return all(fits(each, shape[str]) for each in value.values())
    return bool(shape or not value) and all(
        name in value and fits(value[name], inner) for name, inner in shape.items()
    )
