"""`ptcards build`: compile collections, and say what that means to learners."""

import time
from collections.abc import Sequence
from pathlib import Path

import click

from ptcards.cli.options import (
    Progress,
    common_options,
    exit_status,
    show_diagnostics,
    sources_argument,
    tell,
)

_FORMATS = ("apkg", "csv", "html", "anki-csv")
_DEFAULT_FORMATS = ("apkg", "csv")


@click.command()
@sources_argument
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    default="build",
    show_default=True,
    help="Where the outputs go.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_FORMATS),
    help="Write only these; may be repeated.  [default: apkg and csv]",
)
@click.option("--locked", is_flag=True, help="Fail if deck.lock would change; for a release's build.")
@click.option(
    "--refresh", is_flag=True, help="Send every note to learners again, for a rendering mended for everybody."
)
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    sources: Sequence[Path],
    output: Path,
    formats: Sequence[str],
    *,
    locked: bool,
    refresh: bool,
) -> None:
    """Compile Markdown to Anki decks (.apkg) and CSV.

    All mistakes of all files are reported together; then nothing is written and the last outputs stay as they were.
    """
    from ptcards.collection import shown  # noqa: PLC0415 - heavier than --help
    from ptcards.identity.changes import in_short  # noqa: PLC0415
    from ptcards.identity.resolve import ClockError  # noqa: PLC0415
    from ptcards.pipeline import BuildOptions, build  # noqa: PLC0415

    begun = time.monotonic()
    options = BuildOptions(output, tuple(formats) or _DEFAULT_FORMATS, locked=locked, refresh=refresh)
    try:
        built, diagnostics = build(
            sources,
            options,
            waiting=lambda folder: tell(f"waiting for another build to leave `{folder}`"),
            progress=Progress("notes"),
        )
    except ClockError as failure:
        raise click.UsageError(str(failure)) from failure
    show_diagnostics(diagnostics)
    stale = [line for each in built for line in each.out_of_date]
    for line in stale:
        click.echo(line, err=True)
    if stale:
        click.echo("error: deck.lock is out of date: build without --locked and commit it", err=True)
        ctx.exit(1)
    for each in built:
        *others, last = (shown(output.absolute()) for output in each.outputs)
        outputs = f"{', '.join(others)} and {last}" if others else last
        what = f"{each.collection.config.name}: {_count(each.notes, 'note')}, {_count(each.cards, 'card')}"
        changes = f"{in_short(each.resolution.changes)}; " if each.collection.configured else ""
        tell(f"built {what}; {changes}{outputs} in {time.monotonic() - begun:.2f} s")
    ctx.exit(exit_status(diagnostics))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
