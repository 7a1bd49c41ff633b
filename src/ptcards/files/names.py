"""Names of files and folders that Windows cannot have."""

import re
from collections.abc import Iterable

_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]|[. ]$')
"""Matches what Windows refuses in a name, or drops at its end.

Source: https://learn.microsoft.com/windows/win32/fileio/naming-a-file
"""


def safe_name(name: str) -> str:
    """Return a file name that is an ordinary file on every system.

    On Windows, `con` and `nul.csv` are devices.
    """
    stem, dot, rest = name.partition(".")
    return f"{stem.rstrip()}-deck{dot}{rest}" if _DEVICE.fullmatch(stem) else name


def not_on_windows(names: Iterable[str]) -> str:
    """Return the first of the names in a path that no file or folder has on Windows, or an empty string."""
    for name in names:
        if name not in ("", ".", "..") and (_FORBIDDEN.search(name) or safe_name(name) != name):
            return name
    return ""
