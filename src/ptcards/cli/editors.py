"""Editors that can open a location in a file in a window of their own."""

import os
import shlex
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from ptcards.cli.messages import CommandError
from ptcards.files.programs import find_program

_LIKE_CODE = ("--goto", "{path}:{line}:{column}")
_LIKE_IDEA = ("--line", "{line}", "--column", "{column}", "{path}")
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "code": _LIKE_CODE,
    "codium": _LIKE_CODE,
    "cursor": _LIKE_CODE,
    "idea": _LIKE_IDEA,
    "pycharm": _LIKE_IDEA,
    "subl": ("{path}:{line}:{column}",),
    "zed": ("{path}:{line}:{column}",),
}
_IN_TERMINAL = frozenset(
    "ed emacs ex helix hx jed joe kak mcedit micro nano ne nvim pico vi view vim".split()
)
NAMES = ", ".join(_ARGUMENTS)


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor: its name and the path of its program."""

    name: str
    program: str

    def open(self, file: Path, line: int, column: int = 1) -> None:
        """Show a location without waiting for the editor; raises OSError if the editor cannot be started."""
        values = {"path": file, "line": line, "column": column}
        arguments = [part.format_map(values) for part in _ARGUMENTS[self.name]]
        process = subprocess.Popen(  # noqa: S603 - the author chose this editor
            [self.program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # Without `wait`, the process would remain in the process list while the preview runs.
        threading.Thread(target=process.wait, daemon=True).start()


def find_editor(named: str) -> Editor:
    """Return the editor with this name or path.

    Raises CommandError if it needs a terminal, is unknown or does not exist.
    """
    name = PurePath(named).stem.lower()
    if name in _IN_TERMINAL:
        message = f"`{name}` runs in a terminal, which a page cannot start"
        raise CommandError(message, f"use an editor with its own window: {NAMES}")
    if name not in _ARGUMENTS:
        message = f"`{name}` is not an editor that can open a file at a line"
        raise CommandError(message, f"use one of these: {NAMES}")
    is_path = PurePath(named).name != named
    program = named if is_path and os.access(named, os.X_OK) else find_program(name)
    if program is None:
        message = f"no program `{named}` in `PATH`"
        raise CommandError(message, "install the editor's command-line launcher")
    return Editor(name, program)


def usual_editor() -> Editor | None:
    """Return the editor in `$VISUAL`, or `None` if it is unset; raises CommandError like `find_editor`."""
    try:
        words = shlex.split(os.environ.get("VISUAL", ""))
    except ValueError:
        words = []
    return find_editor(words[0]) if words else None
