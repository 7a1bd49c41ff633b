"""Remembers that a whole run found nothing, so that a run without any change need not even parse the sources."""

import hashlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypedDict

from ptcards.notes import Note
from ptcards.source.collection import Collection
from ptcards.verify.cache import read_entry, write_entry
from ptcards.verify.sandbox import RefusedError
from ptcards.verify.target import Python, Target, find_target

_PACKAGE = Path(__file__).parent.parent


FileState = list[str | int]
"""Path, bytes, and nanoseconds of the last change; a list, since it comes from JSON."""


class Run(TypedDict):
    """What one collection came to: in which Python (empty: none was needed), with which media files, in words."""

    target: str
    media: list[FileState]
    words: list[str]


_RUNS = [{"target": str, "media": [[str, int, int]], "words": [str]}]


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of runs over these sources, settings and keys, in a folder that may be deleted at any time."""

    folder: Path | None
    key: str

    def recall(self, pythons: Iterable[tuple[Python, Sequence[str]]], *, sandboxed: bool) -> list[str] | None:
        """Say in words what a run would come to; None if one is needed to know.

        For each collection `pythons` names the Python and what is required of it.
        """
        runs: list[Run] = read_entry(self.folder, self.key, _RUNS) or []
        for run, (python, requires) in zip(runs, pythons, strict=False):
            try:
                target = (
                    fingerprint(find_target(python, requires, sandboxed=sandboxed)) if run["target"] else ""
                )
            except RefusedError:
                return None
            if target != run["target"] or any(_file_state(str(state[0])) != state for state in run["media"]):
                return None
        return [line for run in runs for line in run["words"]] or None

    def remember(self, runs: Sequence[Run]) -> None:
        """Keep what runs that found nothing came to."""
        write_entry(self.folder, self.key, runs)


def memory_of(
    folder: Path | None, collections: Iterable[tuple[Collection, Sequence[str]]], keys: Sequence[str]
) -> Memory:
    """Return what is known of runs over collections, each with the digests of its sources.

    `keys` are the notes asked for, all if empty.
    """
    about = [repr((_ourselves(), sys.version, keys))]
    for collection, digests in collections:
        # The order of a set is another one each time.
        selected = None if collection.selected is None else sorted(collection.selected)
        about.append(repr((selected, replace(collection, selected=None), digests)))
    return Memory(folder, hashlib.sha256("\n".join(about).encode("utf-8", "surrogatepass")).hexdigest())


def make_run(target: Target | None, notes: Iterable[Note], words: list[str]) -> Run:
    """Describe what a collection came to."""
    files = sorted({str(media.file) for note in notes for media in note.media})
    found = fingerprint(target) if target else ""
    return Run(target=found, media=[_file_state(file) for file in files], words=words)


def fingerprint(target: Target) -> str:
    """Tell Pythons apart by where they lie, their version and that of everything installed: SHA-256 in hex."""
    return hashlib.sha256(json.dumps(asdict(target), sort_keys=True).encode()).hexdigest()


def _file_state(file: str) -> FileState:
    """Give what changes when a file does; sizes are -1 where there is none."""
    try:
        status = Path(file).stat()
    except OSError:
        return [file, -1, -1]
    return [file, status.st_size, status.st_mtime_ns]


def _ourselves() -> list[FileState]:
    """Give what changes when ptcards does: another one may read the sources otherwise."""
    return [_file_state(str(file)) for file in sorted(_PACKAGE.rglob("*.py"))]
