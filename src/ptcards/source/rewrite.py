"""Changes sources in their files, for fixes and for the outputs of code."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from ptcards.files import locked, replacing
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, read_input, real_path

_LINE_END = re.compile(r"(\r\n|\r|\n)")


def rewrite(file: Path, folder: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the content of a file below a folder with what `change` returns, while no build writes there.

    A link stays a link. A file that is unreadable or no longer text is left alone: it has changed since the
    decision to change it.

    Raises:
        OutputError: the file cannot be written; it is unchanged.

    """
    with suppress(InputError, UnicodeDecodeError):
        real = real_path(file, folder)
        with locked(real.parent, waiting=lambda _: None):
            _replace(real, change)


def _replace(file: Path, change: Callable[[bytes], bytes]) -> None:
    before = read_input(file, file.parent, MAX_SOURCE_BYTES)
    after = change(before)
    if after != before:
        with replacing(file) as stream:
            stream.write(after)


def split_lines(content: bytes) -> list[tuple[str, str]]:
    """Return the lines of a file, each with its line end, without the byte order mark."""
    parts = _LINE_END.split(content.decode("utf-8-sig"))
    return list(zip(parts[::2], [*parts[1::2], ""], strict=True))


def joined(content: bytes, lines: Iterable[tuple[str, str]]) -> bytes:
    """Return lines as bytes, with a byte order mark if the original `content` has one."""
    mark = "\ufeff" if content.startswith(b"\xef\xbb\xbf") else ""
    return (mark + "".join(line + end for line, end in lines)).encode()
