"""`ptcards check`: name every mistake."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.options import common_options, is_quiet, tell, wants_color
from ptcards.cli.sources import exit_status, source_lines, sources_argument
from ptcards.diagnostics import Severity
from ptcards.reports import FORMATS, Format, render

if TYPE_CHECKING:
    from ptcards.loading import Parsed


@click.command()
@sources_argument
@click.option("--strict", is_flag=True, help="Fail on warnings, too.")
@click.option("--fix", "fixing", is_flag=True, help="Mend what is certain, in the files; report the rest.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="full",
    show_default=True,
    help="How to report: for people, for editors, for programs, for GitHub.",
)
@common_options
@click.pass_context
def command(ctx: click.Context, *, sources: Sequence[Path], strict: bool, fixing: bool, form: Format) -> None:
    """Name every mistake, with place, reason and fix.

    Nothing is built. `ptcards explain RULE` tells more about what stands in brackets.
    """
    from ptcards.checking import check  # noqa: PLC0415 - heavier than --help
    from ptcards.identity.resolve import ClockError  # noqa: PLC0415
    from ptcards.processes import usable_processors  # noqa: PLC0415

    try:
        processes = usable_processors()
        loaded, diagnostics = check(sources, processes=processes)
        if fixing and _fix(loaded):
            loaded, diagnostics = check(sources, processes=processes)
    except ClockError as failure:
        raise click.UsageError(str(failure)) from failure
    found = [each for each in diagnostics if each.severity is Severity.ERROR or not is_quiet()]
    text = render(found, format=form, source_line=source_lines(), color=wants_color(err=False))
    click.echo(text, nl=False, color=True)
    if not diagnostics:
        notes = sum(len(parsed.selected_notes) for parsed in loaded)
        tell(f"{notes} note{'s' * (notes != 1)}, nothing to report")
    warned = any(each.severity is Severity.WARNING for each in diagnostics)
    ctx.exit(exit_status(diagnostics) or int(strict and warned))


def _fix(loaded: Sequence["Parsed"]) -> bool:
    """Mend the sources; say whether any was changed."""
    from ptcards.fixes import fix  # noqa: PLC0415 - only on request

    fixed = fix(loaded)
    for path, count in fixed.items():
        tell(f"fixed {path}: {count} place{'s' * (count != 1)}")
    return bool(fixed)
