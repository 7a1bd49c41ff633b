"""Changing a source in its file: for fixes, and for the outputs of code."""

from collections.abc import Callable
from pathlib import Path

from ptcards.files import locked, replacing
from ptcards.inputs import MAX_SOURCE_BYTES, read_input, real_path


def rewrite(file: Path, folder: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace what a file below a folder holds by what `change` makes of it, while no build writes there.

    A link stays a link.

    Raises:
        InputError: it is not read.
        OutputError: it cannot be written; it is as it was.

    """
    real = real_path(file, folder)
    with locked(real.parent, waiting=lambda _: None):
        before = read_input(real, real.parent, MAX_SOURCE_BYTES)
        after = change(before)
        if after != before:
            with replacing(real) as stream:
                stream.write(after)
