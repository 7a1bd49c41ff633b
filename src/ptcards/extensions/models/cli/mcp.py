"""`ptcards mcp`: lets a model find, check and draft notes."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from ptcards.cli.messages import CommandError, command_line, common_options
from ptcards.cli.sources import default_source

MOST_NOTES = 50
"""The maximum number of notes to add at a time."""


@click.command()
@click.argument(
    "folder",
    metavar="[FOLDER]",
    required=False,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A collection's folder.",
)
@common_options
def command(folder: Path | None) -> None:
    """Let a model find, check and draft notes, over the Model Context Protocol.

    A program such as an editor starts this server and talks to it on standard input and output. The model can
    only read this collection and add drafts to it, which no build contains until you accept them. The server
    needs the package mcp: `uv tool install '.[mcp]'` in the folder of the repository installs it.
    """
    from ptcards.files.inputs import find_root, is_collection, shown  # noqa: PLC0415 - heavier than --help

    if find_spec("mcp") is None:
        message = "the package `mcp` is not installed"
        raise CommandError(message, "run `uv tool install '.[mcp]'` in the repository of ptcards")
    root = find_root((folder or default_source()).absolute())
    if not is_collection(root):
        message = f"there is no `deck.toml` in `{shown(root)}`"
        raise CommandError(message, f"run `{command_line('init', shown(root))}`")

    from ptcards.extensions.models.adding import AddRequest, add  # noqa: PLC0415 - heavier than --help
    from ptcards.extensions.models.mcp_server import CollectionServer  # noqa: PLC0415
    from ptcards.workspace import ReadOptions  # noqa: PLC0415

    def draft(content: bytes, to: Path | None, create: bool) -> Mapping[str, Any]:  # noqa: FBT001
        with ReadOptions.of_user() as options:
            request = AddRequest(root, content, to, draft=True, create=create, most=MOST_NOTES)
            return add(request, options).as_json()

    os.chdir(root)  # all paths begin there
    CollectionServer(root, draft).run("stdio")
