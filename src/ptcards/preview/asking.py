"""The server's side of `preview.aside`: one process per request, which ends if the caller does."""

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ptcards.notes.labels import interface

_SECONDS = 300.0
"""Seconds to wait for an answer; a card may have to import a large library first."""
_GRACE = 5.0
"""Seconds that a process gets to end the code of a card."""


class Aside:
    """Runs slow requests one at a time, because each uses one or two processors."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._arguments = [str(path) for path in paths]
        self._turn = asyncio.Lock()

    async def ask(self, do: str, card: str = "") -> dict[str, Any]:
        """Return the answer to a request; `refused` explains why there is none."""
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "ptcards.preview.aside",
                do,
                card,
                *self._arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                process_group=0,
            )
            try:
                async with asyncio.timeout(_SECONDS):
                    out, _ = await process.communicate()
                answer: dict[str, Any] = json.loads(out)
            except (TimeoutError, ValueError):
                return {"refused": interface("preview")["refused_late"]}
            finally:
                await _end(process)
        return answer


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a process gently, so that it can end its own children."""
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_GRACE):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
