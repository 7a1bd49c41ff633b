"""Reads the width and height of a picture."""

import re
from pathlib import Path

_LOOKED_AT = 1 << 20
"""The number of bytes of an SVG file in which its size must be."""
_SVG = re.compile(rb"<svg\b[^>]*>")
_SVG_SIZE = re.compile(rb"""\s(width|height)\s*=\s*["']\s*(\d{1,6}(?:\.\d{1,9})?)(?:px)?\s*["']""")


def picture_size(file: Path) -> tuple[int, int]:
    """Return the width and height of a picture in pixels.

    They are zeros if they are unknown, as in a file that vanished. A photo that is turned by its metadata has
    the size that browsers show.
    """
    if file.suffix.lower() != ".svg":
        import imagesize  # noqa: PLC0415 - it imports much, for few decks

        width, height = imagesize.get(file)
        return max(width, 0), max(height, 0)
    # Here, imagesize would also take the size of another element, or that of the `viewBox`.
    try:
        with file.open("rb") as stream:
            tag = _SVG.search(stream.read(_LOOKED_AT))
    except OSError:
        return 0, 0
    sides = {name: round(float(value)) for name, value in _SVG_SIZE.findall(tag[0])} if tag else {}
    return sides.get(b"width", 0), sides.get(b"height", 0)
