"""Decides which paths `exclude` leaves out: matches `.gitignore` patterns in linear time.

The regular expressions that gitignore libraries build from `*a*a*b` or `**/a/**/b` take years on a path that
nearly matches.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fnmatch import translate
from typing import NamedTuple

MAX_PATTERN_LENGTH = 1000
"""The maximum length of a pattern, because each pattern is tried on each path."""

_Segment = Callable[[str], object]


class PathPattern(NamedTuple):
    """A pattern split at `/`: the required names of a path, with `None` for any number of names.

    `includes` is true if the pattern begins with `!`, and `only_folders` if it ends with `/`. `within` is
    true if it ends with `/**`, so that it matches a folder and everything below it.
    """

    segments: tuple[_Segment | None, ...]
    includes: bool
    only_folders: bool
    within: bool

    def matches(self, names: Sequence[str], *, is_folder: bool) -> bool:
        """Whether the pattern matches a path, given as its names from the root down."""
        if self.only_folders and not is_folder:
            return False
        return _match(self.segments, [*names, ""] if is_folder and self.within else names)


def read_pattern(text: str) -> PathPattern | None:
    """Return a line of `.gitignore` as a pattern, or `None` if it can match nothing, such as a comment.

    Raises:
        ValueError: the line is not a valid pattern, or it is too long.

    """
    line = re.sub(r"(?<!\\)\s+\Z", "", text[: MAX_PATTERN_LENGTH + 1])
    names = line.removeprefix("!").split("/")
    if line == "!" or re.search(r"(?<!\\)(\\\\)*\\\Z", line) or len(text) > MAX_PATTERN_LENGTH:
        raise ValueError(text)
    if line.startswith("#") or not any(names):
        return None
    only_folders = not names[-1]
    names = names[:-1] if only_folders else names
    # A pattern without a slash, except at its end, applies at every depth.
    names = ["**", *names] if len(names) == 1 else names
    within = names[-1] == "**"
    if within:
        names[-1:] = ["*", "**"]
    segments = tuple(None if name == "**" else _segment(name) for name in names if name)
    return PathPattern(segments, line.startswith("!"), only_folders, within)


def valid_patterns(texts: Iterable[str]) -> list[PathPattern]:
    """Return the valid patterns among these lines; invalid ones are reported elsewhere."""
    patterns = []
    for text in texts:
        with suppress(ValueError):
            patterns.append(read_pattern(text))
    return [pattern for pattern in patterns if pattern]


def is_excluded(path: str, patterns: Iterable[PathPattern]) -> bool:
    """Whether a path below the root is excluded; a folder's path ends with `/`.

    The last pattern that matches decides.
    """
    # Authors type composed accents, which some systems divide in names.
    names = unicodedata.normalize("NFC", path.removesuffix("/")).split("/")
    is_out = False
    for pattern in patterns:
        if pattern.includes == is_out and pattern.matches(names, is_folder=path.endswith("/")):
            is_out = not is_out
    return is_out


def _segment(name: str) -> _Segment:
    """Return a function that decides whether a name matches a part of a pattern.

    It runs in linear time, because the expressions of `fnmatch` try each `*` only once.
    """
    shell = re.sub(r"\\(.)|\[\^", lambda found: _plain(found[1]) if found[1] else "[!", name, flags=re.DOTALL)
    return re.compile(translate(shell)).match


def _plain(character: str) -> str:
    return f"[{character}]" if character in "*?[" else character


def _match(segments: Sequence[_Segment | None], names: Sequence[str]) -> bool:
    """Whether segments match names. After `**`, the first match is as good as any later one."""
    at = name = 0
    after = begin = -1
    while name < len(names):
        segment = segments[at] if at < len(segments) else _nothing
        if segment is None:
            at += 1
            after, begin = at, name
        elif segment(names[name]):
            at, name = at + 1, name + 1
        elif after >= 0:
            begin += 1
            at, name = after, begin
        else:
            return False
    return all(segment is None for segment in segments[at:])


def _nothing(_name: str) -> bool:
    return False
