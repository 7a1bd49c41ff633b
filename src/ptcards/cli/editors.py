"""Editors that show a place of a file, in a window of their own."""

import os
import shlex
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from ptcards.cli.messages import CommandError
from ptcards.programs import find_program

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
    [
        "ed",
        "emacs",
        "ex",
        "helix",
        "hx",
        "jed",
        "joe",
        "kak",
        "mcedit",
        "micro",
        "nano",
        "ne",
        "nvim",
        "pico",
        "vi",
        "view",
        "vim",
    ]
)
NAMES = ", ".join(_ARGUMENTS)


@dataclass(frozen=True, slots=True)
class Editor:
    """A program by its name, with its path."""

    name: str
    program: str

    def open(self, file: Path, line: int, column: int = 1) -> None:
        """Show a place of a file, without waiting for the editor's end; OSError if it cannot be started."""
        values = {"path": file, "line": line, "column": column}
        arguments = [part.format_map(values) for part in _ARGUMENTS[self.name]]
        process = subprocess.Popen(  # noqa: S603 - an editor that the author named
            [self.program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        # Somebody has to ask how it ended, or it stays in the list of processes as long as the preview runs.
        threading.Thread(target=process.wait, daemon=True).start()


def find_editor(named: str) -> Editor:
    """Return the editor with this name, or at this path.

    Raises CommandError if it needs a terminal, is not known, or is not there.
    """
    name = PurePath(named).stem.lower()
    if name in _IN_TERMINAL:
        message = f"`{name}` runs in a terminal, which no page can open"
        raise CommandError(message, f"name one with a window: {NAMES}")
    if name not in _ARGUMENTS:
        message = f"`{name}` is not an editor that can be opened at a line"
        raise CommandError(message, f"name one of these: {NAMES}")
    is_path = PurePath(named).name != named
    program = named if is_path and os.access(named, os.X_OK) else find_program(name)
    if program is None:
        message = f"no program `{named}` in PATH"
        raise CommandError(message, "install its command-line launcher")
    return Editor(name, program)


def usual_editor() -> Editor | None:
    """Return the editor of `$VISUAL`, None without one; raises CommandError like `find_editor`."""
    try:
        words = shlex.split(os.environ.get("VISUAL", ""))
    except ValueError:
        words = []
    return find_editor(words[0]) if words else None
