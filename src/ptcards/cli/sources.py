"""What commands that read sources share: the argument that names them, and what is said about them."""

from collections.abc import Iterable
from pathlib import Path

import click

from ptcards.cli.options import Command, is_quiet, wants_color
from ptcards.diagnostics import Diagnostic, Severity


def sources_argument(command: Command) -> Command:
    """Add SOURCE…: by default `cards/` if there is one, else the current folder."""
    return click.argument(
        "sources",
        metavar="[SOURCE]...",
        nargs=-1,
        type=click.Path(path_type=Path),
        callback=lambda _ctx, _parameter, paths: paths or (default_source(),),
        help="A collection's folder, or files and folders inside one.",
    )(command)


def default_source() -> Path:
    """Return `cards/` if there is one, else the current folder; a link that leads elsewhere has to be named."""
    from ptcards.inputs import OutsideError, real_path  # noqa: PLC0415 - heavier than --help

    cards = Path("cards")
    if not cards.is_dir():
        return Path()
    try:
        real_path(cards, Path())
    except OutsideError as failure:
        message = "`cards` is a link that leads out of this folder: name the folder that it leads to"
        raise click.UsageError(message) from failure
    return cards


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics in full on standard error; `-q` leaves only errors."""
    found = [each for each in diagnostics if each.severity is Severity.ERROR or not is_quiet()]
    if found:
        from ptcards.inputs import source_lines  # noqa: PLC0415 - not needed where there are none
        from ptcards.reports import render  # noqa: PLC0415 - not needed where there are none

        text = render(found, format="full", source_line=source_lines(), color=wants_color(err=True))
        click.echo(text, nl=False, err=True, color=True)


def exit_status(diagnostics: Iterable[Diagnostic]) -> int:
    """Give the exit status that errors mean: 2 if `deck.toml` or `deck.lock` cannot be used, else 1; 0 without errors."""
    wrong = [each for each in diagnostics if each.severity is Severity.ERROR]
    if any(Path(each.location.path).name in ("deck.toml", "deck.lock") for each in wrong):
        return 2
    return 1 if wrong else 0
