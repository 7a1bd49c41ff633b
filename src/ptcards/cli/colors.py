"""Whether to colour what a command prints; Click decides only by the terminal."""

from collections.abc import Mapping
from typing import IO


def use_color(choice: str, stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Decide for one stream: `--color` (auto, always or never), then NO_COLOR, FORCE_COLOR, TERM, the terminal.

    An empty variable counts as unset (https://no-color.org, https://force-color.org); with both set NO_COLOR
    wins, as in Python's own tracebacks.
    """
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()
