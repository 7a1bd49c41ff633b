"""Reads the width and height of a picture from the first bytes of its file."""

import re
import struct
from pathlib import Path

_LOOKED_AT = 1 << 20
"""The number of bytes of a file in which its size must be: a photo may have a preview before it."""
_SVG = re.compile(rb"<svg\b[^>]*>")
_SVG_SIZE = re.compile(rb"""\s(width|height)\s*=\s*["']\s*(\d{1,6}(?:\.\d{1,9})?)(?:px)?\s*["']""")
_NOT_FRAMES = frozenset({0xC4, 0xC8, 0xCC})
"""JPEG markers among those of frames that begin tables (www.w3.org/Graphics/JPEG/itu-t81.pdf, B.1)."""


def picture_size(file: Path) -> tuple[int, int]:
    """Return the width and height of a PNG, GIF, JPEG, WebP or SVG file in pixels.

    They are zeros if they are unknown, as in a file that vanished. A photo that is turned by its metadata has
    the size that browsers show.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_LOOKED_AT)
    except OSError:
        return 0, 0
    try:
        return _size(data)
    except (struct.error, IndexError):  # the file ends too early
        return 0, 0


def _size(data: bytes) -> tuple[int, int]:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _pair(">II", data, 16)
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _pair("<HH", data, 6)
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if data[8:12] == b"WEBP":
        return _webp_size(data)
    tag = _SVG.search(data)
    sides = {name: round(float(value)) for name, value in _SVG_SIZE.findall(tag[0])} if tag else {}
    return sides.get(b"width", 0), sides.get(b"height", 0)


def _pair(form: str, data: bytes, at: int) -> tuple[int, int]:
    width, height = struct.unpack_from(form, data, at)
    return width, height


def _jpeg_size(data: bytes) -> tuple[int, int]:
    """Return the size in the first frame header; a turned photo has its sides exchanged."""
    at, is_turned = 2, False
    while True:
        marker, length = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if marker == 0xFF:  # padding
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in _NOT_FRAMES:
            height, width = _pair(">HH", data, at + 5)
            return (height, width) if is_turned else (width, height)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            is_turned = _is_turned(data[at + 10 : at + 2 + length])
        at += 2 + length


def _is_turned(exif: bytes) -> bool:
    """Whether the orientation in the metadata of a photo turns it by a quarter (values 5 to 8)."""
    order = "<" if exif.startswith(b"II") else ">"
    start = struct.unpack_from(f"{order}I", exif, 4)[0]
    for number in range(struct.unpack_from(f"{order}H", exif, start)[0]):
        tag, _, _, value = struct.unpack_from(f"{order}HHIH", exif, start + 2 + 12 * number)
        if tag == 0x112:
            return bool(value >= 5)
    return False


def _webp_size(data: bytes) -> tuple[int, int]:
    """Return the size in the first chunk (https://developers.google.com/speed/webp/docs/riff_container)."""
    match data[12:16]:
        case b"VP8X":
            width, height = (int.from_bytes(data[at : at + 3], "little") + 1 for at in (24, 27))
        case b"VP8L":
            bits = struct.unpack_from("<I", data, 21)[0]
            width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            width, height = (side & 0x3FFF for side in _pair("<HH", data, 26))
    return width, height
