"""Remembers what code did, so that code which did not change need not run again.

Only runs that came to their end without surprise are kept, by the code, the set-up and the Python; an entry counts as long as
the versions of everything it imported are still installed. May be deleted at any time.
"""

import functools
import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptcards.verify.sandbox import INSIDE
from ptcards.verify.target import Target
from ptcards.verify.workers import Reply, Task

KEEP = 60 * 24 * 3600
"""seconds after which an entry that nobody asked for is deleted"""


@dataclass(frozen=True, slots=True)
class Cache:
    """The results of one Python, in a folder; failing disks make it forget, never fail, and so does no folder."""

    folder: Path | None
    target: Target

    def key(self, task: Task) -> str:
        """Name the entry of a task: SHA-256 in hex over all that its result depends on but the versions of imports."""
        about = [_scripts_digest(), self.target.identity, list(self.target.imports), task]
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> Reply | None:
        """Give a remembered reply; None if there is none that still counts."""
        entry = read_entry(self.folder, key)
        if entry is None or any(
            self.target.distributions.get(name) != have for name, have in entry["versions"].items()
        ):
            return None
        reply: Reply = entry["reply"]
        return reply

    def put(self, key: str, reply: Reply) -> bool:
        """Remember a reply, if it names what it imported; say whether it did."""
        names = reply["distributions"]
        if names is None or not all(name in self.target.distributions for name in names):
            return False
        versions = {name: self.target.distributions[name] for name in names}
        return write_entry(self.folder, key, {"versions": versions, "reply": reply})

    def sweep(self) -> None:
        """Delete what nobody asked for in a long time."""
        with suppress(OSError):
            for file in self.folder.glob("verify/??/*") if self.folder else ():
                if file.stat().st_mtime < time.time() - KEEP:
                    file.unlink()


def read_entry(folder: Path | None, key: str) -> Any:
    """Read what was written under a key; None if there is nothing, or not all of it. It counts as asked for."""
    if folder is None:
        return None
    file = _file(folder, key)
    try:
        digest, _, content = file.read_bytes().partition(b"\n")
        os.utime(file)
    except OSError:
        return None
    return json.loads(content) if digest == _digest(content) else None


def write_entry(folder: Path | None, key: str, entry: object) -> bool:
    """Write what can be JSON under a key; say whether the disk took it."""
    if folder is None:
        return False
    file = _file(folder, key)
    temporary = file.with_suffix(f".{os.getpid()}")
    content = json.dumps(entry).encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(_digest(content) + b"\n" + content)
        temporary.replace(file)
    except OSError:
        return False
    return True


def _file(folder: Path, key: str) -> Path:
    return folder / "verify" / key[:2] / f"{key[2:]}.json"


@functools.cache
def _scripts_digest() -> str:
    """Identify the scripts that run the code: other scripts may come to another result."""
    scripts = (INSIDE / name for name in ("card.py", "records.py", "runner.py"))
    return hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()


def _digest(content: bytes) -> bytes:
    """Give what tells a whole entry from a torn one."""
    return hashlib.sha256(content).hexdigest().encode()
