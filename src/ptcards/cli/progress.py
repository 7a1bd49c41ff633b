"""The progress that a long step shows on a terminal."""

import sys
import time
from typing import Self

import click

from ptcards.cli.messages import is_quiet, look

_AFTER = 0.3
"""Seconds before anything is shown; most commands finish sooner."""
_EVERY = 0.05
"""Seconds between two updates."""
_BAR = 20
_CLEAR = "\r\x1b[2K"


class Progress:
    """A progress line on standard error, if that is a terminal; it disappears when the block ends."""

    def __init__(self) -> None:
        self._columns = None if is_quiet() else look(err=True).columns
        self._next = time.monotonic() + _AFTER
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` parts of a step are done; a step without parts only shows its name."""
        if self._columns is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        text = step
        if total:
            full = _BAR * min(done, total) // total
            text = f"{step:<10} {'█' * full}{'░' * (_BAR - full)} {done:,}/{total:,}"
        click.echo(f"{_CLEAR}{text[: self._columns - 1]}", nl=False, err=True, color=True)
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Remove the line."""
        if self._drawn:
            click.echo(_CLEAR, nl=False, err=True, color=True)
            self._drawn = False
