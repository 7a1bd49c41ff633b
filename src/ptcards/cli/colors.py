"""Decides whether to colour output; Click on its own only looks at the terminal."""

from collections.abc import Mapping
from typing import IO


def use_color(choice: str, stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether to colour a stream: `--color` decides, then NO_COLOR, FORCE_COLOR, TERM and the terminal.

    An empty variable counts as unset (https://no-color.org, https://force-color.org). If both are set,
    NO_COLOR wins, as in Python's own tracebacks.
    """
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != "dumb" and stream.isatty()
