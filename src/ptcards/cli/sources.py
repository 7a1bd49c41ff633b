"""What commands that read sources share: the argument that names them, and what is said about them."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from ptcards.cli.options import Command, is_quiet, wants_color
from ptcards.diagnostics import Diagnostic, Location, Severity


def sources_argument(command: Command) -> Command:
    """Add SOURCE…: by default `cards/` if there is one, else the current folder."""
    return click.argument(
        "sources",
        metavar="[SOURCE]...",
        nargs=-1,
        type=click.Path(path_type=Path),
        callback=lambda _ctx, _parameter, paths: (
            paths or (Path("cards") if Path("cards").is_dir() else Path(),)
        ),
        help="A collection's folder, or files and folders inside one.",
    )(command)


def show_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics in full on standard error; `-q` leaves only errors."""
    found = [each for each in diagnostics if each.severity is Severity.ERROR or not is_quiet()]
    if found:
        from ptcards.reports import render  # noqa: PLC0415 - not needed where there are none

        text = render(found, format="full", source_line=source_lines(), color=wants_color(err=True))
        click.echo(text, nl=False, err=True, color=True)


def _content(path: str) -> str:
    """Read a file as far as it can be read."""
    if not os.path.isfile(path):  # noqa: PTH113 - Path's raises where a folder is closed to us
        return ""
    try:
        return Path(path).read_bytes().decode("utf-8-sig", "replace")
    except OSError:
        return ""


def source_lines() -> Callable[[Location], str | None]:
    """Give a function that reads the line of a file at a location; None where there is no such line."""
    read: dict[str, list[str]] = {}

    def line_at(location: Location) -> str | None:
        if location.path not in read:
            read[location.path] = (
                _content(location.path).replace("\r\n", "\n").replace("\r", "\n").split("\n")
            )
        lines = read[location.path]
        return lines[location.line - 1] if location.line <= len(lines) else None

    return line_at


def exit_status(diagnostics: Iterable[Diagnostic]) -> int:
    """Give the exit status that errors mean: 2 if `deck.toml` or `deck.lock` cannot be used, else 1; 0 without errors."""
    wrong = [each for each in diagnostics if each.severity is Severity.ERROR]
    if any(Path(each.location.path).name in ("deck.toml", "deck.lock") for each in wrong):
        return 2
    return 1 if wrong else 0
