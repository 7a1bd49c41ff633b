"""Processes of the target Python that run notes, several at once, and are replaced when a card breaks one."""

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypedDict

from ptcards.verify.sandbox import INSIDE, SCRATCH, limits
from ptcards.verify.target import Target, TargetError, clean_environment

STARTING = 120
"""seconds that a worker may take to import what is required"""
GRACE = 90
"""seconds beyond a note's own time after which its worker is given up: a fresh interpreter has to import, too"""


class Part(TypedDict):
    """A piece of code: all of a block, or one input of a session, which begins `line` lines below the block's start."""

    block: int
    code: str
    line: int
    mode: str
    raises: bool


class Task(TypedDict):
    """What a worker is asked to run; `blocks` are the whole texts, for tracebacks."""

    setup: str
    blocks: list[str]
    parts: list[Part]


class Raised(TypedDict):
    """An exception: its class by name and in full, and the card's innermost block and line (from 1) that it passed."""

    name: str
    path: str
    message: str
    place: list[int] | None


class PartReply(TypedDict):
    """What a part did; number -1 is the set-up."""

    part: int
    error: Raised | None
    printed: str
    truncated: bool


class Warned(TypedDict):
    """A warning, and the card's block and line that led to it."""

    name: str
    message: str
    place: list[int] | None


class Reply(TypedDict):
    """What came of a task: `code` is the exit code, minus a signal, or None for a time-out; `done`, whether it came to its end.

    `clean` says whether nothing was left running; `distributions` what was imported, None if that cannot be told.
    """

    parts: list[PartReply]
    warnings: list[Warned]
    code: int | None
    done: bool
    clean: bool
    stderr: str
    distributions: list[str] | None


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker: in which Python, behind which command (of a sandbox), forking or not.

    `timeout` is in seconds for one note. `ahead` are modules that each note's set-up imports: one that forks does so once for all.
    """

    target: Target
    sandbox: tuple[str, ...]
    fork: bool
    timeout: float
    ahead: tuple[str, ...] = ()


class Worker:
    """A process that runs one note after the other."""

    def __init__(self, launch: Launch) -> None:
        """Start it; what it imports is waited for by the first `run`.

        Raises:
            TargetError: the Python does not start.

        """
        self._target = launch.target
        self._prepared = False
        self._timeout = launch.timeout
        self._folder = tempfile.TemporaryDirectory(prefix="ptcards-", ignore_cleanup_errors=True)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        environment = clean_environment(launch.target.user_base)
        if not launch.sandbox:
            environment["TMPDIR"] = environment["TEMP"] = environment["TMP"] = self._folder.name
        environment["HOME"] = environment.get("TMPDIR", "/tmp")  # noqa: S108 - inside the sandbox
        self._process = subprocess.Popen(  # noqa: S603 - running the cards' code is the purpose
            [*launch.sandbox, launch.target.executable, str(INSIDE / "runner.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=environment,
            cwd=self._folder.name,
            start_new_session=True,
        )
        given = {
            "imports": launch.target.imports,
            "ahead": launch.ahead,
            "fork": launch.fork,
            "limits": limits(launch.timeout),
            "timeout": launch.timeout,
            "scratch": SCRATCH if launch.sandbox else (),
        }
        if self._ask(given, STARTING) is None:
            said = self._said()
            self.close()
            raise self._failure((said.splitlines() or ["it ended at once"])[-1])

    def _prepare(self) -> None:
        """Wait until it has imported what is required."""
        greeting = self._ask(None, STARTING)
        if greeting is None or "failed" in greeting:
            said = (self._said().splitlines() or ["it ended"])[-1]
            raise self._failure(said if greeting is None else greeting["failed"])

    def _failure(self, reason: str) -> TargetError:
        python = self._target.executable
        fix = f"mend the installation: `{python} -c 'import {', '.join(self._target.imports)}'`"
        return TargetError(f"`{python}` cannot import what the cards require: {reason}", fix)

    def run(self, task: Task) -> Reply | None:
        """Run a note; None if the worker did not survive it.

        Raises:
            TargetError: what is required cannot be imported.

        """
        if not self._prepared:
            self._prepare()
            self._prepared = True
        reply: Reply | None = self._ask({**task}, self._timeout + GRACE)
        return reply

    def stop(self) -> None:
        """Have the process end, and with it all that its cards have started."""
        with suppress(OSError):
            self._process.terminate()

    def close(self) -> None:
        """End the process and wait for it."""
        self.stop()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self._errors.close()
        self._folder.cleanup()

    def _ask(self, question: Mapping[str, object] | None, patience: float) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        watchdog = threading.Timer(patience, self._process.kill)
        watchdog.start()
        try:
            if question is not None:
                stdin.write(json.dumps(question).encode() + b"\n")
                stdin.flush()
            line = stdout.readline()
            return json.loads(line) if line.endswith(b"\n") else None
        except OSError:  # it is gone
            return None
        finally:
            watchdog.cancel()

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace").strip()


class Crew:
    """Workers that run tasks at the same time; the first one has started already."""

    def __init__(self, launch: Launch, first: Worker, jobs: int) -> None:
        self._launch = launch
        self._workers = [first]
        self._jobs = jobs
        self._stopped = threading.Event()

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Reply | None]]:
        """Run tasks; give each one's index and reply as they come. Whatever ends the iteration ends the workers.

        Raises:
            TargetError: a further worker does not start.

        """
        waiting: SimpleQueue[int] = SimpleQueue()
        for index in range(len(tasks)):
            waiting.put(index)
        done: SimpleQueue[tuple[int, Reply | None] | BaseException] = SimpleQueue()
        threads = [
            threading.Thread(target=self._work, args=(worker, tasks, waiting, done))
            for worker in (*self._workers, *[None] * (min(self._jobs, len(tasks)) - 1))
        ]
        try:  # Ctrl-C may come while the threads begin, too.
            for thread in threads:
                thread.start()
            for _ in tasks:
                result = done.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            self._stopped.set()
            for worker in list(self._workers):
                worker.stop()
            for thread in threads:
                if thread.is_alive():
                    thread.join()

    def _work(
        self,
        worker: Worker | None,
        tasks: Sequence[Task],
        waiting: "SimpleQueue[int]",
        done: "SimpleQueue[tuple[int, Reply | None] | BaseException]",
    ) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    index = waiting.get_nowait()
                except Empty:
                    break
                if worker is None:
                    worker = Worker(self._launch)
                    self._workers.append(worker)
                    if self._stopped.is_set():  # and it was not there yet to be stopped
                        break
                reply = worker.run(tasks[index])
                if reply is None or not reply["clean"]:
                    worker.close()
                    self._workers.remove(worker)
                    worker = None
                done.put((index, reply))
        except BaseException as failure:  # noqa: BLE001 - raised again in the main thread
            done.put(failure)
        finally:
            if worker is not None:
                worker.close()
