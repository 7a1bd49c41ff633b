"""Reads the messages of protocol buffers, in which Anki stores settings and lists of media."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ptcards.files.foreign_json import LargeDocumentError

_LONGEST_VARINT = 10
_MOST_VALUES = 100_000
"""The longest message of a real package lists its files."""


class ProtobufMessage(NamedTuple):
    """The values of a message by their field numbers, in the order in which they were written."""

    values: Mapping[int, Sequence[int | bytes]]

    def data(self, number: int) -> bytes:
        """Return the last value of a field as bytes; empty if there is none."""
        return next((each for each in reversed(self.values.get(number, ())) if isinstance(each, bytes)), b"")

    def text(self, number: int) -> str:
        """Return a text field; raises ValueError if it is not UTF-8."""
        return self.data(number).decode()

    def number(self, number: int) -> int | None:
        """Return the last number of a field (signed if it has 64 bits), or `None` if it is missing."""
        found = next((each for each in reversed(self.values.get(number, ())) if isinstance(each, int)), None)
        return None if found is None else signed(found)

    def messages(self, number: int) -> Iterator["ProtobufMessage"]:
        """Yield all messages in a repeated field."""
        return (read_message(each) for each in self.values.get(number, ()) if isinstance(each, bytes))


def signed(number: int) -> int:
    """Return a 64-bit number as a signed one.

    Ids are signed in one schema and unsigned in another.
    """
    return number - (1 << 64) if number >= 1 << 63 else number


def read_message(content: bytes) -> ProtobufMessage:
    """Return the fields of a message.

    Raises:
        ValueError: the data is not a message, or has too many values (LargeDocumentError).

    """
    found: dict[int, list[int | bytes]] = defaultdict(list)
    at = count = 0
    while at < len(content):
        count += 1
        if count > _MOST_VALUES:
            raise LargeDocumentError(f"has over {_MOST_VALUES:,} values")
        tag, at = _varint(content, at)
        value: int | bytes
        match tag & 7:
            case 0:
                value, at = _varint(content, at)
            case 1:
                value, at = int.from_bytes(_piece(content, at, 8), "little"), at + 8
            case 2:
                length, at = _varint(content, at)
                value, at = _piece(content, at, length), at + length
            case 5:
                value, at = int.from_bytes(_piece(content, at, 4), "little"), at + 4
            case other:
                raise ValueError(f"wire type {other}")
        found[tag >> 3].append(value)
    return ProtobufMessage(found)


def _piece(content: bytes, at: int, length: int) -> bytes:
    piece = content[at : at + length]
    if len(piece) < length:
        raise ValueError("a message that ends too early")
    return piece


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """Return the number at an offset, and the offset after it."""
    number = 0
    for length in range(_LONGEST_VARINT):
        byte = _piece(content, at + length, 1)[0]
        number |= (byte & 127) << 7 * length
        if byte < 128:
            return number & (1 << 64) - 1, at + length + 1
    raise ValueError("a number that does not end")
