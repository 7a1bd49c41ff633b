"""The server's end of a worker process."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SECONDS = 60.0
"""How long an answer may take. A card has two seconds to render; reading 10,000 notes for the first time takes about half of this."""


class WorkerError(Exception):
    """The worker gave no answer, and was ended; the next request begins a new one."""


class Worker:
    """Asks `preview.worker` one thing at a time, in the order of the questions."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._arguments = [str(path) for path in paths]
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._ending: list[asyncio.subprocess.Process] = []

    async def ask(self, **request: object) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises WorkerError when none comes in time, or the process ended.
        """
        async with self._turn:
            process = self._process or await self._start()
            try:
                async with asyncio.timeout(_SECONDS):
                    return await _exchange(process, request)
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as failure:
                self.stop()
                message = (
                    "rendering took too long" if isinstance(failure, TimeoutError) else "rendering failed"
                )
                raise WorkerError(message) from failure
            except asyncio.CancelledError:
                # Half an answer may be on its way: nobody could tell it from the next one.
                self.stop()
                raise

    async def _start(self) -> asyncio.subprocess.Process:
        # -P: the working folder is the author's, and no module of ours is to be found there.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "ptcards.preview.worker",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            process_group=0,  # else Ctrl-C reaches it, too, and while its Python starts it would print a traceback
        )
        return self._process

    def stop(self) -> None:
        """End the process at once, if there is one."""
        process, self._process = self._process, None
        self._ending = [each for each in self._ending if each.returncode is None]
        if process is not None and process.returncode is None:
            process.kill()
            self._ending.append(process)

    async def end(self) -> None:
        """End the process and wait until it is gone: asyncio complains of those that outlive its loop."""
        self.stop()
        for process in self._ending:
            await process.wait()


async def _exchange(process: asyncio.subprocess.Process, request: dict[str, object]) -> dict[str, Any]:
    assert process.stdin is not None  # noqa: S101 - both are pipes
    assert process.stdout is not None  # noqa: S101
    content = json.dumps(request).encode()
    process.stdin.write(len(content).to_bytes(4) + content)
    await process.stdin.drain()
    length = int.from_bytes(await process.stdout.readexactly(4))
    answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
    return answer
