"""Runs the code of one note in its own process, and records what each part did.

`runner.py` forks and calls `perform`. Where forking is not safe, it starts `card.py` and passes the task on
standard input.
"""

# ruff: noqa: PTH100, PTH118, PTH206 Paths are strings throughout, and importing pathlib would add a few
# milliseconds to each start.
from __future__ import annotations

import builtins
import faulthandler
import importlib
import json
import linecache
import os
import signal
import sys
import tempfile
import time
import traceback
import types
import warnings
from contextlib import suppress
from typing import Any, Callable, Dict, TextIO  # noqa: UP035 - for old Pythons

Entry = Dict[str, Any]  # noqa: UP006 - evaluated in Python 3.8

LONGEST = 1 << 20
"""the maximum length of a text about an exception or a warning"""
WARNINGS = 20
"""the maximum number of warnings to keep for one task"""
STARTED = frozenset({*sys.modules, "__mp_main__", "resource"})
FOLDERS = tuple(os.path.abspath(folder) for folder in sys.path[1:])


def name_of(block: int) -> str:
    """Return the file name with which a block is compiled; tracebacks show it, and `place_of` parses it."""
    return "<setup>" if block < 0 else f"<block {block}>"


def place_of(filename: str, line: int | None) -> list[int] | None:
    """Return the block (-1 for the set-up) and line (from 1) for a file name and line.

    Returns `None` for code that is not the card's.
    """
    if filename == "<setup>":
        return [-1, line or 1]
    if filename.startswith("<block ") and filename[7:-1].isdigit():
        return [int(filename[7:-1]), line or 1]
    return None


def plain(text: str) -> str:
    """Return shortened text; lone surrogates, which cannot be encoded, are escaped as in Python."""
    return text[:LONGEST].encode("utf-8", "backslashreplace").decode()


def describe(error: BaseException) -> Entry:
    """Return an exception's name, its message, and the innermost line of the card in its traceback."""
    kind = type(error)
    place = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = place_of(frame.f_code.co_filename, line) or place
    try:
        message = str(error)
    except BaseException:  # noqa: BLE001 - a card's exception class may raise anything here
        message = ""
    if isinstance(error, SyntaxError) and place_of(error.filename or "", error.lineno):
        place, message = place_of(error.filename or "", error.lineno), error.msg
    return {
        "name": plain(kind.__name__),
        "path": plain(f"{kind.__module__}.{kind.__qualname__}"),
        "message": plain(message),
        "place": place,
    }


def flush(stream: TextIO) -> None:
    """Flush a stream, including C's buffers."""
    with suppress(OSError, ValueError):  # the file has reached its limit, or the card closed the stream
        stream.flush()
    ask_c(lambda c: c.fflush(None))


def ask_c(question: Callable[[Any], object]) -> None:
    """Call `question` with the C library; do nothing if it or ctypes is missing, as on Windows."""
    with suppress(ImportError, OSError, TypeError, AttributeError):
        import ctypes  # noqa: PLC0415 - some builds of Python lack it

        question(ctypes.CDLL(None))


