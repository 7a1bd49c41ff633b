"""`ptcards open`: finds a note by its GUID or key."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.editors import NAMES, find_editor
from ptcards.cli.messages import CommandError, tell
from ptcards.cli.options import common_options
from ptcards.cli.sources import sources_argument

if TYPE_CHECKING:
    from ptcards.diagnostics import Location
    from ptcards.workspace import Workspace


@click.command()
@click.argument("note", metavar="GUID", help="The note's GUID, as in its report link, or its key.")
@sources_argument
@click.option("--editor", metavar="NAME", help=f"Also open the file in an editor: {NAMES}.")
@common_options
def command(note: str, sources: Sequence[Path], editor: str | None) -> None:
    """Print where a note is: the file and line of its question."""
    from ptcards.workspace import ReadOptions, Workspace  # noqa: PLC0415 - heavier than --help

    found = find_editor(editor) if editor else None
    with ReadOptions.of_user(tell) as options:
        places = list(_places(note, Workspace.read(sources, options)))
    if not places:
        message = f"no note has the GUID or key `{note}`"
        raise CommandError(message, "name the folder of the note's collection: `ptcards open GUID FOLDER`")
    for place in places:
        click.echo(f"{place.path}:{place.line}")
    if found is not None:
        found.open(Path(places[0].path).absolute(), places[0].line)


def _places(note: str, workspace: "Workspace") -> "Iterator[Location]":
    for contents in workspace.contents:
        for summary, key, guid in zip(contents.summaries, contents.keys, contents.guids(), strict=True):
            if note in (key, guid):
                yield summary.location
