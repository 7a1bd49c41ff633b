"""Results of earlier runs in the user's cache: replies to tasks, and summaries of complete runs."""

import functools
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from ptcards.cache import Cache, Entry, Facts
from ptcards.extensions.verify.sandbox import INSIDE, RefusedError
from ptcards.extensions.verify.target import Target, describe, python_of
from ptcards.extensions.verify.workers import Reply, Task
from ptcards.packing import CachePart

_REPLY = CachePart("reply", tuple[dict[str, str], Reply])


@dataclass(frozen=True, slots=True)
class Replies:
    """Replies to tasks in one Python.

    Only unsurprising replies are stored. A reply remains valid as long as everything that the code imported
    has the same version.
    """

    cache: Cache
    target: Target

    def key(self, task: Task) -> bytes:
        """Return a digest of all that the reply to a task depends on, except the versions of imports."""
        about = [sys.version, _scripts_digest(), self.target.identity, list(self.target.imports), task]
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).digest()

    def get(self, key: bytes) -> Reply | None:
        """Return a reply that is still valid, or `None`."""
        reply: Reply | None
        versions, reply = self.cache.get(key, _REPLY) or ({}, None)
        installed = self.target.distributions
        return reply if all(installed.get(name) == have for name, have in versions.items()) else None

    def put(self, key: bytes, reply: Reply) -> bool:
        """Store a reply if its imports are known; return whether they are."""
        names = reply["distributions"]
        if names is None or not all(name in self.target.distributions for name in names):
            return False
        versions = {name: self.target.distributions[name] for name in names}
        self.cache.put([Entry.of(key, _REPLY, key, (versions, reply))])
        return True


class PastRun(NamedTuple):
    """The run of one collection on one Python, and the summary to print for it.

    `given` is the Python of `--python`, if any, and `named` the one in `deck.toml`. `requires` has the
    names of the required packages. `target` is a digest of the Python that was used, or empty.
    """

    root: str
    given: str
    named: str
    requires: tuple[str, ...]
    target: str
    words: tuple[str, ...]


def remember(cache: Cache, question: Sequence[object], facts: Facts, runs: list[PastRun]) -> None:
    """Store the summaries of runs without findings."""
    cache.remember(question, facts, runs, list[PastRun])


def recall(cache: Cache, question: Sequence[object], *, sandboxed: bool) -> list[str]:
    """Return the summary of an unchanged run, or nothing if a run is needed."""
    runs = cache.recall(question, list[PastRun]) or ()
    try:
        if any(run.target and run.target != _target_now(run, sandboxed=sandboxed) for run in runs):
            return []
    except RefusedError:
        return []
    return [line for run in runs for line in run.words]


def target_digest(target: Target | None) -> str:
    """Return a digest that identifies a Python by its path, its version and everything installed."""
    return hashlib.sha256(json.dumps(asdict(target), sort_keys=True).encode()).hexdigest() if target else ""


def _target_now(run: PastRun, *, sandboxed: bool) -> str:
    python = python_of(Path(run.root), run.named, run.given)
    # With the same versions, the same requirements are met.
    return target_digest(describe(python, run.requires, sandboxed=sandboxed))


@functools.cache
def _scripts_digest() -> str:
    """Return a digest of the scripts that run the code, because other scripts may produce other results."""
    scripts = (INSIDE / name for name in ("card.py", "records.py", "runner.py"))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()
