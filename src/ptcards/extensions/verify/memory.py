"""Results of earlier runs in the user's cache: replies to tasks."""

import functools
import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from ptcards import packing
from ptcards.cache import Cache, Entry
from ptcards.extensions.verify.inside.records import Reply
from ptcards.extensions.verify.sandbox import INSIDE
from ptcards.extensions.verify.target import Target
from ptcards.extensions.verify.workers import Task
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

    def put(self, key: bytes, reply: Reply) -> None:
        """Store a reply if its imports are known."""
        names = reply["distributions"]
        if names is not None and all(name in self.target.distributions for name in names):
            versions = {name: self.target.distributions[name] for name in names}
            self.cache.put([Entry.of(key, _REPLY, key, (versions, reply))])


@functools.cache
def _scripts_digest() -> str:
    """Return a digest of the scripts that run the code, and of what packs replies.

    Other scripts may produce other results, and a reply packed in another way cannot be read.
    """
    scripts = (*(INSIDE / name for name in ("card.py", "records.py", "runner.py")), Path(packing.__file__))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()
