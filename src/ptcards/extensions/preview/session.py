"""The state of the preview, which takes results from the worker and sends them to all open pages.

It also starts a process for each slow request.
"""

import asyncio
import json
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any

from ptcards.extensions.preview.problems import trouble
from ptcards.notes.labels import interface
from ptcards.search import NoteText, folded, search
from ptcards.search.twins import Twins, closest, words_in

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
    """The worker did not answer and was terminated, or did not start; the next request starts a new one."""


class PreviewWorker:
    """Sends requests to `preview.worker`, which answers them in order.

    A caller that stops waiting for an answer does not affect the worker. A `patient` worker lets other
    processes go first.
    """

    def __init__(self, paths: Sequence[Path], dialect: str = "", *, patient: bool = False) -> None:
        self._arguments = ["patient" if patient else "", dialect, *(str(path) for path in paths)]
        self._turn = asyncio.Lock()
        self._process: Process | None = None
        self._waiting: _Waiting = deque()
        self._listening: set[asyncio.Task[None]] = set()

    async def ask(self, **request: object) -> dict[str, Any]:
        """Return the answer to a request.

        Raises WorkerError if there is no answer in time, or if the process has ended or cannot start.
        """
        asked: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        async with self._turn:
            try:
                process = self._process or await self._start()
            except OSError as failure:
                message = f"no process for rendering: {(failure.strerror or '').lower()}"
                raise WorkerError(message) from failure
            self._waiting.append(asked)
            with suppress(ConnectionError):  # the process has ended, so there is no answer
                await _send(process, request)
        try:
            async with asyncio.timeout(_SECONDS):
                answer = await asked
        except TimeoutError as failure:
            if process is self._process:
                self.stop()
            raise WorkerError("rendering took too long") from failure
        if answer is None:
            raise WorkerError("rendering failed")
        return answer

    async def _start(self) -> Process:
        process = self._process = await _started("worker", *self._arguments, stdin=PIPE)
        self._waiting = deque()
        listening = asyncio.create_task(self._listen(process, self._waiting))
        self._listening.add(listening)
        listening.add_done_callback(self._listening.discard)
        return process

    async def _listen(self, process: Process, waiting: _Waiting) -> None:
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


