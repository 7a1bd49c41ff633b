"""Processes of the target Python that run notes, and the messages they exchange with us.

Several workers run at the same time, and a worker is replaced when a card breaks it.
"""

import json
import math
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any, TypedDict

from ptcards.extensions.verify.inside.records import Reply, fits
from ptcards.extensions.verify.sandbox import INSIDE, SCRATCH, RefusedError, Sandbox, limits, start
from ptcards.extensions.verify.supervision import Lost, Watch, children, end_orphans
from ptcards.extensions.verify.target import Target, clean_environment
from ptcards.files.temporary import temporary_folder

STARTING = 120
"""seconds within which a worker must import the required packages"""
GRACE = 90
"""seconds beyond a note's time limit before we give up on its worker, which may have to import first"""
LONGEST = 256 << 20
"""the maximum size of an answer in bytes"""


class CodePart(TypedDict):
    """A piece of code: a complete block, or one input of a session.

    `line` is its distance from the start of the block.
    """

    block: int
    code: str
    line: int
    mode: str
    raises: bool


class Task(TypedDict):
    """A request to a worker; `blocks` are the complete texts of the blocks, for tracebacks."""

    setup: str
    blocks: list[str]
    parts: list[CodePart]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a worker: the Python, the sandbox (if any), and whether the worker forks.

    `timeout` is the number of seconds for one note. `ahead` are modules that each note's set-up imports; a
    forking worker imports them once for all notes.
    """

    target: Target
    sandbox: Sandbox | None
    fork: bool
    timeout: float
    ahead: tuple[str, ...] = ()


class Worker:
    """A process that runs notes one after another."""

    def __init__(self, launch: Launch) -> None:
        """Start the process; the first `run` waits until it has imported its packages.

        Raises:
            RefusedError: the Python does not start.

        """
        self._launch = launch
        self._prepared = False
        environment = clean_environment(launch.target.user_base)
        with ExitStack() as held:
            folder = "/tmp" if launch.sandbox else str(held.enter_context(temporary_folder("verify")))  # noqa: S108 - inside the sandbox
            environment.update(dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), folder))
            self._errors = held.enter_context(tempfile.TemporaryFile())
            self._process = held.enter_context(
                start(
                    [launch.target.executable, str(INSIDE / "runner.py")],
                    launch.sandbox,
                    launch.target.folders,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._errors,
                    env=environment,
                    cwd="/" if launch.sandbox else folder,
                )
            )
            self.number = self._process.pid
            self._watch = Watch(self._process, sandboxed=launch.sandbox is not None)
            held.callback(self._end)
            held.enter_context(self._watch)
            self._held = held.pop_all()

    def _prepare(self) -> None:
        """Wait until the process has imported the required packages."""
        launch = self._launch
        given = {
            "imports": launch.target.imports,
            "ahead": launch.ahead,
            "fork": launch.fork,
            "limits": limits(launch.timeout),
            "timeout": launch.timeout,
            "scratch": SCRATCH if launch.sandbox else (),
        }
        python = launch.target.executable
        if self._ask(given, STARTING) is None:
            fix = "run `ptcards verify` with another Python: `--python PATH`"
            raise RefusedError(f"`{python}` does not start: {self._last_said()}", fix)
        greeting = self._ask(None, STARTING)
        if greeting != {}:
            reason = greeting["failed"] if fits(greeting, dict[str, str]) else self._last_said()
            fix = (
                f"fix the installation until `{python} -c 'import {', '.join(launch.target.imports)}'` works"
            )
            raise RefusedError(f"`{python}` cannot import what the cards require: {reason}", fix)

    def run(self, task: Task) -> Reply | Lost:
        """Return the reply to a note, or the reason why the worker did not survive it.

        Raises:
            RefusedError: a required package cannot be imported.

        """
        if not self._prepared:
            self._prepare()
            self._prepared = True
        reply = self._ask({**task}, self._launch.timeout + GRACE)
        if not fits(reply, Reply):
            return self._watch.lost
        found: Reply = reply
        return found

    def stop(self) -> None:
        """End the process and everything that its cards have started."""
        if self._launch.sandbox:
            self._watch.kill()
        else:  # the process itself kills what its cards have started
            self._process.terminate()

    def close(self) -> None:
        """End the process and wait for it."""
        self._held.close()

    def _end(self) -> None:
        self.stop()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._watch.kill()
        if self._process.stdin:
            with suppress(OSError):  # closing writes the rest of a pending request
                self._process.stdin.close()

    def _ask(self, question: Mapping[str, object] | None, patience: float) -> Any:
        """Return the answer, which may be any JSON value, or `None` if there is no valid one."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return None
        self._watch.deadline = time.monotonic() + patience
        try:
            if question is not None:
                stdin.write(json.dumps(question).encode() + b"\n")
                stdin.flush()
            line = stdout.readline(LONGEST)
            return json.loads(line) if line.endswith(b"\n") else None
        except (OSError, ValueError, RecursionError):  # the process has ended, or its answer is invalid
            return None
        finally:
            self._watch.deadline = math.inf

    def _last_said(self) -> str:
        self._errors.seek(0)
        return (self._errors.read().decode("utf-8", "replace").strip().splitlines() or ["it ended"])[-1]


class Crew:
    """Workers that run tasks at the same time."""

    def __init__(self, launch: Launch, jobs: int) -> None:
        self._launch = launch
        self._workers: list[Worker] = []
        self._free: list[Worker] = []
        self._jobs = jobs
        self._stopped = threading.Event()
        # Without a sandbox, we become the parent of processes that a card leaves behind when its runner dies.
        self._starting = threading.Lock()
        self._known = {*children(os.getpid())}

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Reply | Lost]]:
        """Yield the index and reply of each task when the reply arrives.

        The workers end when the iteration ends, for whatever reason.

        Raises:
            RefusedError: a worker does not start.

        """
        pool = ThreadPoolExecutor(min(self._jobs, len(tasks)), thread_name_prefix="card")
        try:
            numbers = {pool.submit(self._reply, task): number for number, task in enumerate(tasks)}
            for done in as_completed(numbers):
                yield numbers[done], done.result()
        finally:
            self._stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            with self._starting:  # a worker that is just starting must end too
                for worker in list(self._workers):
                    worker.stop()
            pool.shutdown()
            for worker in list(self._workers):
                self._close(worker)

    def _reply(self, task: Task) -> Reply | Lost:
        """Return the reply of a worker that is free, or of a new one."""
        with self._starting:
            if self._stopped.is_set():
                return Lost.KILLED
            worker = self._free.pop() if self._free else self._begin()
        reply = worker.run(task)
        if isinstance(reply, Lost) or not reply["clean"]:
            self._close(worker)
        else:
            self._free.append(worker)
        return reply

    def _begin(self) -> Worker:
        worker = Worker(self._launch)
        self._workers.append(worker)
        self._known.add(worker.number)
        return worker

    def _close(self, worker: Worker) -> None:
        worker.close()
        with suppress(ValueError):  # after Ctrl-C, its thread may have closed it
            self._workers.remove(worker)
        if self._launch.sandbox is None:
            with self._starting:
                end_orphans(self._known)
