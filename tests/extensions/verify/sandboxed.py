"""Runs code as `verify` runs the code of cards: by a worker in the sandbox."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from ptcards.extensions.verify.inside.records import Reply
from ptcards.extensions.verify.sandbox import find_sandbox
from ptcards.extensions.verify.supervision import Lost
from ptcards.extensions.verify.target import Python, find_target
from ptcards.extensions.verify.workers import CodePart, Launch, Task, Worker

OURS = Python(sys.executable, foreign=False)


@contextmanager
def sandboxed_worker(*folders: str) -> Iterator[Worker]:
    """Yield a worker with the tests' own Python, whose sandbox also shows these folders."""
    target = find_target(OURS, (), sandboxed=True)
    shown = replace(target, folders=(*target.folders, *folders))
    worker = Worker(Launch(shown, find_sandbox(), fork=True, timeout=60))
    yield worker
    worker.close()


def run(worker: Worker, code: str) -> Reply:
    part = CodePart(block=0, code=code, line=0, mode="exec", raises=False)
    reply = worker.run(Task(setup="", blocks=[code], parts=[part]))
    assert not isinstance(reply, Lost)
    return reply


def printed(reply: Reply) -> str:
    return "".join(part["printed"] for part in reply["parts"])
