"""Watches files for changes."""

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from pathlib import Path

from watchfiles import Change, awatch

from ptcards.files.inputs import find_root

_STEP = 10
_LONGEST = 60
"""Milliseconds; changes are reported after one step without further changes, or after the longest time."""
_BESIDE = ("~", ".swp", ".swx", ".tmp", ".lock")


async def watch(paths: Sequence[Path], changed: Callable[[Sequence[Path] | None], Awaitable[None]]) -> None:
    """Call `changed` with `None` at first, then with the files that changed, or `None` if any may have.

    Changes during a call are collected for the next call.
    """
    folders = sorted({_folder(path) for path in paths})
    while True:
        async with contextlib.aclosing(_changes(folders)) as changes:
            async for files in changes:
                await changed(files)
                if not _are_there(folders):
                    break
        while not _are_there(folders):  # noqa: ASYNC110 - a missing folder cannot be watched
            await asyncio.sleep(0.5)


async def _changes(folders: Sequence[Path]) -> AsyncGenerator[Sequence[Path] | None]:
    """Yield `None` when watching has begun, and then the changed files."""

    def is_of_interest(_change: Change, path: str) -> bool:
        folder = next(each for each in folders if Path(path).is_relative_to(each))
        return not _is_beside(Path(path).relative_to(folder))

    def files(found: Iterable[tuple[Change, str]]) -> Sequence[Path] | None:
        is_plain = all(change is not Change.deleted and path.endswith(".md") for change, path in found)
        return [Path(path) for _, path in found] if is_plain else None

    watching = awatch(*folders, watch_filter=is_of_interest, debounce=_LONGEST, step=_STEP, recursive=True)
    # Watching begins with the first await. Files that are saved while the sources are first read must not be
    # missed.
    first = asyncio.ensure_future(anext(watching))
    try:
        await asyncio.sleep(0)
        yield None
        yield files(await first)
        async for found in watching:
            yield files(found)
    finally:
        first.cancel()
        await asyncio.wait([first])
        await watching.aclose()


def _are_there(folders: Sequence[Path]) -> bool:
    return all(folder.is_dir() for folder in folders)


def _folder(path: Path) -> Path:
    root = find_root(Path(os.path.abspath(path)))  # noqa: PTH100 - keep links as the author wrote them
    return root if root.is_dir() else root.parent


def _is_beside(path: Path) -> bool:
    """Whether a path is among the files that editors, git and builds write next to the sources."""
    hidden = any(part.startswith(".") for part in path.parts)
    return hidden or path.parts[:1] == ("build",) or path.name.endswith(_BESIDE) or path.name == "4913"
