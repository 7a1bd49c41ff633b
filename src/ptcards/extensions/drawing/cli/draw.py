"""`ptcards draw`: draws the diagrams that are written as text."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import click

from ptcards.cli.messages import announce, common_options, tell
from ptcards.cli.sources import dialect_option, exit_status, show_diagnostics, sources_argument
from ptcards.diagnostics import WrongUseError, counted
from ptcards.files import CacheError, NoSuchSourceError, OutputError, SourceChangedError
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
    from ptcards.extensions.drawing.drawing import Artist  # noqa: PLC0415 - heavier than --help

    artist = Artist(tell)
    with ReadOptions.of_user(tell, dialect=dialect) as options, ended_by_sigterm():
        for contents in Workspace.read(sources, options).contents:
            artist.draw(contents)
    problems = [*artist.problems.values()]
    show_diagnostics(problems)
    also = [f"{artist.deleted} deleted"] if artist.deleted else []
    announce("Drew", ", ".join([counted(artist.drawn, "diagram"), f"{artist.kept} kept", *also]))
    ctx.exit(exit_status(problems) or (2 if artist.could_do_nothing else 0))


class SavedDrawer:
    """Draws the diagrams of saved files when called; what is wrong with a diagram is printed once."""

    def __init__(self, sources: Sequence[Path], dialect: str) -> None:
        from ptcards.extensions.drawing.drawing import Artist  # noqa: PLC0415 - heavier than --help

        self._sources, self._dialect = sources, dialect
        self._artist = Artist(tell, quiet=True)
        self._shown = 0

    async def __call__(self) -> None:
        """Draw what has no drawing yet."""
        await asyncio.to_thread(self._draw)

    def _draw(self) -> None:
        try:
            with ReadOptions.of_user(tell, dialect=self._dialect) as options:
                for contents in Workspace.read(self._sources, options).contents:
                    self._artist.draw(contents)
        except SourceChangedError:
            return  # the newer save is drawn next
        except (CacheError, NoSuchSourceError, OutputError, WrongUseError) as failure:
            tell(str(failure))
        problems = [*self._artist.problems.values()]
        show_diagnostics(problems[self._shown :])
        self._shown = len(problems)
