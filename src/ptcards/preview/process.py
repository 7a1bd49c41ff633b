"""The server's side of the processes that work for it: a worker, and one process for each slow request."""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ptcards.notes.labels import interface

_SECONDS = 60.0
"""Seconds to wait for an answer.

A card may take two seconds; reading 10,000 notes for the first time takes half of this limit.
"""

_Answer = dict[str, Any] | None
_Waiting = deque[asyncio.Future[_Answer]]

_SLOW_SECONDS = 300.0
"""Seconds to wait for an answer; a card may have to import a large library first."""
_GRACE = 5.0
"""Seconds that a process gets to end the code of a card."""


class WorkerError(Exception):
    """The worker did not answer and was terminated; the next request starts a new one."""


class PreviewWorker:
    """Sends requests to `preview.worker`, which answers them in order.

    A caller that stops waiting for an answer does not affect the worker. A `patient` worker lets other
    processes go first.
    """

    def __init__(self, paths: Sequence[Path], dialect: str = "", *, patient: bool = False) -> None:
        self._arguments = ["patient" if patient else "", dialect, *(str(path) for path in paths)]
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: _Waiting = deque()
        self._listening: set[asyncio.Task[None]] = set()

    async def ask(self, **request: object) -> dict[str, Any]:
        """Return the answer to a request.

        Raises WorkerError if there is no answer in time, or if the process has ended.
        """
        asked: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        async with self._turn:
            process = self._process or await self._start()
            self._waiting.append(asked)
            with suppress(ConnectionError):  # the process has ended, so there is no answer
                await _send(process, request)
        try:
            async with asyncio.timeout(_SECONDS):
                answer = await asked
        except TimeoutError as failure:
            if process is self._process:
                self.stop()
            message = "rendering took too long"
            raise WorkerError(message) from failure
        if answer is None:
            message = "rendering failed"
            raise WorkerError(message)
        return answer

    async def _start(self) -> asyncio.subprocess.Process:
        # -P: the working folder is the author's, so no modules may come from it.
        process = self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "ptcards.preview.worker",
            *self._arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # Otherwise Ctrl-C also reaches the worker, which prints a traceback if its Python is still
            # starting.
            process_group=0,
        )
        self._waiting = deque()
        listening = asyncio.create_task(self._listen(process, self._waiting))
        self._listening.add(listening)
        listening.add_done_callback(self._listening.discard)
        return process

    async def _listen(self, process: asyncio.subprocess.Process, waiting: _Waiting) -> None:
        """Pass on answers until the process ends, then notify the callers that are still waiting."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                answer = await _receive(process)
                _hand_out(waiting.popleft(), answer)
        if process is self._process:
            self.stop()
        for asked in waiting:
            _hand_out(asked, None)
        await process.wait()

    def stop(self) -> None:
        """Terminate the process immediately if there is one."""
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()

    async def end(self) -> None:
        """Terminate the process and wait for it; asyncio complains about processes that outlive its loop."""
        self.stop()
        if self._listening:
            await asyncio.wait(self._listening)


def _hand_out(asked: asyncio.Future[_Answer], answer: _Answer) -> None:
    if not asked.done():
        asked.set_result(answer)


async def _send(process: asyncio.subprocess.Process, request: dict[str, object]) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    content = json.dumps(request).encode()
    process.stdin.write(len(content).to_bytes(4) + content)
    await process.stdin.drain()


async def _receive(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    length = int.from_bytes(await process.stdout.readexactly(4))
    answer: dict[str, Any] = json.loads(await process.stdout.readexactly(length))
    return answer


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
                async with asyncio.timeout(_SLOW_SECONDS):
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