async def _started(module: str, *arguments: str, stdin: int, stderr: int | None = None) -> Process:
    """Start a module of the preview in a process of its own, which answers on its standard output."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # the working folder is the author's, so no modules may come from it
        "-m",
        f"ptcards.extensions.preview.{module}",
        *arguments,
        stdin=stdin,
        stdout=PIPE,
        stderr=stderr,
        # Otherwise Ctrl-C also reaches the process, which prints a traceback if its Python is still starting.
        process_group=0,
    )


def _hand_out(asked: asyncio.Future[_Answer], answer: _Answer) -> None:
    if not asked.done():
        asked.set_result(answer)


async def _send(process: Process, request: dict[str, object]) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    content = json.dumps(request).encode()
    process.stdin.write(len(content).to_bytes(4) + content)
    await process.stdin.drain()


async def _receive(process: Process) -> dict[str, Any]:
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
            try:
                process = await _started(
                    "slow_requests", do, card, *self._arguments, stdin=DEVNULL, stderr=DEVNULL
                )
            except OSError as failure:
                return {"refused": (failure.strerror or "").lower()}
            try:
                async with asyncio.timeout(_SLOW_SECONDS):
                    out, _ = await process.communicate()
                answer: dict[str, Any] = json.loads(out)
            except (TimeoutError, ValueError):
                return {"refused": interface("preview")["refused_late"]}
            finally:
                await _end(process)
        return answer


async def _end(process: Process) -> None:
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


_SETTLED = 0.4
"""Seconds without a change before slower work begins: advice, and the GUIDs of new notes."""
_WAITING = 64
"""The number of messages to queue for a page; a page that does not read them must then start over."""

Message = dict[str, Any]
_IDENTITY = itemgetter("path", "line", "column", "rule")
"""Returns what distinguishes a finding from others."""


class Session:
    """The state of a preview; `changed` updates it, and `listen` reports updates."""

    def __init__(self, paths: Sequence[Path], dialect: str = "") -> None:
        self._worker = PreviewWorker(paths, dialect)
        # A save must not wait for a rule that compares all notes with each other.
        self._adviser = PreviewWorker(paths, dialect, patient=True)
        self._version = 0
        self._shown: Message = {"names": [], "css": [], "roots": [], "order": [], "undo": None}
        """what the page shows besides the cards: all that the worker says of the collections"""
        self._cards: dict[str, Message] = {}
        self._found: list[Message] = []
        self._advice: list[Message] = []
        self._fixable: set[tuple[str, str]] = set()
        self._told: dict[str, list[Message]] = {}
        self._files: dict[str, Mapping[str, str]] = {}
        self._texts: dict[str, NoteText] = {}
        self._listeners: set[asyncio.Queue[Message | None]] = set()
        self._lacks_guids = False
        self._settling: asyncio.Task[None] | None = None
        self._identifying: asyncio.Task[None] | None = None

    async def end(self) -> None:
        """End the workers and wait until they are gone."""
        tasks = [task for task in (self._settling, self._identifying) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._worker.end()
        await self._adviser.end()

    @property
    def state(self) -> Message:
        """Return everything that a page needs to start: the cards without their sides."""
        return {**self._shown, "version": self._version, "cards": self._cards, "problems": self._told}

    def media(self, name: str) -> tuple[Path, Path] | None:
        """Return the file that a card shows under this name, and its collection's folder.

        Other files cannot be requested.
        """
        for card, files in self._files.items():
            if name in files:
                return Path(files[name]), self._root_of(card)
        return None

    def card(self, name: str) -> Message | None:
        """Return a note on the page, or `None` if no note has this name."""
        return self._cards.get(name)

    def source(self, name: str) -> tuple[Path, Path] | None:
        """Return the file that contains a note, and its collection's folder."""
        card = self._cards.get(name)
        return (Path(card["file"]), self._root_of(name)) if card else None

    def _root_of(self, card: str) -> Path:
        """Return the folder of a card's collection."""
        return Path(self._shown["roots"][self._cards[card]["collection"]])

    def find(self, words: Sequence[str]) -> list[str]:
        """Return the notes with all of these words, in the order of `ptcards find`.

        Notes with some of the words only in their tags, deck or path come last. If no note has all
        words, the notes with the most of them are returned.
        """
        cards = {self._texts[card]: card for card in self._shown["order"]}
        wanted = [folded(word) for word in words]
        complete = {
            card: None
            for text, card in cards.items()
            if all(map(self._haystack(card, text).__contains__, wanted))
        }
        ranked = [cards[text] for text in search(cards, words)]
        return list(dict.fromkeys([*(card for card in ranked if card in complete), *complete])) or ranked

    async def closest(self, name: str) -> Message:
        """Return the other note that is the most like a note, and why; empty if none is."""
        cards = {self._texts[card]: card for card in self._shown["order"]}
        if (text := self._texts.get(name)) is None:
            return {}

        def find() -> list[Twins]:
            return closest({each: words_in(each.question, each.answer) for each in cards}, 1, [text])

        for pair in await asyncio.to_thread(find):
            other = pair.notes[pair.notes[0] == text]
            return {"card": cards[other], "likeness": pair.likeness, "shared": pair.shared}
        return {}

    def _haystack(self, card: str, text: NoteText) -> str:
        shown = self._cards[card]
        return folded(
            "\n".join([text.question, text.answer, text.key, text.path, shown["deck"], *shown["tags"]])
        )

    def shows(self, file: str) -> bool:
        """Whether the page mentions this file, in a card or in a finding."""
        found = (problem["file"] for problems in self._told.values() for problem in problems)
        return bool(file) and (any(card["file"] == file for card in self._cards.values()) or file in found)

    async def ask(self, **request: object) -> Message:
        """Return the worker's answer to a page's request; empty if there is none."""
        try:
            return await self._worker.ask(**request)
        except WorkerError as failure:
            self._report(failure)
            await self.changed(None)
            return {}

    async def changed(self, files: Sequence[Path] | None) -> None:
        """Read the changed files again, or all files if `files` is `None`; then notify the pages."""
        self._unsettle()
        if files is not None:
            names = {str(file) for file in files}
            # Findings in these files are out of date. Errors are found again immediately, advice a little
            # later.
            self._advice = [each for each in self._advice if each["file"] not in names]
        await self._read(identify=not self._version)
        self._unsettle()  # a worker that failed for a page has been restarted by now
        self._settling = asyncio.create_task(self._settle())

    async def listen(self) -> AsyncIterator[Message | None]:
        """Yield messages for a page as they arrive, and `None` now and then if there are none.

        The first message contains the version. A page with another version requests the complete state.
        """
        queue: asyncio.Queue[Message | None] = asyncio.Queue(_WAITING)
        self._listeners.add(queue)
        try:
            yield {"version": self._version}
            while True:
                message = None
                # Before Python 3.12, `wait_for` forgets that it was cancelled if a message arrives at the
                # same time.
                with suppress(TimeoutError):
                    async with asyncio.timeout(15):
                        message = await queue.get()
                yield message
        finally:
            self._listeners.discard(queue)

    async def _read(self, *, identify: bool) -> None:
        try:
            answer = await self._worker.ask(do="read", identify=identify)
        except WorkerError as failure:
            self._report(failure)
            return
        if "gone" in answer:
            self._found = [answer["gone"]]
            self._tell({})
            return
        before, self._shown = self._shown["order"], {name: answer[name] for name in self._shown}
        for card, value in answer["cards"].items():
            self._files[card] = value.pop("media")
            *texts, unlike = value.pop("texts")
            self._texts[card] = NoteText._make([*texts, tuple(unlike)])
            self._cards[card] = value
        for card in set(before).difference(answer["order"]):
            del self._cards[card], self._files[card], self._texts[card]
        self._found = answer["problems"]
        self._lacks_guids = answer["lacks_guids"]
        changed = {name: answer[name] for name in ("cards", "edited", "sides")}
        self._tell({**self._shown, **changed, **({"order": None} if before == answer["order"] else {})})

    def _unsettle(self) -> None:
        if self._settling is not None:
            self._settling.cancel()

    async def _settle(self) -> None:
        await asyncio.sleep(_SETTLED)
        if self._lacks_guids:
            # A save must not cancel this task. Cancelling ends the worker, and a new worker would not know
            # the state before the save.
            self._identifying = asyncio.create_task(self._read(identify=True))
            await asyncio.shield(self._identifying)
        try:
            while "problems" not in (answer := await self._adviser.ask(do="check")):
                pass  # something more urgent interrupted it, and is done by now
        except WorkerError as failure:
            self._report(failure)
            return
        self._advice = answer["problems"]
        self._fixable = {(path, rule) for path, rule in answer["fixable"]}
        self._tell({})

    def _problems(self) -> dict[str, list[Message]]:
        """Return findings and advice by path.

        They are stored separately, so that fixed errors disappear immediately.
        """
        seen = set(map(_IDENTITY, self._found))
        problems: dict[str, list[Message]] = {}
        for each in (*self._found, *(each for each in self._advice if _IDENTITY(each) not in seen)):
            fixable = (each["path"], each["rule"]) in self._fixable
            problems.setdefault(each["path"], []).append(each | {"fixable": fixable})
        return problems

    def _report(self, failure: WorkerError) -> None:
        self._found = [trouble(str(failure), "save the file again; if that does not help, report it")]
        self._advice = []
        self._tell({})

    def _tell(self, message: Message) -> None:
        """Send a message to the pages, including the problems of each path where they changed."""
        told, self._told = self._told, self._problems()
        paths = (path for path in {**told, **self._told} if told.get(path) != self._told.get(path))
        message["problems"] = {path: self._told.get(path, []) for path in paths}
        before = self._version
        # The version comes from the clock, so that an open page notices when the preview is restarted.
        self._version = max(before + 1, time.time_ns() // 1_000_000)
        for queue in self._listeners:
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait({"version": self._version})
            else:
                queue.put_nowait({"from": before, "version": self._version, **message})
