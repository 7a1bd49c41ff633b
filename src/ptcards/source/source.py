"""Reads sources, the Markdown files of a collection, and rewrites them for fixes and code outputs."""

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ptcards.diagnostics import Diagnostic, Location, error, warning
from ptcards.files import locked, replacing
from ptcards.files.inputs import MAX_SOURCE_BYTES, InputError, TooLargeError, read_input, real_path
from ptcards.source.reading import AS_OURS, SourceSettings

_PACKAGES = (".apkg", ".colpkg")
_TABLES = (".csv", ".tsv", ".txt")
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r"})
_MARKER = 7
_OURS, _BASE, _BETWEEN, _THEIRS = (sign * _MARKER for sign in "<|=>")
"""git's marks of a conflict"""


@dataclass(frozen=True, slots=True)
class Source:
    """A decoded Markdown file with LF line ends, without a byte order mark.

    `path` is the path that the author sees, and `name` is the path below the collection's root, with `/`.
    `text` is empty until the file is read.
    """

    file: Path
    path: str
    name: str
    text: str = ""
    reading: SourceSettings = AS_OURS

    @property
    def root(self) -> Path:
        """The collection's folder."""
        return self.file.parents[self.name.count("/")]


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A source with its text, or `None` if the file is unreadable; `digest` is the file's SHA-256 in hex."""

    source: Source | None
    digest: str
    problems: tuple[Diagnostic, ...]


def foreign_name(file: Path) -> tuple[str, str] | None:
    """Return a message and fix for a file whose name shows that it is not Markdown, otherwise `None`."""
    suffix = file.suffix.lower()
    if suffix in _PACKAGES and file.is_file():
        fix = f"run `ptcards import {shlex.quote(file.name)}` to write its notes as Markdown"
        return f"`{file.name}` is an Anki package, not Markdown", fix
    if suffix in _TABLES and file.is_file():
        fix = f"run `ptcards import {shlex.quote(file.name)}` to write its rows as Markdown"
        return f"`{file.name}` is a table or Anki's text export, not Markdown", fix
    return None


def read_source(source: Source) -> ReadSource:
    """Return a source with its text, read from its file, and diagnostics."""
    place = Location(source.path, 1)
    if any("\ud800" <= letter <= "\udfff" for letter in source.name):
        fix = "give the file or folder a UTF-8 name"
        return _unreadable(error(place, "unreadable-source", "the name is not UTF-8", fix))
    if foreign := foreign_name(source.file):
        return _unreadable(error(place, "foreign-format", *foreign))
    try:
        content = read_input(source.file, source.root, MAX_SOURCE_BYTES)
    except TooLargeError as failure:
        fix = "split it into several files"
        return _unreadable(error(place, "source-too-large", f"the file {failure.reason}", fix))
    except InputError as failure:
        return _unreadable(failure.at(place, "unreadable-source"))
    return decode_source(source, content)


def decode_source(source: Source, content: bytes) -> ReadSource:
    """Return a source with its text, decoded from the content of its file, and diagnostics."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        return _unreadable(_not_utf8(source.path, content, failure))
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    digest = hashlib.sha256(content).hexdigest()
    has_controls = len(content.translate(None, _CONTROLS)) < len(content)
    problems = tuple(_control_characters(source.path, text)) if has_controls else ()
    if conflicts := find_conflicts(text):
        text, problems = _without_conflicts(text, conflicts), (*_report(source.path, conflicts), *problems)
    return ReadSource(replace(source, text=text), digest, problems)


def _unreadable(problem: Diagnostic) -> ReadSource:
    return ReadSource(None, "", (problem,))


def _not_utf8(path: str, content: bytes, failure: UnicodeDecodeError) -> Diagnostic:
    # `start` does not count the byte order mark, which utf-8-sig skips.
    skipped = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    before = content[skipped : skipped + failure.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode("utf-8")) + 1
    byte = content[skipped + failure.start]
    return error(
        Location(path, line, column),
        "not-utf8",
        f"the byte `0x{byte:02x}` is not valid UTF-8",
        "save the file as UTF-8",
    )


def _control_characters(path: str, text: str) -> Iterator[Diagnostic]:
    for number, line in enumerate(text.split("\n"), 1):
        for column, c in enumerate(line, 1):
            if (c < " " and c != "\t") or c == "\x7f":
                yield warning(
                    Location(path, number, column),
                    "control-character",
                    f"the control character U+{ord(c):04X} is invisible and is left out",
                    "delete it",
                )


class Conflict(NamedTuple):
    """An unfinished merge: the lines (from 0) of its first marker, our text's end, and its last marker."""

    start: int
    middle: int
    end: int


def find_conflicts(text: str) -> list[Conflict]:
    """Return the conflicts that a merge left in a text."""
    if f"\n{_OURS}" not in f"\n{text}":
        return []
    found: list[Conflict] = []
    start = middle = None
    is_second = False
    for number, line in enumerate(text.split("\n")):
        marker = line[:_MARKER] if line[_MARKER : _MARKER + 1] in ("", " ") else ""
        if marker == _OURS:
            start, middle, is_second = number, None, False
        elif start is None:
            continue
        elif marker == _BASE and middle is None:
            middle = number
        elif line == _BETWEEN and not is_second:
            middle, is_second = number if middle is None else middle, True
        elif marker == _THEIRS and is_second and middle is not None:
            found.append(Conflict(start, middle, number))
            start = None
    return found


def _without_conflicts(text: str, conflicts: Sequence[Conflict]) -> str:
    """Return a text that has only our side of each conflict, with blank lines in place of the rest."""
    lines = text.split("\n")
    for start, middle, end in conflicts:
        lines[start] = ""
        lines[middle : end + 1] = [""] * (end + 1 - middle)
    return "\n".join(lines).rstrip("\n") + "\n"  # the author did not write blank lines at the end


def _report(path: str, conflicts: Iterable[Conflict]) -> Iterator[Diagnostic]:
    for each in conflicts:
        message = f"an unfinished merge, up to line {each.end + 1}"
        fix = "finish the merge: keep the right text, and delete the lines with the markers"
        yield error(Location(path, each.start + 1), "conflict-marker", message, fix, _MARKER)


_LINE_END = re.compile(r"(\r\n|\r|\n)")


def rewrite(file: Path, folder: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the content of a file below a folder with what `change` returns, while no build writes there.

    A link remains a link. A file that is unreadable or not UTF-8 is left alone, because it changed in the
    meantime.

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