class Card:
    """The namespace of one task: the module `__main__`, so that its classes can be pickled."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        self.module.__dict__["__builtins__"] = builtins
        self.warnings: list[Entry] = []
        sys.modules["__main__"] = self.module
        warnings.showwarning = self.keep_warning

    def run(self, part: Entry) -> Entry | None:
        """Run a part of a block; return a description of its exception, if any."""
        try:
            # Blank lines make the line numbers match the block.
            code = "\n" * part["line"] + part["code"]
            compiled = compile(code, name_of(part["block"]), part["mode"], dont_inherit=True)
            exec(compiled, self.module.__dict__)  # noqa: S102 - the purpose
        except BaseException as error:  # noqa: BLE001 - a card may raise anything, including SystemExit
            return describe(error)
        return None

    def keep_warning(self, message, category, filename, lineno, file=None, line=None) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001, ARG002, PLR0917 - the library's signature
        """Record a warning, with the line of the card that triggered it."""
        place = place_of(filename, lineno)
        frame = sys._getframe(1)  # noqa: SLF001 - the only way to the caller
        while place is None and frame is not None:
            place = place_of(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back  # type: ignore[assignment] # the loop ends at None
        found = {"name": plain(category.__name__), "message": plain(str(message)), "place": place}
        if found not in self.warnings and len(self.warnings) < WARNINGS:
            self.warnings.append(found)


def perform(task: Entry, acknowledged: int) -> None:
    """Run a task in this process.

    After each part, report to the runner, which then reads the output and answers with one byte. A card can
    report anything to the runner. Therefore nothing here is secret, and the runner reads the output itself.
    """
    me = os.getpid()
    os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = task["folder"]
    record = os.open(task["record"], os.O_WRONLY | os.O_APPEND)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", 1, "utf-8", newline="\n", closefd=False)  # type: ignore[misc] # replaces any stream from before
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, "utf-8", "backslashreplace", closefd=False)  # type: ignore[misc] # as above
    faulthandler.enable(file=2)
    if sys.platform != "win32":  # the runner asks where the code hangs; Windows lacks this signal
        faulthandler.register(signal.SIGUSR2, file=2)
    stdout, card = sys.stdout, Card()

    def tell(entry: Entry) -> None:
        if os.getpid() != me:
            os._exit(0)  # a copy that the card forked and left running
        os.write(record, json.dumps(entry).encode() + b"\n")
        if not os.read(acknowledged, 1):
            os._exit(1)  # nobody is listening any more

    tell({})  # starts the time limit
    parts = [{"block": -1, "code": task["setup"], "line": 0, "mode": "exec", "raises": False}, *task["parts"]]
    for block, code in enumerate(task["blocks"]):
        linecache.cache[name_of(block)] = (len(code), None, code.splitlines(keepends=True), name_of(block))
    for index, part in enumerate(parts, -1):
        error = card.run(part)
        flush(stdout)
        tell({"part": index, "error": error})
        if error is not None and not part["raises"]:
            break
    tell({"warnings": card.warnings, "imported": [*map(plain, imported(task["folder"]))]})
    os._exit(0)  # threads that the card left running must not delay the exit


def imported(own: str) -> list[str]:
    """Return the files and folders on `sys.path` that modules came from, except the card's own folder."""
    found = set()
    for name, module in list(sys.modules.items()):
        file = vars(module).get("__file__") if isinstance(module, types.ModuleType) else None
        if isinstance(file, str) and name not in STARTED and not file.startswith(own):
            folder = max(
                (folder for folder in FOLDERS if file.startswith(folder + os.sep)), key=len, default=""
            )
            found.add(os.path.join(folder, file[len(folder) + 1 :].split(os.sep)[0]) if folder else file)
    return sorted(found)


def limit(limits: dict[str, int]) -> None:
    """Set resource limits by name, without exceeding existing ones."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows lacks it

    for name, most in limits.items():
        which = getattr(resource, name, None)
        if which is not None:
            _, hard = resource.getrlimit(which)
            # A new interpreter has already used time for its imports.
            wanted = most + (int(time.process_time()) if name == "RLIMIT_CPU" else 0)
            value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(which, (value, value))


def once() -> None:
    """Run the task from the first line of standard input in this process.

    The runner's answers follow on the next lines.
    """
    acknowledged = os.dup(0)
    line = b""
    while not line.endswith(b"\n"):  # not one byte more, because the runner's answers follow
        line += os.read(acknowledged, 1)
    task = json.loads(line)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for module in task["imports"]:
        importlib.import_module(module)
    flush(sys.stdout)
    os.ftruncate(1, 0)
    limit(task["limits"])
    perform(task, acknowledged)


if __name__ == "__main__":
    del sys.path[0]  # cards must not find modules in this folder
    once()
