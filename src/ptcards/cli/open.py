"""`ptcards open`: finds a note by its GUID or key."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.editors import NAMES, find_editor
from ptcards.cli.messages import CommandError, tell
from ptcards.cli.options import common_options
from ptcards.cli.sources import exit_status, show_diagnostics, sources_argument

if TYPE_CHECKING:
    from ptcards.diagnostics import Diagnostic, Location
    from ptcards.workspace import Workspace


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


def _broken_settings(workspace: "Workspace") -> "Iterator[Diagnostic]":
    """Yield the errors in `deck.toml` of collections without an id, whose notes have no GUIDs."""
    from ptcards.diagnostics import errors_in  # noqa: PLC0415 - only if no note was found
    from ptcards.files.names import shown  # noqa: PLC0415 - as above

    roots = [each.collection.root for each in workspace.contents if not each.collection.config.id]
    files = {shown(root / "deck.toml") for root in roots}
    return (each for each in errors_in(workspace.diagnostics) if each.location.path in files)
