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

from ptcards.files import CacheError, check_private_file, make_private_folder
from ptcards.verify.inside.records import REPLY, fits
from ptcards.verify.sandbox import INSIDE
from ptcards.verify.target import Target
from ptcards.verify.workers import Reply, Task

KEEP = 60 * 24 * 3600
"""seconds after which an entry that nobody asked for is deleted"""

_MOST_BYTES = 256 << 20
_ENTRY = {"versions": dict, "reply": REPLY}


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
        entry = read_entry(self.folder, key, _ENTRY)
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


def read_entry(folder: Path | None, key: str, shape: object) -> Any:
    """Return what was written under a key; `None` if there is nothing of that shape. It counts as asked for."""
    if folder is None:
        return None
    file = _file(folder, key)
    try:
        check_private_file(file)
        with file.open("rb") as opened:
            digest, _, content = opened.read(_MOST_BYTES).partition(b"\n")
        os.utime(file)
        entry = json.loads(content) if digest == _digest(content) else None
    except (OSError, CacheError, ValueError, RecursionError):
        return None
    return entry if fits(entry, shape) else None


def write_entry(folder: Path | None, key: str, entry: object) -> bool:
    """Write what can be JSON under a key; whether the disk took it."""
    if folder is None:
        return False
    file = _file(folder, key)
    temporary = file.with_suffix(f".{os.urandom(8).hex()}")
    content = json.dumps(entry).encode()
    try:
        make_private_folder(folder / "verify")
        make_private_folder(file.parent)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
            opened.write(_digest(content) + b"\n" + content)
        temporary.replace(file)
    except (OSError, CacheError):
        return False
    return True


def usable(folder: Path | None) -> Path | None:
    """Return the folder of what is remembered, if nobody else could have put anything there.

    Raises:
        CacheError: somebody could.

    """
    if folder is not None and os.path.lexists(folder / "verify"):
        make_private_folder(folder / "verify")
    return folder


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
