"""`ptcards open`: find a note by its GUID or key."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import CommandError, tell
from ptcards.cli.options import common_options
from ptcards.cli.sources import sources_argument

if TYPE_CHECKING:
    from ptcards.diagnostics import Location
    from ptcards.workspace import Workspace

_EDITORS = {
    "code": ("--goto", "{path}:{line}"),
    "idea": ("--line", "{line}", "{path}"),
    "subl": ("{path}:{line}",),
    "zed": ("{path}:{line}",),
}


@click.command()
@click.argument("note", metavar="GUID", help="The note's GUID, as in its report link, or its key.")
@sources_argument
@click.option("--editor", type=click.Choice(sorted(_EDITORS)), help="Also open the file there.")
@common_options
def command(note: str, sources: Sequence[Path], editor: str | None) -> None:
    """Print where a note is: the file and line of its question."""
    from ptcards.cache import Cache  # noqa: PLC0415 - heavier than --help
    from ptcards.files import cache_file  # noqa: PLC0415
    from ptcards.workspace import Workspace  # noqa: PLC0415

    with closing(Cache(cache_file(os.environ), tell)) as cache:
        places = list(_places(note, Workspace.read(sources, cache)))
    if not places:
        message = f"no note has the GUID or key `{note}`"
        raise CommandError(message, "name its collection's folder: `ptcards open GUID FOLDER`")
    for place in places:
        click.echo(f"{place.path}:{place.line}")
    if editor:
        _open(editor, places[0])


def _places(note: str, workspace: "Workspace") -> "Iterator[Location]":
    from ptcards.identity.lock import Lock  # noqa: PLC0415
    from ptcards.identity.resolve import identify, no_clock  # noqa: PLC0415

    for contents in workspace.contents:
        lock = contents.lock()[0] or Lock(contents.collection.config.id)
        found, _ = identify(
            contents.gists, lock, type_hashes={}, clock=no_clock, refresh=False, selected=None
        )
        for gist, key, guid in zip(contents.gists, contents.keys, found.guids, strict=True):
            if note in (key, guid):
                yield gist.location


def _open(editor: str, place: "Location") -> None:
    from ptcards.programs import find_program  # noqa: PLC0415

    program = find_program(editor)
    if program is None:
        message = f"no program `{editor}` in PATH"
        raise CommandError(message, "install its command-line launcher")
    path = Path(place.path).absolute()
    parts = [part.format(path=path, line=place.line) for part in _EDITORS[editor]]
    subprocess.run([program, *parts], check=False)  # noqa: S603 - an editor that the author named
