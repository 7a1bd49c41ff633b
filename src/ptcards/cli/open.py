"""`ptcards open`: finds a note by its GUID or key, and opens it in an editor."""

import errno
import os
import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

import click

from ptcards.cli.messages import CommandError, common_options, tell
from ptcards.cli.sources import exit_status, show_diagnostics, sources_argument
from ptcards.files.programs import find_program, in_shell

if TYPE_CHECKING:
    from ptcards.diagnostics import Diagnostic, Location
    from ptcards.workspace import Workspace

_LIKE_CODE = ("--goto", "{path}:{line}:{column}")
_LIKE_IDEA = ("--line", "{line}", "--column", "{column}", "{path}")
_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "code": _LIKE_CODE,
    "codium": _LIKE_CODE,
    "cursor": _LIKE_CODE,
    "idea": _LIKE_IDEA,
    "pycharm": _LIKE_IDEA,
    "notepad": ("{path}",),
    "notepad++": ("-n{line}", "-c{column}", "{path}"),
    "subl": ("{path}:{line}:{column}",),
    "zed": ("{path}:{line}:{column}",),
}
NAMES = ", ".join(_ARGUMENTS)
_READ_BY_CMD = re.compile(r'[&|<>^%!"\n]')
"""Matches what has a meaning for cmd, which Windows starts for batch files such as VS Code's `code.cmd`."""
_MOST_NAMED = 3
"""How many folders are named where a note was not found."""


class Editor(NamedTuple):
    """An editor: its name and the path of its program."""

    name: str
    program: str

    def open(self, file: Path, line: int, column: int = 1) -> None:
        """Show a location without waiting for the editor; raises OSError if the editor cannot be started."""
        if self.program.lower().endswith((".bat", ".cmd")) and _READ_BY_CMD.search(str(file)):
            raise OSError(errno.EINVAL, "its name has a character that cmd reads as a command", str(file))
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
    if name not in _ARGUMENTS:
        message = f"`{name}` is not an editor that can open a file at a line"
        raise CommandError(message, f"use one of these, which have a window of their own: {NAMES}")
    is_path = PurePath(named).name != named
    program = named if is_path and os.access(named, os.X_OK) else find_program(name)
    if program is None:
        raise CommandError(f"no program `{named}` in `PATH`", "install the editor's command-line launcher")
    return Editor(name, program)


@click.command()
@click.argument("note", metavar="GUID", help="The note's GUID, as in its report link, or its key.")
@sources_argument
@click.option("--editor", metavar="NAME", help=f"Also open the file in an editor: {NAMES}.")
@common_options
@click.pass_context
def command(ctx: click.Context, note: str, sources: Sequence[Path], editor: str | None) -> None:
    """Print where a note is: the file and line of its question."""
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415 - heavier than --help

    found = find_editor(editor) if editor else None
    with ReadOptions.of_user(tell) as options:
        workspace = Workspace.read(sources, options)
        places = list(_places(note, workspace))
    if not places and (broken := list(_broken_settings(workspace))):
        show_diagnostics(broken)
        ctx.exit(exit_status(broken))
    if not places:
        raise _not_found(note, workspace)
    for place in places:
        click.echo(f"{place.path}:{place.line}")
    if found is not None:
        found.open(Path(places[0].path).absolute(), places[0].line)


def _not_found(note: str, workspace: "Workspace") -> CommandError:
    """Return the error for a note that is not there, with the name that was probably meant."""
    from ptcards.diagnostics.suggest import did_you_mean  # noqa: PLC0415 - only if no note was found
    from ptcards.files.inputs import shown  # noqa: PLC0415 - as above

    folders = [shown(contents.collection.root) for contents in workspace.contents]
    if os.path.exists(note):  # noqa: PTH110 - `Path` raises an error for a name that is too long
        advice = f"name a note before the folder: `ptcards open GUID {in_shell(note)}`"
        return CommandError(f"`{note}` is a file or folder, not a GUID or key", advice)
    where = f" in {', '.join(f'`{each}`' for each in folders)}" if len(folders) <= _MOST_NAMED else ""
    keys = [key for contents in workspace.contents for key in contents.keys]
    otherwise = (
        "search its words with `ptcards find WORDS`, or name the folder of its collection: "
        "`ptcards open GUID FOLDER`"
    )
    return CommandError(f"no note{where} has the GUID or key `{note}`", did_you_mean(note, keys, otherwise))


def _places(note: str, workspace: "Workspace") -> "Iterator[Location]":
    for contents in workspace.contents:
        for summary, key, guid in zip(
            contents.summaries, contents.keys, contents.published.guids(), strict=True
        ):
            if note in (key, guid):
                yield summary.location


def _broken_settings(workspace: "Workspace") -> "Iterator[Diagnostic]":
    """Yield the errors in `deck.toml` of collections without an id, whose notes have no GUIDs."""
    from ptcards.diagnostics import errors_in  # noqa: PLC0415 - only if no note was found
    from ptcards.files.inputs import shown  # noqa: PLC0415 - as above

    roots = [contents.collection.root for contents in workspace.contents if not contents.collection.config.id]
    files = {shown(root / "deck.toml") for root in roots}
    return (
        diagnostic for diagnostic in errors_in(workspace.diagnostics) if diagnostic.location.path in files
    )
