"""`ptcards check`: name every mistake."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ptcards.cli.messages import CommandError, announce, is_quiet, look, tell
from ptcards.cli.options import common_options
from ptcards.cli.progress import Progress
from ptcards.cli.sources import dialect_option, exit_status, sources_argument
from ptcards.diagnostics import Diagnostic, Severity, from_json
from ptcards.inputs import source_lines
from ptcards.reports.render import FORMATS, Format, render

if TYPE_CHECKING:
    from ptcards.cache import Cache
    from ptcards.workspace import Contents


@click.command()
@sources_argument
@dialect_option
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
def command(
    ctx: click.Context, *, sources: Sequence[Path], dialect: str, strict: bool, fixing: bool, form: Format
) -> None:
    """Name every mistake, with place, reason and fix.

    Nothing is built. `ptcards explain RULE` tells more about what stands in brackets.
    """
    # Whether anything changed is asked first, and takes little; what comes next is heavier than --help.
    from ptcards.cache import Cache  # noqa: PLC0415
    from ptcards.files import cache_file  # noqa: PLC0415

    question = ("check", list(map(str, sources)), dialect)
    with closing(Cache(cache_file(os.environ), tell)) as cache:
        answer = None if fixing else cache.recall(question)
        if answer is not None:
            diagnostics, count = list(map(from_json, answer[0])), answer[1]
        else:
            diagnostics, count = _check(sources, cache, question, dialect, fixing=fixing)
    found = [each for each in diagnostics if each.severity is Severity.ERROR or not is_quiet()]
    text = render(found, format=form, source_line=source_lines(), look=look(err=False, form=form))
    click.echo(text, nl=False, color=True)
    if not diagnostics:
        announce("Checked", f"{count} note{'s' * (count != 1)}: nothing to report")
    warned = any(each.severity is Severity.WARNING for each in diagnostics)
    ctx.exit(exit_status(diagnostics) or int(strict and warned))


def _check(
    sources: Sequence[Path], cache: "Cache", question: Sequence[object], dialect: str, *, fixing: bool
) -> tuple[list[Diagnostic], int]:
    """Return what is to be said, and about how many notes."""
    from ptcards.identity.resolve import ClockError  # noqa: PLC0415
    from ptcards.lint.check import check  # noqa: PLC0415 - as above
    from ptcards.processes import usable_processors  # noqa: PLC0415

    try:
        processes = usable_processors()
        with Progress() as progress:
            found, diagnostics = check(
                sources, cache, question=question, processes=processes, progress=progress, dialect=dialect
            )
        if fixing and _fix(found):
            found, diagnostics = check(
                sources, cache, question=question, processes=processes, dialect=dialect
            )
    except ClockError as failure:
        raise CommandError(str(failure)) from failure
    return diagnostics, sum(contents.count for contents in found)


def _fix(found: Sequence["Contents"]) -> bool:
    """Fix the sources; whether any was changed."""
    from ptcards.lint.fixes import fix  # noqa: PLC0415 - only on request

    fixed = fix(found)
    for path, count in fixed.items():
        announce("Fixed", f"{path}: {count} place{'s' * (count != 1)}")
    return bool(fixed)
