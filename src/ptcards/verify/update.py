"""Rewrites `output` blocks in files and changes nothing else."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from ptcards.source.code import fence_at
from ptcards.source.source import rewrite
from ptcards.verify.judge import Rewrite

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_END = re.compile(r"\r\n|\r|\n|\Z")


def update_files(rewrites: Iterable[Rewrite]) -> list[Rewrite]:
    """Rewrite `output` blocks; return those that were written.

    A block is left alone if its file has changed since it was read, or if the rewritten file would not
    contain the right text.

    Raises:
        OutputError: a file cannot be written; the ones before it have been.

    """
    by_path: dict[str, list[Rewrite]] = defaultdict(list)
    for each in rewrites:
        by_path[each.output.place.path].append(each)
    written: list[Rewrite] = []
    for path, wanted in by_path.items():
        file = Path(path).resolve()
        rewrite(file, file.parent, partial(_apply, wanted, written))
    return written


def _apply(wanted: Iterable[Rewrite], written: list[Rewrite], content: bytes) -> bytes:
    """Return a file's content with blocks rewritten, and add these to `written`."""
    # Blocks are rewritten from the bottom up, so that the positions above remain valid.
    for each in sorted(wanted, key=lambda each: each.output.place, reverse=True):
        changed = rewritten(content, each)
        if changed is not None:
            written.append(each)
            content = changed
    return content


def rewritten(content: bytes, rewrite: Rewrite) -> bytes | None:
    """Return a file's content with one `output` block rewritten, or `None` if that is not safe."""
    output = rewrite.output
    lines = _LINE.findall(content.decode("utf-8"))
    first = output.place.line - 1
    last = first + output.size + 1
    if not output.closed or last >= len(lines) or not _says(lines, first, output.text.markdown):
        return None
    opening: str = lines[first]
    before = opening[: output.place.column - 1]
    # Text after a list marker is indented by the width of the marker.
    margin = "".join(char if char in " \t>" else " " for char in before)
    end = opening[len(opening.rstrip("\r\n")) :]
    wanted = rewrite.printed.split("\n") if rewrite.printed else []
    marker = _marker(output.marker, wanted)
    info = opening[len(before) + len(output.marker) :]
    closing: str = lines[last]
    closing_end = closing[len(closing.rstrip("\r\n")) :]
    same = marker == output.marker
    new = [
        opening if same else before + marker + info,
        *((margin + line).rstrip() + end for line in wanted),
        closing if same else margin + marker + closing_end,
    ]
    result = [*lines[:first], *new, *lines[last + 1 :]]
    return "".join(result).encode() if _says(result, first, rewrite.printed) else None


def _says(lines: Sequence[str], index: int, text: str) -> bool:
    """Whether a fence on this line contains a text, ignoring white space at line ends."""
    markdown = "\n".join(line.rstrip("\r\n") for line in lines).removeprefix("\ufeff")
    found = fence_at(markdown, index)
    wanted = [line.rstrip() for line in text.split("\n") if text]
    return found is not None and [line.rstrip() for line in found] == wanted


def _marker(marker: str, lines: Iterable[str]) -> str:
    """Return a fence marker that is long enough not to be closed by any line inside."""
    longest = max(
        (len(found[1]) for line in lines if (found := re.match(rf"\s*({marker[0]}+)", line))), default=0
    )
    return marker if longest < len(marker) else marker[0] * (longest + 1)
