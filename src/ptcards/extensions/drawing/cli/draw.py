"""`ptcards draw`: draws the diagrams that are written as text."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from ptcards.cli.messages import announce, common_options, tell
from ptcards.cli.sources import dialect_option, exit_status, show_diagnostics, sources_argument
from ptcards.diagnostics import Diagnostic, counted
from ptcards.extensions.drawing.drawing import Artist
from ptcards.processes import ended_by_sigterm
from ptcards.workspace import ReadOptions, Workspace


@click.command()
@sources_argument
@dialect_option
@common_options
@click.pass_context
def command(ctx: click.Context, sources: tuple[Path, ...], dialect: str) -> None:
    """Draw the diagrams in `mermaid`, `dot`, `d2`, `typst` and `vega-lite` blocks.

    Each is drawn by a program of yours: mmdc, dot, d2, typst or vl2svg. Commit the pictures, which are
    written to img/drawn; then nobody else needs the programs. Pictures without a diagram are deleted.
    """
    artist = Artist(tell)
    with ended_by_sigterm():
        problems = _draw(artist, sources, dialect)
    announce("Drew", f"{counted(artist.drawn, 'diagram')}, {artist.kept} kept")
    ctx.exit(exit_status(problems))


def drawer(sources: Sequence[Path], dialect: str) -> Callable[[], Coroutine[Any, Any, object]]:
    """Return what draws the diagrams of saved files; it prints only once what is wrong with a diagram."""
    return partial(asyncio.to_thread, _draw, Artist(tell), sources, dialect)


def _draw(artist: Artist, sources: Sequence[Path], dialect: str) -> list[Diagnostic]:
    """Draw the diagrams of all sources, and print and return what is wrong with them."""
    with ReadOptions.of_user(tell, dialect=dialect) as options:
        read = Workspace.read(sources, options)
        problems = [problem for contents in read.contents for problem in artist.draw(contents)]
    show_diagnostics(problems)
    return problems
